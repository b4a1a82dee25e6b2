"""A store for tests: where it is, who works there, and many who come at once."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeVar

from handrail.json_types import Json
from handrail.runs import Run, RunReason, RunStatus, StartRequest
from handrail.runs.outcome import Outcome
from handrail.runs.store import Claim, Database, RunAttempt, RunQueue, StoredLedger, WorkerMark, open_store
from handrail.storage.database import closing
from handrail.storage.process import ProcessMark

__all__ = [
    "AGE", "CANCELLED", "CHILD", "DONE", "HERE", "LIMIT", "NOW", "OTHER", "OWNER", "THERE",
    "Kind", "Place", "all_at_once", "claimed", "ledger_of", "request", "started",
]  # fmt: skip

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
AGE: Final = timedelta(days=7)
OWNER: Final = "me"
LIMIT: Final = 100
HERE: Final = WorkerMark("home", ProcessMark(11, "boot/1"))
OTHER: Final = WorkerMark("home", ProcessMark(12, "boot/2"))
THERE: Final = WorkerMark("far", ProcessMark(11, "boot/1"))
CHILD: Final = ProcessMark(21, "boot/3")
DONE: Final = Outcome(RunStatus.COMPLETED, "done", result={"ok": True})
CANCELLED: Final = Outcome(RunStatus.CANCELLED, "cancelled by request", RunReason.CANCELLED)
_ALL_SECONDS: Final = 30.0

T = TypeVar("T")


class Kind(StrEnum):
    """Which database."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is."""

    kind: Kind
    home: Path
    url: str = ""

    def open(self) -> Database:
        """Another connection."""
        return open_store(self.home, self.url)


def ledger_of(database: Database) -> StoredLedger:
    return StoredLedger(database, age=AGE)


def request(
    *,
    owner: str = OWNER,
    run_key: str | None = None,
    resumable: bool = False,
    environment: dict[str, str] | None = None,
    **arguments: Json,
) -> StartRequest:
    return StartRequest("agent", arguments, owner, run_key, resumable=resumable, environment=environment or {})


def started(database: Database, asked: StartRequest | None = None, now: datetime = NOW) -> Run:
    """A run that waits."""
    return ledger_of(database).add(asked or request(), now, limit=LIMIT)


def claimed(
    database: Database, asked: StartRequest | None = None, worker: WorkerMark = HERE
) -> tuple[Run, RunAttempt, RunQueue]:
    """A run that this worker has taken, its attempt and the worker's queue."""
    queue = RunQueue(database, worker)
    run = started(database, asked)
    claim = queue.claim(NOW, handed={run.run_id})
    assert isinstance(claim, Claim)
    assert claim.run.run_id == run.run_id
    return claim.run, RunAttempt(database, run.run_id, claim.run.attempt), queue


def all_at_once(place: Place, count: int, act: Callable[[Database, int], T]) -> list[T | Exception]:
    """What each of so many came to that act at the same moment, each in a thread with a connection of its own."""
    barrier = threading.Barrier(count)

    def one(number: int) -> T | Exception:
        with closing(place.open()) as database:
            barrier.wait(_ALL_SECONDS)
            try:
                return act(database, number)
            except Exception as error:  # noqa: BLE001  (what the test looks at)
                return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count), timeout=_ALL_SECONDS))
