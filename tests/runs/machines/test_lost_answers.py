"""A claim that was done and whose answer was lost on its way: nobody does that run, and its worker finds that out."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from datetime import UTC, datetime
from typing import Final

import anyio
import pytest

from handrail.runs import KEPT_FOR, Run, RunReason, RunStatus
from handrail.runs.store import Database, StoredLedger, StoreError
from handrail.runs.store.opening import TABLES
from handrail.runs.worker.work import Worker, WorkerLimits
from handrail.storage.database import Row, Sql, StoreProblem, Value
from handrail.storage.postgres import PostgresDatabase, open_postgres
from tests.runs.worker.bodies_worker import CHILD
from tests.runs.worker.homes import OWNER, ROOT, Home, until

_LEASE_SECONDS: Final = 1.5
_WAIT_SECONDS: Final = 10.0
_CLAIM: Final = "message = 'started'"
_RENEWAL: Final = "SET lease_until"


class _FarAway:
    """A database from which something happens to the answer of the first claim that takes a run.

    Args:
        database: the database.
        then: what happens after its commit.
    """

    def __init__(self, database: PostgresDatabase, then: "Callable[[_FarAway], None]") -> None:
        self._database = database
        self._then: Callable[[_FarAway], None] | None = then
        self.renewals = threading.Semaphore(0)
        self.dialect = database.dialect
        self.read = database.read
        self.changes = database.changes
        self.close = database.close

    @contextmanager
    def write(self) -> Iterator[Sql]:
        """A transaction, and what happens then."""
        done: list[str] = []
        with self._database.write() as sql:

            def noting(statement: str, parameters: "tuple[Value, ...]" = ()) -> list[Row]:
                rows = sql(statement, parameters)
                done.extend([statement] if rows else [])
                return rows

            yield noting  # type: ignore[misc]  # a list of parameters is as good
        if any(_CLAIM in statement for statement in done) and self._then is not None:
            then, self._then = self._then, None
            then(self)
        if any(statement.startswith(f"UPDATE runs {_RENEWAL}") for statement in done):
            self.renewals.release()


def _lose(_database: _FarAway) -> None:
    raise StoreError(StoreProblem.UNREACHABLE, "The answer was lost.", next_step="", where="there")


def _be_late(database: _FarAway) -> None:
    """Later than two renewals, both of which name the run."""
    for _ in range(2):
        database.renewals.acquire(timeout=_WAIT_SECONDS)


@asynccontextmanager
async def _worker(home: Home, database: Database) -> AsyncIterator[Callable[[Run], Run]]:
    """A worker in this process; how to look at a run."""
    limits = WorkerLimits(slots=2, lease_s=_LEASE_SECONDS)
    worker = Worker(database, home.place, CHILD, version="1", database_url=home.url, limits=limits)
    with closing(home.open()) as mine, anyio.fail_after(30):
        ledger = StoredLedger(mine, age=KEPT_FOR)
        async with anyio.create_task_group() as group:
            group.start_soon(worker.work)
            yield lambda run: ledger.get(run.run_id, OWNER, datetime.now(UTC))
            worker.stop()


def _added(home: Home, *, resumable: bool) -> Run:
    with closing(home.open()) as database:
        request = home.request(["act", "one"], ["wait", "go"], resumable=resumable)
        return StoredLedger(database, age=KEPT_FOR).add(request, datetime.now(UTC), limit=9)


@pytest.mark.promise("lost-claims-are-found")
@pytest.mark.parametrize("resumable", [True, False])
async def test_a_run_whose_claim_was_lost_on_its_way_is_given_up_and_not_held_for_ever(
    home: Home, monkeypatch: pytest.MonkeyPatch, *, resumable: bool
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    home.say("go")
    run = _added(home, resumable=resumable)
    with closing(open_postgres(home.url, TABLES)) as opened:
        async with _worker(home, _FarAway(opened, _lose)) as look:
            await until(lambda: look(run).status.is_terminal)
            end = look(run)

    if resumable:
        assert (end.status, end.attempt, home.acts("one")) == (RunStatus.COMPLETED, 2, 1)
    else:
        assert (end.status, end.reason, home.acts("one")) == (RunStatus.FAILED, RunReason.INTERRUPTED, 0)
        assert "lost the database" in end.message


async def test_a_run_whose_claim_is_late_to_be_heard_of_is_not_given_up(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    run = _added(home, resumable=True)
    with closing(open_postgres(home.url, TABLES)) as opened:
        database = _FarAway(opened, _be_late)
        async with _worker(home, database) as look:
            await home.until_acted("one")
            home.say("go")
            await until(lambda: look(run).status.is_terminal)
            end = look(run)

    assert (end.status, end.attempt, home.acts("begun")) == (RunStatus.COMPLETED, 1, 1)
