"""The run engine whose runs outlive it: they are in a store, and a worker does them in processes of their own.

    start -> a row on disk -> the worker takes it -> a process does it -> the row says how it ended

The row decides. Here it is written and read; nothing of a run lives in this process.
"""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import anyio
import anyio.abc
import anyio.to_thread

from handrail.arguments import short_name
from handrail.errors import HandrailError
from handrail.json_types import Json, JsonObject
from handrail.runs.access import LedgerAccess
from handrail.runs.engine import EngineClosedError
from handrail.runs.feed import RunFeed
from handrail.runs.ledger import KEPT_FOR
from handrail.runs.model import Run, RunPage, RunReason, RunStatus, StartRequest
from handrail.runs.outcome import Outcome

if TYPE_CHECKING:
    from handrail.runs.store import Database
    from handrail.runs.worker import WorkerLink

__all__ = ["DurableEngine"]

_LOG: Final = logging.getLogger(__name__)
_TICK_SECONDS: Final = 0.05
_SHARED_TICK_SECONDS: Final = 0.2
"""How often it looks into a database that many machines share."""
_LOOK_FOR_WORKER_SECONDS: Final = 2.0
"""How often it sees to it that somebody does the runs that are asked for."""
_LEFTOVERS_AFTER_SECONDS: Final = 1.0


def _now() -> datetime:
    return datetime.now(UTC)


class DurableEngine:
    """A `RunEngine` over a store; an async context manager. Leaving it ends no run.

    Args:
        open_database: opens the store; called in a thread, with the first run that anybody asks for.
        open_link: gives the way to the worker, likewise.
        shared: whether other machines work on the same store.
        limit: how many live runs there may be, those that wait included.
        clock: the present, aware, in UTC.
        age: how long an ended run is kept.
    """

    def __init__(
        self,
        open_database: "Callable[[], Database]",
        open_link: "Callable[[], WorkerLink]",
        *,
        shared: bool = False,
        limit: int = 100,
        clock: Callable[[], datetime] = _now,
        age: timedelta = KEPT_FOR,
    ) -> None:
        self._open_link = open_link
        self._shared = shared
        self._limit = limit
        self._clock = clock
        self._link: WorkerLink | None = None
        self._store = LedgerAccess(open_database, age=age)
        self._feed = RunFeed(self._store, clock, tick_s=_SHARED_TICK_SECONDS if shared else _TICK_SECONDS)
        self._waking = anyio.Event()
        self._starts: dict[str, StartRequest] = {}
        self._woken_at = -_LOOK_FOR_WORKER_SECONDS
        self._group: anyio.abc.TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._group = await anyio.create_task_group().__aenter__()
        self._group.start_soon(self._see_to_a_worker)
        self._group.start_soon(self._feed.look, self._ask_for_worker)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        group, self._group = self._group, None
        if group is None:
            return None
        group.cancel_scope.cancel()
        try:
            return await group.__aexit__(kind, error, trace)
        finally:
            self._store.close()

    async def start(self, request: StartRequest) -> Run:
        """See `RunEngine`. On disk when it returns.

        Raises:
            QueueFullError: no room.
            RunKeyReusedError: the key belongs to a run with other arguments.
            StoreError: it cannot be kept, and so was not started.
        """
        self._entered()
        run = await self._store(lambda ledger: ledger.add(request, self._clock(), limit=self._limit))
        if not run.status.is_terminal:
            self._starts[run.run_id] = request
            self._waking.set()
        return run

    async def reject(self, request: StartRequest, result: JsonObject) -> Run:
        """See `RunEngine`. No arguments are kept: there was no run."""
        nothing = StartRequest(short_name(request.agent), {}, request.owner, ttl_ms=request.ttl_ms)
        outcome = Outcome(RunStatus.FAILED, "rejected before it began", RunReason.REJECTED, result)
        return await self._store(lambda ledger: ledger.add_rejected(nothing, self._clock(), outcome))

    async def get(self, run_id: str, owner: str) -> Run:
        """See `RunEngine`."""
        run = await self._store(lambda ledger: ledger.get(run_id, owner, self._clock()))
        if not run.status.is_terminal:
            await self._ask_for_worker()
        return run

    async def list_runs(self, owner: str, *, limit: int = 50, cursor: str | None = None) -> RunPage:
        """See `RunEngine`. `limit` is held between 1 and 200; the runs are without their results."""
        return await self._store(lambda ledger: ledger.page(owner, self._clock(), limit=limit, cursor=cursor))

    async def cancel(self, run_id: str, owner: str) -> Run:
        """See `RunEngine`. Its process finds out by itself; the worker sees to it that it ends."""
        outcome = Outcome(RunStatus.CANCELLED, "cancelled by request", RunReason.CANCELLED)
        return self._told(await self._store(lambda ledger: ledger.end(run_id, owner, outcome, self._clock())))

    async def abandon(self, run_id: str, owner: str) -> Run:
        """See `RunEngine`. Who waits in another process is not known here."""
        if self._feed.is_followed(run_id):
            return await self.get(run_id, owner)
        return await self.cancel(run_id, owner)

    async def answer(self, run_id: str, owner: str, answers: Mapping[str, Json]) -> Run:
        """See `RunEngine`. All given answers are checked before any is taken.

        Raises:
            ArgumentError: an answer does not fit its question's schema; the argument is named by the question's key.
        """
        return self._told(await self._store(lambda ledger: ledger.answer(run_id, owner, answers, self._clock())))

    async def decline(self, run_id: str, owner: str, keys: Collection[str]) -> Run:
        """See `RunEngine`."""
        return self._told(await self._store(lambda ledger: ledger.decline(run_id, owner, keys, self._clock())))

    async def keep(self, run_id: str, owner: str, *, kept: bool = True) -> Run:
        """See `RunEngine`."""
        return self._told(await self._store(lambda ledger: ledger.keep(run_id, owner, self._clock(), kept=kept)))

    async def wait(self, run_id: str, owner: str, seconds: float) -> Run:
        """See `RunEngine`."""
        with self._feed.follow(await self.get(run_id, owner)) as followed:
            with anyio.move_on_after(seconds):
                await followed.until(lambda run: run.status is not RunStatus.WORKING)
            return followed.run

    @asynccontextmanager
    async def watch(self, run_id: str, owner: str) -> AsyncGenerator[AsyncIterator[Run]]:
        """See `RunEngine`."""
        with self._feed.follow(await self.get(run_id, owner)) as followed:
            async with aclosing(followed.states()) as states:
                yield states

    def _told(self, run: Run) -> Run:
        self._feed.publish(run)
        return run

    def _entered(self) -> None:
        if self._group is None:
            raise EngineClosedError(
                "Runs cannot be started: the engine is not running.", next_step="Restart the server."
            )

    async def _ask_for_worker(self) -> None:
        """Somebody asks for a run that has not ended: see to it that there is a worker, every now and then."""
        if anyio.current_time() - self._woken_at >= _LOOK_FOR_WORKER_SECONDS:
            self._waking.set()

    async def _see_to_a_worker(self) -> None:
        """Wake the worker for each start, and look after what was left behind when this process begins."""
        with anyio.move_on_after(_LEFTOVERS_AFTER_SECONDS):
            await self._waking.wait()
        if not self._waking.is_set() and not await self._has_leftovers():
            await self._waking.wait()
        while True:
            self._waking = anyio.Event()
            self._woken_at = anyio.current_time()
            starts, self._starts = self._starts, {}
            await self._wake(starts)
            await self._waking.wait()

    async def _has_leftovers(self) -> bool:
        try:
            return await self._store(lambda ledger: ledger.has_live())
        except HandrailError as error:
            _LOG.warning("%s %s", error.message, error.next_step or "")
            return False

    async def _wake(self, starts: Mapping[str, StartRequest]) -> None:
        from handrail.runs.worker import Order, WorkerSilentError  # noqa: PLC0415  (not needed to start a server)

        left = dict(starts)
        try:
            if self._link is None:
                self._link = await anyio.to_thread.run_sync(self._open_link)
            await self._link.wake()
            for run_id, request in starts.items():
                if request.environment:
                    await self._link.wake(Order(run_id=run_id, environment=dict(request.environment)))
                del left[run_id]
        except WorkerSilentError as error:  # it sleeps or is busy: what needs nothing of us waits for it
            _LOG.warning("%s", error.message)
            await self._give_up({run_id: request for run_id, request in left.items() if request.environment}, error)
        except HandrailError as error:
            _LOG.warning("%s %s", error.message, error.next_step or "")
            await self._give_up(left, error)

    async def _give_up(self, starts: Mapping[str, StartRequest], error: HandrailError) -> None:
        """End what was started here and that nobody can do; where other machines work, one of them may."""
        message = f"interrupted before it began: {error.message} {error.next_step or ''}".strip()
        outcome = Outcome(RunStatus.FAILED, message, RunReason.INTERRUPTED, {"ok": False, "error": error.as_json()})
        for run_id, request in starts.items():
            if not self._shared or request.environment:
                await self._end_waiting(run_id, outcome)

    async def _end_waiting(self, run_id: str, outcome: Outcome) -> None:
        try:
            ended = await self._store(lambda ledger: ledger.end_waiting(run_id, outcome, self._clock()))
        except HandrailError as error:
            _LOG.warning("run %s: %s", run_id, error.message)
        else:
            if ended is not None:
                self._told(ended)
