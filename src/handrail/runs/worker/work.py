"""The worker's life: take what waits, do it, look after it, end when nothing is left.

wait for news -> take a run -> give it to a child that is ready -> see it end -> wait for news ...
"""

import logging
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Final

import anyio
import anyio.abc

from handrail.runs.model import Run, RunReason, RunStatus
from handrail.runs.outcome import Outcome
from handrail.runs.place import RunPlace
from handrail.runs.store import Database, RunAttempt, RunQueue, StoreError, WorkerMark
from handrail.runs.store.schema import SCHEMA
from handrail.runs.worker.child_process import Child, remove
from handrail.runs.worker.holding import Holder, Work
from handrail.runs.worker.messages import Assignment, Order, OrderKind, WorkerState
from handrail.runs.worker.patience import PATIENCE_SECONDS, patiently
from handrail.runs.worker.recovery import Recovery
from handrail.storage.process import is_alive, this_process

__all__ = ["Worker", "WorkerLimits"]

_LOG: Final = logging.getLogger(__name__)
_SHARED_TICK_SECONDS: Final = 0.2
"""How often it looks, at most, into a database that many machines share, where each look is a question to it."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What bounds a worker. Times are in seconds.

    Attributes:
        slots: how many runs it does at once.
        idle_s: how long it stays with nothing to do, or with a database of several machines away; 0: for ever.
        run_s: how long one run may take before it is killed; longer than what agents give themselves.
        tick_s: how often it looks for news.
        lease_s: how long a run that it took is its own without being renewed, where several machines work.
    """

    slots: int = 2
    idle_s: float = 60.0
    run_s: float = 7 * 3600.0
    tick_s: float = 0.1
    lease_s: float = 30.0


class Worker:
    """Does the runs of one home. Who makes it holds the home's lock.

    Args:
        database: the store of runs.
        place: the home.
        child_command: starts a process that calls `run_child`.
        version: of this program.
        database_url: handed to the children; empty for the file in the home.
        limits: what bounds it.
    """

    def __init__(
        self,
        database: Database,
        place: RunPlace,
        child_command: Sequence[str],
        *,
        version: str,
        database_url: str = "",
        limits: WorkerLimits | None = None,
    ) -> None:
        self._database = database
        self._place = place
        self._command = child_command
        self._version = version
        self._url = database_url
        self._environment = {name: value for name, value in os.environ.items() if name != "HANDRAIL_DATABASE_URL"}
        self._limits = limits or WorkerLimits()
        self._mark = WorkerMark(place.identity(), this_process())
        self._queue = RunQueue(database, self._mark, lease_s=self._limits.lease_s)
        self._works: dict[str, Work] = {}
        self._environments: dict[str, dict[str, str]] = {}
        self._recovery = Recovery(database, self._queue, self._mark, place, self._environments)
        shared = database.dialect.clock is not None
        self._tick_s = max(self._limits.tick_s, _SHARED_TICK_SECONDS) if shared else self._limits.tick_s
        # A database may come back. Meanwhile what this worker does is ended, before others may take it.
        self._patience_s = max(self._limits.idle_s or math.inf, PATIENCE_SECONDS) if shared else PATIENCE_SECONDS
        self._claiming = anyio.Lock()
        self._holder = (
            Holder(
                self._queue, self._works, self._environments.keys(), self._claiming, self._let_go, self._limits.lease_s
            )
            if shared
            else None
        )
        self._ready: Child | None = None
        self._news = anyio.Event()
        self.draining = anyio.Event()
        self._stopping = anyio.Event()

    @property
    def is_ending(self) -> bool:
        """Whether it was told to end, or to begin no other run."""
        return self.draining.is_set() or self._stopping.is_set()

    def stop(self) -> None:
        """End now. What can be resumed goes back to the queue, all else ends as interrupted."""
        self._stopping.set()

    async def has_more(self) -> bool:
        """Whether any run waits."""
        return bool(await patiently(self._queue.waiting, seconds=self._patience_s))

    def obey(self, order: Order) -> WorkerState:
        """Do what is said over the socket; where the worker stands then."""
        if order.environment and order.run_id and not self.is_ending:
            self._environments[order.run_id] = order.environment
            if self._holder is not None:
                self._holder.wake()
        if order.kind is OrderKind.DRAIN:
            self.draining.set()
        if order.kind is OrderKind.STOP:
            self.stop()
        self._wake()
        return WorkerState(
            pid=self._mark.process.pid,
            version=self._version,
            schema_number=SCHEMA,
            running=[*self._works],
            draining=self.is_ending,
        )

    async def work(self) -> None:
        """Do runs until there has been nothing to do for a while, or an order or a cancel ends it.

        Raises:
            StoreError: the store cannot be used at all.
        """
        await self._recovery.recover()
        await self._recovery.clean()
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._tend)
                group.start_soon(self._recovery.repeat)
                if self._holder is not None:
                    group.start_soon(self._holder.hold)
                group.start_soon(self._end_when_stopped, group.cancel_scope)
                await self._take_turns(group)
                group.cancel_scope.cancel()
        finally:
            if self._ready is not None:
                await self._ready.end()

    async def _end_when_stopped(self, scope: anyio.CancelScope) -> None:
        await self._stopping.wait()
        scope.cancel()

    async def _take_turns(self, group: anyio.abc.TaskGroup) -> None:
        idle_since = anyio.current_time()
        while True:
            news = self._news
            await self._take_all(group)
            if self._works:
                idle_since = anyio.current_time()
            if self.draining.is_set() and not self._works:
                return
            if self._is_idle(idle_since) and not await self.has_more():
                return
            await self._until_news(news)

    def _is_idle(self, since: float) -> bool:
        return bool(self._limits.idle_s) and anyio.current_time() - since > self._limits.idle_s

    async def _take_all(self, group: anyio.abc.TaskGroup) -> None:
        while not self.draining.is_set() and len(self._works) < self._limits.slots:
            if not await self._take_one(group):
                return
        if not self.draining.is_set():
            await self._child()
        elif self._ready is not None:
            await self._ready.end()
            self._ready = None

    async def _take_one(self, group: anyio.abc.TaskGroup) -> bool:
        """Take a run and begin it; whether there was one."""
        child = await self._child()
        async with self._claiming:
            claiming = partial(self._queue.claim, _now(), handed=[*self._environments])
            claim = await patiently(claiming, seconds=self._patience_s)
            if claim is None:
                return False
            if isinstance(child, OSError):
                await self._let_go(claim.run, f"its process could not be started: {child.strerror}")
                return True
            self._ready = None
            work = Work(claim.run, child)
            self._works[claim.run.run_id] = work
        group.start_soon(self._do, work, self._environments.pop(claim.run.run_id, {}))
        return True

    async def _child(self) -> Child | OSError:
        """One that is ready: it has loaded everything before there is a run for it. Or why none can be started."""
        if self._ready is not None and not is_alive(self._ready.mark):
            await self._ready.end()
            self._ready = None
        if self._ready is None:
            try:
                self._ready = await Child.start(self._command, self._place.log, self._environment)
            except OSError as error:
                return error
        return self._ready

    async def _until_news(self, news: anyio.Event) -> None:
        """Wait for an order, a child's end, or a change that another process made."""
        changes = partial(patiently, self._database.changes, seconds=self._patience_s)
        seen = await changes()
        with anyio.move_on_after(1.0):
            while not news.is_set():
                with anyio.move_on_after(self._tick_s):
                    await news.wait()
                if seen is None or await changes() != seen:
                    return

    async def _do(self, work: Work, environment: dict[str, str]) -> None:
        run, child = work.run, work.child
        scratch = self._place.scratch / run.run_id
        how = "the worker was stopped"
        try:
            scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
            if await patiently(partial(self._queue.begin, run, child.mark)):
                await child.assign(self._assignment(run, str(scratch), environment))
                how = await self._see_it_end(work)
        except (OSError, StoreError) as error:
            how = f"it could not begin: {error.strerror if isinstance(error, OSError) else error.message}"
        finally:
            with anyio.CancelScope(shield=True):
                await child.end()
                await remove(scratch)
                await self._let_go(run, how)
                if self._works.get(run.run_id) is work:  # else it has been taken again meanwhile
                    del self._works[run.run_id]
            self._wake()

    async def _see_it_end(self, work: Work) -> str:
        """How the child ended, for the case that its run has not."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._end_in_time, work)
            code = await work.child.finish()
            group.cancel_scope.cancel()
        return f"its process ended with signal {-code}" if code < 0 else f"its process ended with exit code {code}"

    async def _end_in_time(self, work: Work) -> None:
        """End the child of a run that has been ended elsewhere, or that takes too long and so ends here."""
        with anyio.move_on_after(self._limits.run_s) as time:
            await work.ended.wait()
        if time.cancelled_caught:
            await self._end_late(work.run)
        await work.child.escalate(within_s=work.within_s)

    async def _end_late(self, run: Run) -> None:
        """The row ends first, so that nothing of the run is begun again."""
        message = f"interrupted: it took longer than {self._limits.run_s:g} s"
        attempt = RunAttempt(self._database, run.run_id, run.attempt)
        outcome = Outcome(RunStatus.FAILED, message, RunReason.INTERRUPTED)
        try:
            await patiently(partial(attempt.end, outcome, _now()))
        except StoreError as error:
            _LOG.warning("run %s: %s", run.run_id, error.message)

    async def _let_go(self, run: Run, how: str) -> None:
        try:
            await patiently(partial(self._queue.forget_child, run.run_id))
            given_up = await patiently(partial(self._queue.give_up, run, self._mark, how, _now()))
        except StoreError as error:
            _LOG.warning("run %s: %s", run.run_id, error.message)
            return
        if given_up is not None:
            _LOG.warning("run %s: %s", run.run_id, given_up.message)
            await self._recovery.note(given_up)

    async def _tend(self) -> None:
        """Tell the children whose runs have been ended elsewhere apart from the others."""
        while True:
            works = [*self._works.values()]  # those that come while the store answers are in no answer
            if works:
                looking = partial(self._queue.live, [work.run for work in works])
                live = await patiently(looking, seconds=self._patience_s)
                for work in works:
                    if work.run.run_id not in live:
                        work.end()
            await anyio.sleep(self._tick_s)

    def _assignment(self, run: Run, scratch: str, environment: dict[str, str]) -> Assignment:
        return Assignment(
            run_id=run.run_id,
            attempt=run.attempt,
            owner=run.owner,
            home=str(self._place.home),
            scratch=scratch,
            database_url=self._url,
            environment=environment,
        )

    def _wake(self) -> None:
        self._news.set()
        self._news = anyio.Event()


def _now() -> datetime:
    return datetime.now(UTC)
