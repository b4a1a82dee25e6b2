"""The journal for an event loop: what is about to be done is on disk before it is done.

What comes while the disk is at work is written together then, by one thread and one commit.
"""

import logging
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar

import anyio
import anyio.abc
import anyio.lowlevel
import anyio.to_thread

from handrail.errors import HandrailError
from handrail.journal.model import (
    LISTED,
    Bounds,
    CallOutcome,
    Entry,
    JournalCursorError,
    JournalError,
    JournalIdError,
    JournalPage,
    JournalRow,
)
from handrail.journal.sayings import Begin, End, Finish, Said, Saying

if TYPE_CHECKING:
    from handrail.journal.desk import Desk
    from handrail.storage.database import Database

__all__ = ["LONGEST", "Journal"]

LONGEST: Final = timedelta(minutes=15)
"""How long a call is waited for: one without an end after this reads `unknown`."""

_LOG: Final = logging.getLogger(__name__)
_LOOKS_AFTER: Final = 1000  # rows written: then the journal's size is looked at
_NOT_SENT: Final = "nothing was sent"
_ITS_END_IS_LOST: Final = "what became of the call is not kept, and its row reads unknown"
_NOT_READ: Final = "it cannot be read"

T = TypeVar("T")


def _now() -> datetime:
    return datetime.now(UTC)


class Journal:
    """The record of calls; an async context manager. What it says is never changed.

    Nothing is opened before the first call. A journal that cannot be used says so each time, and is tried again.

    Args:
        open_database: opens its database, in a thread.
        archives: gives the folder that its archives go to, in a thread; None: nothing is ever archived.
        secrets: values that must appear nowhere, such as API keys.
        reads: whether `note_read` keeps anything.
        longest: how long a call may take.
        bounds: how much stays in the database where there are archives.
        clock: the present, aware, in UTC.
    """

    def __init__(
        self,
        open_database: "Callable[[], Database]",
        *,
        archives: Callable[[], Path] | None = None,
        secrets: Collection[str] = (),
        reads: bool = False,
        longest: timedelta = LONGEST,
        bounds: Bounds = Bounds(),  # noqa: B008  (frozen)
        clock: Callable[[], datetime] = _now,
    ) -> None:
        def make_desk() -> "Desk":
            from handrail.journal.desk import Desk  # noqa: PLC0415  (not needed to start a server)

            return Desk(open_database, archives=archives, secrets=secrets, longest=longest, bounds=bounds, clock=clock)

        self._make_desk = make_desk
        self._reads = reads
        self._looks_after = max(1, min(_LOOKS_AFTER, bounds.rows // 10))
        self._written = 0
        self._made: Desk | None = None
        self._making = threading.Lock()
        self._waiting: list[_Slip] = []
        self._one_writes = anyio.Lock()
        self._threads = anyio.CapacityLimiter(2)  # one writes, one reads: neither waits for those of others
        self._archiving = anyio.CapacityLimiter(1)
        self._due = anyio.Event()
        self._stopping = threading.Event()
        self._group: anyio.abc.TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._group = await anyio.create_task_group().__aenter__()
        self._group.start_soon(self._archive_when_due)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        group, self._group = self._group, None
        if group is None:
            return None
        self._stopping.set()
        group.cancel_scope.cancel()
        try:
            return await group.__aexit__(kind, error, trace)
        finally:
            if self._made is not None:
                self._made.close()

    @property
    def keeps_reads(self) -> bool:
        """Whether `note_read` keeps anything."""
        return self._reads

    async def begin(self, entry: Entry) -> str:
        """Write down a call that is about to be made. Its id; the row is on disk when it returns.

        Once it is being written it is not cancelled: whoever has the id says with `finish` what became of it.

        Raises:
            JournalError: it cannot be written, so the call must not be made.
        """
        await anyio.lowlevel.checkpoint_if_cancelled()
        return (await self._say(Begin(entry), _NOT_SENT)).journal_id

    async def finish(
        self, journal_id: str, outcome: str, *, status: int | None = None, digest: str | None = None
    ) -> bool:
        """Write down what became of a call, also where the caller is cancelled. On disk when it returns.

        Args:
            journal_id: what `begin` gave.
            outcome: a `CallOutcome` other than `open`.
            status: the HTTP status of the answer, where there was one.
            digest: of the answer, likewise.

        Returns:
            Whether this was the first that was said of it; only that counts.

        Raises:
            JournalError: it cannot be written; the row reads `unknown`.
            ValueError: the outcome is none.
        """
        end = End(_ended(outcome), status, digest)
        return (await self._say(Finish(journal_id, end), _ITS_END_IS_LOST)).is_first

    async def note(self, entry: Entry, outcome: str, *, status: int | None = None, digest: str | None = None) -> str:
        """Write down a call whose outcome is known already, such as one that is refused. Its id.

        Raises:
            JournalError: it cannot be written.
            ValueError: the outcome is none.
        """
        await anyio.lowlevel.checkpoint_if_cancelled()
        return (await self._say(Begin(entry, End(_ended(outcome), status, digest)), _NOT_SENT)).journal_id

    async def note_read(
        self, entry: Entry, outcome: str, *, status: int | None = None, digest: str | None = None
    ) -> str | None:
        """Write down a read that was made, where reads are kept. Its id, or None: no read fails for its record.

        Raises:
            ValueError: the outcome is none.
        """
        if not self._reads:
            return None
        try:
            return await self.note(entry, outcome, status=status, digest=digest)
        except JournalError as error:
            _LOG.warning("a read is not in the journal: %s", error.message)
            return None

    async def list(
        self,
        *,
        since: datetime | None = None,
        limit: int = 50,
        cursor: str | None = None,
        owner: str | None = None,
    ) -> JournalPage:
        """Rows, the newest first, those of the archives after those of the database.

        Args:
            since: only those that began then or later; aware.
            limit: how many at most, up to `LISTED`. There may be fewer although more follow.
            cursor: where an earlier page ended.
            owner: only of this one.

        Raises:
            JournalCursorError: the cursor is none of ours.
            JournalError: the journal cannot be read.
        """
        from handrail.journal.archives import Asked  # noqa: PLC0415  (not needed to start a server)

        asked, most = Asked(owner, since), max(1, min(limit, LISTED))
        return await self._read(lambda desk: desk.page(asked, limit=most, cursor=cursor))

    async def get(self, start: str, *, owner: str | None = None) -> JournalRow:
        """The one row whose id begins so; only of this owner where one is named.

        Raises:
            JournalIdError: there is none, or more than one.
            JournalError: the journal cannot be read.
        """
        return await self._read(lambda desk: desk.find(start, owner))

    async def _say(self, saying: Saying, otherwise: str) -> Said:
        if self._group is None:
            raise _unusable("it is not open", otherwise, None)
        slip = _Slip(saying)
        with anyio.CancelScope(shield=True):
            self._waiting.append(slip)
            async with self._one_writes:
                if not slip.is_taken:
                    batch, self._waiting = self._waiting, []
                    await anyio.to_thread.run_sync(self._write, batch, limiter=self._threads)
                    self._count(len(batch))
        if isinstance(slip.error, HandrailError):
            raise _unusable(_detail(slip.error), otherwise, slip.error) from slip.error
        if slip.error is not None:
            raise slip.error
        return slip.said[0]

    def _write(self, batch: "Sequence[_Slip]") -> None:
        for slip in batch:
            slip.is_taken = True
        try:
            for slip, said in zip(batch, self._desk().write([slip.saying for slip in batch]), strict=True):
                slip.said.append(said)
        except Exception as error:  # noqa: BLE001  (each of those who wait raises it)
            for slip in batch:
                slip.error = error

    async def _read(self, read: "Callable[[Desk], T]") -> T:
        if self._group is None:
            raise _unusable("it is not open", _NOT_READ, None)
        try:
            return await anyio.to_thread.run_sync(lambda: read(self._desk()), limiter=self._threads)
        except (JournalError, JournalCursorError, JournalIdError):
            raise
        except HandrailError as error:
            raise _unusable(_detail(error), _NOT_READ, error) from error

    def _desk(self) -> "Desk":
        with self._making:
            if self._made is None:
                self._made = self._make_desk()
            return self._made

    def _count(self, written: int) -> None:
        """Have the journal's size looked at after the first rows of a process, and then after every so many."""
        before, self._written = self._written, self._written + written
        if before == 0 or before // self._looks_after != self._written // self._looks_after:
            self._due.set()

    async def _archive_when_due(self) -> None:
        while True:
            await self._due.wait()
            self._due = anyio.Event()
            try:
                await anyio.to_thread.run_sync(self._archive, limiter=self._archiving)
            except (HandrailError, OSError) as error:
                _LOG.warning("the journal's oldest rows stay where they are: %s", error)

    def _archive(self) -> None:
        self._desk().archive(self._stopping.is_set)


@dataclass(slots=True, eq=False)
class _Slip:
    """Something to be written, and what came of it once it was taken."""

    saying: Saying
    is_taken: bool = False
    said: list[Said] = field(default_factory=list)
    error: Exception | None = None


def _ended(outcome: str) -> CallOutcome:
    found = CallOutcome(outcome)
    if found is CallOutcome.OPEN:
        raise ValueError("a call that is at work has not ended")
    return found


def _detail(error: HandrailError) -> str:
    """The short form of what is wrong, where the error has one."""
    return str(error.data.get("detail") or error.message.rstrip("."))


def _unusable(detail: str, otherwise: str, cause: HandrailError | None) -> JournalError:
    data = {} if cause is None else cause.data
    where = data.get("where")
    place = f"The journal {where}" if where else "The journal"
    return JournalError(
        f"{place} cannot be used: {detail}; {otherwise}.",
        next_step=None if cause is None else cause.next_step,
        problem=data.get("problem"),
        where=where,
    )
