"""Holds what a worker has taken, where several machines work: renewed in time, or ended here before others take it.

After a third of its lease it is renewed. Without an answer after two thirds, its processes are ended here, and are gone
before the lease is over.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

import anyio

from handrail.runs.model import Run
from handrail.runs.store import RunQueue, StoreError
from handrail.runs.worker.child_process import KILL_SECONDS, Child
from handrail.runs.worker.patience import patiently

__all__ = ["Holder", "Work"]

_LOG: Final = logging.getLogger(__name__)
_AGAIN_SECONDS: Final = 0.5
_LOST: Final = "its worker lost the database when it took it or let go of it"


@dataclass(slots=True, eq=False)
class Work:
    """A run that is being done.

    Attributes:
        run: the run.
        child: does it.
        ended: set once the run is no longer to be done here.
        within_s: how long its processes may take to end from then on, in seconds.
    """

    run: Run
    child: Child
    ended: anyio.Event = field(default_factory=anyio.Event)
    within_s: float = KILL_SECONDS

    def end(self, *, within_s: float = KILL_SECONDS) -> None:
        """Have it end here. Only the first call counts."""
        if not self.ended.is_set():
            self.within_s = within_s
            self.ended.set()


class Holder:
    """Keeps the runs of one worker its own.

    Args:
        queue: renews them.
        works: the runs that it does, by id, now.
        handed: the waiting runs whose caller's environment it has, now.
        claiming: held while a run is being taken.
        let_go: gives a run up, with a reason for people.
        lease_s: for how long the database leaves them to it, in seconds.
    """

    def __init__(  # noqa: PLR0917  (all of one worker's)
        self,
        queue: RunQueue,
        works: Mapping[str, Work],
        handed: Collection[str],
        claiming: anyio.Lock,
        let_go: Callable[[Run, str], Awaitable[None]],
        lease_s: float,
    ) -> None:
        self._queue = queue
        self._works = works
        self._handed = handed
        self._claiming = claiming
        self._let_go = let_go
        self._lease_s = lease_s
        self._news = anyio.Event()

    def wake(self) -> None:
        """Hold what has just been handed over, now."""
        self._news.set()

    async def hold(self) -> None:
        """Renew again and again, for ever."""
        held_at = time.monotonic()
        while True:
            held_at = await self._renew(held_at)
            self._news = anyio.Event()
            with anyio.CancelScope(deadline=held_at + self._lease_s / 3):
                await self._news.wait()

    async def _renew(self, held_at: float) -> float:
        """When it was renewed; what was taken is ended where that takes too long, or it belongs to somebody else."""
        works = [*self._works.values()]  # those that come while the store answers are in no answer
        # A worker that has slept past its lease asks first: perhaps nobody came.
        latest = max(held_at + self._lease_s * 2 / 3, time.monotonic() + self._lease_s / 6)
        answers: list[tuple[float, set[str]]] = []
        answered = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(self._ask, answers, answered)
            with anyio.CancelScope(deadline=latest):
                await answered.wait()
            if not answered.is_set():
                self._end_unheld(works, held_at)
        renewed_at, held = answers[0]
        for work in works:
            if work.run.run_id not in held:
                work.end()
        await self._give_back(held)
        return renewed_at

    async def _ask(self, answers: list[tuple[float, set[str]]], answered: anyio.Event) -> None:
        """The ids that are held, and from when on; as often as it takes."""
        while not answers:
            try:
                answers.append(await patiently(self._renew_now))
            except StoreError as error:
                _LOG.warning("what this worker has taken cannot be renewed: %s", error.message)
                await anyio.sleep(_AGAIN_SECONDS)
        answered.set()

    def _renew_now(self) -> tuple[float, set[str]]:
        began = time.monotonic()  # not the end: the lease counts from some moment in between
        return began, self._queue.renew([*self._handed])

    def _end_unheld(self, works: Collection[Work], held_at: float) -> None:
        """End what may belong to another machine soon; its processes are gone before."""
        left = max(held_at + self._lease_s - time.monotonic(), 0.0)
        for work in works:
            _LOG.warning("run %s is ended here: the database does not answer, others may take it soon", work.run.run_id)
            work.end(within_s=min(KILL_SECONDS, left / 2))

    async def _give_back(self, held: Collection[str]) -> None:
        """Give up what the database says is this worker's and nobody does.

        The answer to a claim, or to a letting go, was lost on its way.
        """
        if self._works.keys() >= {*held}:
            return
        try:
            self._claiming.acquire_nowait()
        except anyio.WouldBlock:  # it may be the very run that is being taken: the next time tells
            return
        try:
            for run in await patiently(self._queue.taken):
                if run.run_id in held and run.run_id not in self._works:
                    await self._let_go(run, _LOST)
        except StoreError as error:
            _LOG.warning("what nobody does cannot be given up: %s", error.message)
        finally:
            self._claiming.release()
