"""The run engine in memory: runs live in this process and end with it; their records stay on disk, and are not read.

    start -> queued in order -> one of `slots` -> body -> completed | failed | cancelled

Everything happens on one event loop, and a state changes between two awaits, never across one: that is the whole
locking. A run's state is on disk before it is told to anybody.
"""

import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import anyio
import anyio.abc
import anyio.lowlevel

from handrail.arguments import short_name
from handrail.json_types import Json, JsonObject
from handrail.runs.context import EngineRunContext
from handrail.runs.engine import EngineClosedError, RunBody, RunContext, queue_full
from handrail.runs.ledger import Entry, Ledger, Retention
from handrail.runs.model import Run, RunPage, RunReason, RunStatus, StartRequest
from handrail.runs.outcome import Outcome, outcome_of
from handrail.runs.record import DiskRecord, NoRecord, Record, RecordError
from handrail.storage.process import this_process

__all__ = ["MemoryEngine"]

_LOG: Final = logging.getLogger(__name__)
_KEEP: Final = Retention()


def _now() -> datetime:
    return datetime.now(UTC)


class MemoryEngine:
    """A `RunEngine` in this process; an async context manager that owns every run's task.

    Leaving it ends what is live as `failed: interrupted` and waits for the bodies to unwind.

    Args:
        body: does a run.
        records: the folder of all run records, or None to keep nothing on disk.
        slots: how many bodies work at once. A cancelled body holds its slot until it has unwound.
        limit: how many live runs there may be, those that wait included.
        clock: the present, aware, in UTC.
        retention: how long ended runs are kept in memory.
    """

    def __init__(
        self,
        body: RunBody,
        *,
        records: Path | None,
        slots: int = 2,
        limit: int = 100,
        clock: Callable[[], datetime] = _now,
        retention: Retention = _KEEP,
    ) -> None:
        self._body = body
        self._records = records
        self._process = this_process()
        self._slots = slots
        self._limit = limit
        self._clock = clock
        self._ledger = Ledger(retention)
        self._waiting: deque[Entry] = deque()
        self._working = 0
        self._group: anyio.abc.TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._group = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        group, self._group = self._group, None
        if group is None:
            return None
        for entry in self._ledger.live():
            self._interrupt(entry)
        group.cancel_scope.cancel()
        return await group.__aexit__(kind, error, trace)

    async def start(self, request: StartRequest) -> Run:
        """See `RunEngine`."""
        group = self._entered()
        self._ledger.expire(self._clock())
        same = self._ledger.same_start(request)
        if same is not None:
            return same.run
        self._check_room()
        entry = self._ledger.add(request, self._clock(), self._record_for)
        try:
            entry.record.write_run(entry.run)
        except RecordError:
            self._ledger.remove(entry)
            raise
        self._waiting.append(entry)
        self._fill_slots(group)
        return entry.run

    async def reject(self, request: StartRequest, result: JsonObject) -> Run:
        """See `RunEngine`. Nothing is written to disk, and no arguments are kept: there was no run."""
        self._entered()
        nothing = StartRequest(short_name(request.agent), {}, request.owner)
        entry = self._ledger.add(nothing, self._clock(), lambda _run_id: NoRecord())
        self._end(entry, Outcome(RunStatus.FAILED, "rejected before it began", RunReason.REJECTED, result))
        self._ledger.expire(self._clock())
        return entry.run

    async def get(self, run_id: str, owner: str) -> Run:
        """See `RunEngine`."""
        return self._find(run_id, owner).run

    async def list_runs(self, owner: str, *, limit: int = 50, cursor: str | None = None) -> RunPage:
        """See `RunEngine`. `limit` is held between 1 and 200."""
        self._ledger.expire(self._clock())
        return self._ledger.page(owner, limit, cursor)

    async def cancel(self, run_id: str, owner: str) -> Run:
        """See `RunEngine`."""
        entry = self._find(run_id, owner)
        if self._end(entry, Outcome(RunStatus.CANCELLED, "cancelled by request", RunReason.CANCELLED)):
            entry.scope.cancel()
            self._forget_waiting(entry)
        return entry.run

    async def abandon(self, run_id: str, owner: str) -> Run:
        """See `RunEngine`."""
        entry = self._find(run_id, owner)
        return entry.run if entry.followers else await self.cancel(run_id, owner)

    async def answer(self, run_id: str, owner: str, answers: Mapping[str, Json]) -> Run:
        """See `RunEngine`. All given answers are checked before any is taken.

        Raises:
            ArgumentError: an answer does not fit its question's schema; the argument is named by the question's key.
        """
        entry = self._find(run_id, owner)
        entry.answer(answers, self._clock())
        return entry.run

    async def decline(self, run_id: str, owner: str, keys: Collection[str]) -> Run:
        """See `RunEngine`."""
        entry = self._find(run_id, owner)
        entry.decline(keys, self._clock())
        return entry.run

    async def keep(self, run_id: str, owner: str, *, kept: bool = True) -> Run:
        """See `RunEngine`. In memory, and so for as long as this process."""
        entry = self._find(run_id, owner)
        entry.keep(kept=kept)
        return entry.run

    async def wait(self, run_id: str, owner: str, seconds: float) -> Run:
        """See `RunEngine`."""
        entry = self._find(run_id, owner)
        with entry.followed(), anyio.move_on_after(seconds):
            await entry.until(lambda: entry.run.status is not RunStatus.WORKING)
        return entry.run

    @asynccontextmanager
    async def watch(self, run_id: str, owner: str) -> AsyncGenerator[AsyncIterator[Run]]:
        """See `RunEngine`. A watcher holds nothing of the engine: it looks at the run whenever it comes back."""
        entry = self._find(run_id, owner)
        with entry.followed():
            async with aclosing(entry.changes()) as changes:
                yield changes

    def _entered(self) -> anyio.abc.TaskGroup:
        if self._group is None:
            raise EngineClosedError(
                "Runs cannot be started: the engine is not running.", next_step="Restart the server."
            )
        return self._group

    def _find(self, run_id: str, owner: str) -> Entry:
        self._ledger.expire(self._clock())
        return self._ledger.find(run_id, owner)

    def _check_room(self) -> None:
        live = self._ledger.live()
        if len(live) < self._limit:
            return
        waiting = set(self._waiting)
        running = [entry.run.run_id for entry in live if entry not in waiting]
        raise queue_full(limit=self._limit, waiting=len(waiting), running=running)

    def _record_for(self, run_id: str) -> Record:
        return NoRecord() if self._records is None else DiskRecord(self._records, run_id, self._process)

    def _fill_slots(self, group: anyio.abc.TaskGroup) -> None:
        while self._working < self._slots and self._waiting:
            self._working += 1
            group.start_soon(self._work, self._waiting.popleft())

    def _forget_waiting(self, entry: Entry) -> None:
        if entry in self._waiting:
            self._waiting.remove(entry)

    async def _work(self, entry: Entry) -> None:
        try:
            with entry.scope:
                await self._run_body(entry)
        except anyio.get_cancelled_exc_class():
            self._interrupt(entry)
            if anyio.current_effective_deadline() == float("-inf"):
                raise
            # Nobody cancelled this task: the body let a foreign cancellation out, which must not end the engine.
        finally:
            self._working -= 1
            if self._group is not None:
                self._fill_slots(self._group)

    async def _run_body(self, entry: Entry) -> None:
        await anyio.lowlevel.checkpoint()
        entry.report("started", self._clock())
        context = EngineRunContext(entry, self._clock)
        self._end(entry, await outcome_of(self._begin, context, entry.request))

    async def _begin(self, context: RunContext, request: StartRequest) -> JsonObject:
        """The body, once the record says that it works: what is killed now did not die while it was queued."""
        entry = self._ledger.find(context.run_id, request.owner)
        entry.record.write_run(entry.run)
        return await self._body(context, request)

    def _interrupt(self, entry: Entry) -> None:
        message = f"interrupted: {entry.run.message}"
        self._end(entry, Outcome(RunStatus.FAILED, message, RunReason.INTERRUPTED))

    def _end(self, entry: Entry, outcome: Outcome) -> bool:
        return self._ledger.end(entry, lambda: self._recorded_end(entry, outcome))

    def _recorded_end(self, entry: Entry, outcome: Outcome) -> Run:
        """The run as it ends, on disk before it is told to anybody. A disk that refuses does not undo the end."""
        ended = entry.ending(outcome, self._clock())
        try:
            entry.record.write_run(ended)
        except RecordError as error:
            _LOG.warning("run %s ended, but its record could not say so: %s", ended.run_id, error.message)
            return entry.ending(outcome.noting(error.message), self._clock())
        return ended
