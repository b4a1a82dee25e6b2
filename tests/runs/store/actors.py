"""Processes of their own that use a store, for tests that hold, kill or bound them.

Each says on stdout what it has done, one line at a time, and goes on when a line comes in.
"""

import os
import pwd
import resource
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from handrail.runs import StartRequest
from handrail.runs.model import RunStatus
from handrail.runs.outcome import Outcome
from handrail.runs.store import Database, RunAttempt, RunQueue, StoredLedger, StoreError, WorkerMark, open_store
from handrail.runs.store.ledger import end_run
from handrail.runs.store.opening import TABLES
from handrail.storage.database import closing
from handrail.storage.lock import held_lock
from handrail.storage.process import ProcessMark
from handrail.storage.sqlite import open_sqlite

_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
_PAGE: Final = 4096


def _say(*words: object) -> None:
    sys.stdout.write(" ".join(str(word) for word in words) + "\n")
    sys.stdout.flush()


def _wait() -> None:
    sys.stdin.readline()


def _open(home: Path, url: str) -> None:
    """Open the store when told to, and count its tables' rows."""
    _say("ready")
    _wait()
    database = open_store(home, url)
    _say("opened", database.read("SELECT count(*) FROM runs")[0][0])
    database.close()


def _hold(home: Path, url: str) -> None:
    """Be in a transaction until told to leave it."""
    with open_store(home, url).write() as sql:
        sql("UPDATE runs SET revision = revision")
        _say("inside")
        _wait()
    _say("left")


def _lock(home: Path, _url: str) -> None:
    """Have a lock until told to let go of it."""
    with held_lock(home / "some.lock"):
        _say("locked")
        _wait()
    _say("free")
    _wait()


def _end_half(home: Path, url: str) -> None:
    """End the only run and note a part of it, and stay inside the transaction that does both."""
    database = open_store(home, url)
    run_id = str(database.read("SELECT run_id FROM runs")[0][0])
    with database.write() as sql:
        sql("INSERT INTO saved (run_id, name, document) VALUES (?, 'part', '1')", (run_id,))
        end_run(sql, run_id, Outcome(RunStatus.COMPLETED, "done", result={"text": "x" * 100_000}), _NOW)
        _say("inside")
        _wait()


def _live_on(home: Path, url: str) -> None:
    """Whole lives of runs one after the other, each told of once it is on disk, until killed."""
    database = open_store(home, url)
    ledger = StoredLedger(database, age=timedelta(days=7))
    queue = RunQueue(database, WorkerMark("home", ProcessMark(os.getpid(), "boot")))
    while True:
        run = ledger.add(StartRequest("agent", {}, "me"), _NOW, limit=10**6)
        _say("started", run.run_id)
        claim = queue.claim(_NOW, handed=[])
        assert claim is not None
        attempt = RunAttempt(database, claim.run.run_id, 1)
        attempt.save("part", claim.run.run_id)
        attempt.end(Outcome(RunStatus.COMPLETED, "done", result={"text": "x" * 5000}), _NOW)
        _say("ended", claim.run.run_id)


def _bounded(home: Path, _url: str) -> None:
    """Write with ever larger bounds on the size of a file, and with none after each that was too small."""
    for pages in range(1, 200):
        place = home / str(pages)
        place.mkdir()
        _limit(pages * _PAGE)
        said = _tried(partial(_life_at, place))
        _limit(resource.RLIM_INFINITY)
        with closing(open_store(place, thorough=True)) as database:
            _whole_life(database)
            _say(said, database.read("PRAGMA quick_check")[0][0])
        if said == "done":
            return


def _unprivileged(home: Path, _url: str) -> None:
    """Open the store as a user who may do nothing; what that needs is loaded before, for it may not be read then."""
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
    _say(_tried(lambda: open_sqlite(home / "runs.db", TABLES).read("SELECT count(*) FROM runs")))


def _whole_life(database: Database) -> None:
    ledger = StoredLedger(database, age=timedelta(days=7))
    run = ledger.add(StartRequest("agent", {"text": "x" * 3 * _PAGE}, "me"), _NOW, limit=10)
    attempt = RunAttempt(database, run.run_id, 1)
    attempt.save("part", "x" * 3 * _PAGE)
    attempt.end(Outcome(RunStatus.COMPLETED, "done", result={"text": "x" * 3 * _PAGE}), _NOW)


def _life_at(home: Path) -> None:
    with closing(open_store(home)) as database:
        _whole_life(database)


def _limit(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _tried(act: Callable[[], object]) -> str:
    try:
        act()
    except StoreError as error:
        return error.problem.value
    return "done"


_ACTORS: Final = {
    "open": _open,
    "hold": _hold,
    "lock": _lock,
    "end-half": _end_half,
    "live-on": _live_on,
    "bounded": _bounded,
    "unprivileged": _unprivileged,
}

if __name__ == "__main__":
    _ACTORS[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])
