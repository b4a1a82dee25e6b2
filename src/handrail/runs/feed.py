"""What becomes of runs that other processes do: looked up while anybody here waits for one."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import anyio

from handrail.errors import UnavailableError
from handrail.runs.access import LedgerAccess
from handrail.runs.engine import RunNotFoundError
from handrail.runs.model import Run

__all__ = ["Followed", "RunFeed"]

_LOG: Final = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Followed:
    """A run that somebody waits for."""

    run: Run
    followers: int = 0
    changed: anyio.Event = field(default_factory=anyio.Event)
    gone: bool = False

    @property
    def is_live(self) -> bool:
        """Whether it may still change."""
        return not self.run.status.is_terminal and not self.gone

    async def until(self, condition: Callable[[Run], bool]) -> None:
        """Wait until the condition holds, or nothing will change any more."""
        while self.is_live and not condition(self.run):
            await self.changed.wait()

    async def states(self) -> AsyncGenerator[Run]:
        """The run as it stands, then at each change up to its end. A slow reader skips."""
        seen = -1
        while True:
            if self.run.revision == seen:
                if not self.is_live:
                    return
                await self.changed.wait()
                continue
            run = self.run
            seen = run.revision
            yield run
            if run.status.is_terminal:
                return

    def take(self, run: Run | None) -> None:
        """Take a newer state, or that there is none."""
        if run is None:
            self.gone = True
        elif run.revision > self.run.revision:
            self.run = run
        else:
            return
        self.changed.set()
        self.changed = anyio.Event()


class RunFeed:
    """Keeps the runs that somebody waits for up to date.

    Args:
        store: where it looks.
        clock: the present.
        tick_s: how often, in seconds, while anybody waits.
    """

    def __init__(self, store: LedgerAccess, clock: Callable[[], datetime], *, tick_s: float) -> None:
        self._store = store
        self._clock = clock
        self._tick_s = tick_s
        self._followed: dict[str, Followed] = {}
        self._somebody = anyio.Event()
        self._seen: int | None = None

    @contextmanager
    def follow(self, run: Run) -> Generator[Followed]:
        """While this is open, the run is looked after.

        Args:
            run: as it was found just now.
        """
        followed = self._followed.setdefault(run.run_id, Followed(run))
        followed.take(run)
        followed.followers += 1
        self._seen = None  # it may have changed since it was found
        self._somebody.set()
        try:
            yield followed
        finally:
            followed.followers -= 1
            if not followed.followers:
                del self._followed[run.run_id]

    def is_followed(self, run_id: str) -> bool:
        """Whether anybody waits for the run."""
        return run_id in self._followed

    def publish(self, run: Run) -> None:
        """Tell those who wait what this process itself has made of a run."""
        followed = self._followed.get(run.run_id)
        if followed is not None:
            followed.take(run)

    async def look(self, and_then: Callable[[], Awaitable[None]]) -> None:
        """Look again and again, for ever, while anybody waits for a run that may change.

        Args:
            and_then: called after each look.
        """
        while True:
            if not any(followed.is_live for followed in self._followed.values()):
                self._somebody = anyio.Event()
                await self._somebody.wait()
            try:
                await self._look_once()
            except UnavailableError as error:  # those who wait go on waiting: it may come back
                self._seen = None  # what was not fetched is still to be
                _LOG.debug("%s", error.message)
            await and_then()
            await anyio.sleep(self._tick_s)

    async def _look_once(self) -> None:
        changes = await self._store(lambda ledger: ledger.database.changes())
        if changes is not None and changes == self._seen:
            return
        self._seen = changes
        live = {run_id: followed for run_id, followed in self._followed.items() if followed.is_live}
        revisions = await self._store(lambda ledger: ledger.revisions([*live]))
        for run_id, followed in live.items():
            if revisions.get(run_id) != followed.run.revision:
                followed.take(await self._fetch(followed.run))

    async def _fetch(self, run: Run) -> Run | None:
        try:
            return await self._store(lambda ledger: ledger.get(run.run_id, run.owner, self._clock()))
        except RunNotFoundError:
            return None
