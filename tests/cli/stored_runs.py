"""Runs in the store of a home that no worker has done."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from handrail.cli.runs.opened import OWNER
from handrail.json_types import JsonObject
from handrail.runs import KEPT_FOR, Run, RunStatus, StartRequest
from handrail.runs.outcome import Outcome
from handrail.runs.store import Database, StoredLedger, open_store
from handrail.storage.database import closing

__all__ = ["StoredRuns", "stored_runs"]


class StoredRuns:
    """Puts runs into a store."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._ledger = StoredLedger(database, age=KEPT_FOR)

    def add(self, *, owner: str = OWNER, agent: str = "counter", ago: timedelta = timedelta()) -> Run:
        """A run that waits."""
        return self._ledger.add(StartRequest(agent, {}, owner), datetime.now(UTC) - ago, limit=10_000)

    def ended(
        self,
        *,
        status: RunStatus = RunStatus.COMPLETED,
        message: str = "done",
        result: JsonObject | None = None,
        ago: timedelta = timedelta(),
    ) -> Run:
        """A run that has ended."""
        run = self.add(ago=ago)
        return self._ledger.end(run.run_id, OWNER, Outcome(status, message, None, result), datetime.now(UTC) - ago)


@contextmanager
def stored_runs(home: Path) -> Iterator[StoredRuns]:
    """The store of a home, for as long as this is open."""
    with closing(open_store(home)) as database:
        yield StoredRuns(database)
