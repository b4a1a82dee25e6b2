"""What is kept, and for how long: a run and its record go together (F27)."""

import os
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from handrail.runs import RunStatus, StartRequest
from handrail.runs.outcome import Outcome
from handrail.runs.store import Database, StoredLedger, open_store
from tests.runs.worker.homes import OWNER, Home, ended, is_completed, until

_AGE = timedelta(days=7)
_MINUTE = timedelta(minutes=1)


def _made(database: Database, home: Home, end: timedelta, *, kept: bool = False) -> Path:
    """The record of a run that ended so long ago."""
    ledger = StoredLedger(database, age=_AGE)
    then = datetime.now(UTC) - end
    run = ledger.add(StartRequest("agent", {}, OWNER), then - _MINUTE, limit=100)
    ledger.end(run.run_id, OWNER, Outcome(RunStatus.COMPLETED, "done", result={"ok": True}), then)
    if kept:
        ledger.keep(run.run_id, OWNER, then, kept=True)
    return _folder(home.place.records / run.run_id, timedelta(0))


def _folder(folder: Path, age: timedelta) -> Path:
    folder.mkdir(parents=True)
    (folder / "file").write_text("something")
    moment = time.time() - age.total_seconds()
    os.utime(folder, (moment, moment))
    return folder


async def test_old_runs_go_with_their_records_and_all_others_stay(home: Home) -> None:
    with closing(open_store(home.place.home)) as database:
        old = _made(database, home, _AGE + _MINUTE)
        young = _made(database, home, _AGE - _MINUTE)
        kept = _made(database, home, 10 * _AGE, kept=True)
        then = datetime.now(UTC) - 10 * _AGE
        live = StoredLedger(database, age=_AGE).add(home.request(["act", "one"], ["wait", "go"]), then, limit=100)
    orphan = _folder(home.place.records / "orphan", _AGE + _MINUTE)
    of_another_store = _folder(home.place.records / "of-another-store", timedelta(days=2))
    new_orphan = _folder(home.place.records / "new-orphan", timedelta(hours=2))
    left = _folder(home.place.scratch / "left", timedelta(days=2))

    async with home.engine() as engine:
        await until(lambda: not old.exists() and not orphan.exists() and not left.exists())
        await home.until_acted("one")
        assert all(path.exists() for path in (young, kept, new_orphan, of_another_store))
        assert (await engine.get(live.run_id, OWNER)).status is RunStatus.WORKING
        home.say("go")
        assert is_completed(await ended(engine, live))
        listed = {run.run_id for run in (await engine.list_runs(OWNER)).runs}

    assert listed == {young.name, kept.name, live.run_id}
