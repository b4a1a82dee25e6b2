"""Moments at which two things happen at once in one worker, held open by a store that waits."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

import anyio
import pytest

from handrail.runs import Run, RunStatus
from handrail.runs.store import StoredLedger
from handrail.runs.store.opening import TABLES
from handrail.runs.worker.work import Worker, WorkerLimits
from handrail.storage.database import Row, Sql, Value
from handrail.storage.sqlite import SqliteDatabase, open_sqlite
from tests.runs.worker.bodies_worker import CHILD
from tests.runs.worker.homes import OWNER, ROOT, Home, until

_SECONDS: Final = 10


class _Waiting:
    """A store that, after some statement, waits in its thread until some other statement has been done.

    Args:
        database: the store.
        after: words of the statement after which it waits, once.
        until: words of the other one.

    Attributes:
        waited: whether it has begun to wait.
        count: how often the first statement was done.
    """

    def __init__(self, database: SqliteDatabase, *, after: str, until: str) -> None:
        self._database = database
        self._after = after
        self._until = until
        self._seen = threading.Event()
        self._armed = False
        self.waited = threading.Event()
        self.count = 0
        self.dialect = database.dialect
        self.changes = database.changes
        self.close = database.close

    def arm(self) -> None:
        """From now on it waits, once."""
        self._armed = True

    def read(self, statement: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """The rows, and perhaps a wait."""
        rows = self._database.read(statement, parameters)
        self._done([statement])
        return rows

    @contextmanager
    def write(self) -> Iterator[Sql]:
        """A transaction, and perhaps a wait after it."""
        statements: list[str] = []
        with self._database.write() as sql:

            def noted(statement: str, parameters: Sequence[Value] = ()) -> list[Row]:
                rows = sql(statement, parameters)
                statements.extend([statement] if rows else [])
                return rows

            yield noted
        self._done(statements)

    def _done(self, statements: list[str]) -> None:
        self.count += sum(self._after in statement for statement in statements)
        if self._armed and any(self._until in statement for statement in statements):
            self._seen.set()
        if self._armed and not self.waited.is_set() and any(self._after in statement for statement in statements):
            self.waited.set()
            self._seen.wait(_SECONDS)


@asynccontextmanager
async def _worker(
    home: Home, database: _Waiting, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Worker, Callable[[Run], Run]]]:
    """A worker in this process, and how to look at a run."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    ledger = StoredLedger(database, age=timedelta(days=7))
    worker = Worker(database, home.place, CHILD, version="1", limits=WorkerLimits(slots=2))
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(worker.work)
            yield worker, lambda run: ledger.get(run.run_id, OWNER, datetime.now(UTC))
            worker.stop()


async def test_a_run_that_is_taken_while_the_worker_looks_after_others_is_not_ended_for_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_sqlite(home.place.home / "runs.db", TABLES)
    with closing(_Waiting(opened, after="SELECT run_id, attempt", until="SET child = ?")) as database:
        ledger = StoredLedger(opened, age=timedelta(days=7))
        async with _worker(home, database, monkeypatch) as (worker, _look):
            ledger.add(home.request(["wait", "go"]), datetime.now(UTC), limit=9)
            await home.until_acted("begun")
            database.arm()
            await until(database.waited.is_set)
            second = ledger.add(home.request(["wait", "go"]), datetime.now(UTC), limit=9)
            await home.until_acted("begun", 2)
            looks = database.count
            await until(lambda: database.count > looks + 1, what="two whole looks of the worker")
            assert not worker._works[second.run_id].ended.is_set()
            home.say("go")
            await home.until_acted("done", 2)


async def test_a_run_that_is_taken_again_while_it_is_still_let_go_of_is_done(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_sqlite(home.place.home / "runs.db", TABLES)
    with closing(_Waiting(opened, after="attempt = attempt + 1", until="SET child = ?")) as database:
        ledger = StoredLedger(opened, age=timedelta(days=7))
        async with _worker(home, database, monkeypatch) as (worker, look):
            run = ledger.add(
                home.request(["kill_once", "killed"], ["act", "one"], ["wait", "go"], resumable=True),
                datetime.now(UTC),
                limit=9,
            )
            await home.until_acted("begun")
            database.arm()
            home.say("killed")
            await home.until_acted("one")
            await until(lambda: home.child(run) == home.begun_by()[-1])
            assert [*worker._works] == [run.run_id]
            home.say("go")
            await until(lambda: look(run).status.is_terminal)
            end = look(run)

    assert (end.status, end.attempt) == (RunStatus.COMPLETED, 2)
