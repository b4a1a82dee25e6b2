"""Moves the oldest rows of a journal that has grown too large into an archive.

    the rows are written to a file -> the file is on disk and reads back -> the database notes it -> the rows go

Killed at any point it leaves each row in the database, in an archive, or in both, where its id tells that it is one.
"""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

from handrail.journal.archives import Archive, Archives
from handrail.journal.book import Book
from handrail.journal.model import Bounds, CallOutcome
from handrail.journal.rows import Placed
from handrail.storage.lock import try_lock

__all__ = ["Rotation"]

_LOG: Final = logging.getLogger(__name__)
_LOCK: Final = "journal-archive.lock"
_PAGE: Final = 500


class StoppedError(Exception):
    """The process ends; what was begun is left undone."""


class Rotation:
    """One look at the journal, and what it needs.

    Args:
        book: the journal, by a connection that nobody waits for.
        archives: where archives go.
        bounds: how much may stay.
        stopped: whether to leave it for another time.
    """

    def __init__(self, book: Book, archives: Archives, bounds: Bounds, stopped: Callable[[], bool]) -> None:
        self._book = book
        self._archives = archives
        self._bounds = bounds
        self._half = Bounds(bounds.rows // 2, bounds.characters // 2)
        self._stopped = stopped

    def run(self) -> Archive | None:
        """Archive the older half where the journal is too large; the archive, or None.

        Raises:
            StoreError: the database cannot be used.
            JournalError: an archive cannot be read.
            OSError: the archive cannot be written.
        """
        lock = try_lock(self._archives.folder / _LOCK)
        if lock is None:  # another process is at it
            return None
        try:
            return self._archive() if not self._bounds.hold(*self._book.extent()) else None
        except StoppedError:
            return None
        finally:
            os.close(lock)

    def _archive(self) -> Archive | None:
        rows = self._old_rows()
        first = next(rows, None)
        if first is None:  # the oldest call of all is still at work
            return None
        known = self._archives.newest_first()
        number = max(self._book.last_archive(), known[0].number if known else 0) + 1
        archive, up_to = self._archives.write(number, chain([first], rows))
        self._book.archived(number, up_to, archive.path.name)
        for page in _pages(self._archives.rows(archive)):
            self._book.delete([one.row.journal_id for one in page])
        _LOG.info("the journal's oldest rows are in %s now", archive.path)
        return archive

    def _old_rows(self) -> Iterator[Placed]:
        """The rows that go, the oldest first: up to the half, or to one whose call is still at work."""
        rows, characters = self._book.extent()
        after = 0
        while page := self._book.oldest(after=after, limit=_PAGE):
            going: list[Placed] = []
            for placed in page:
                if self._half.hold(rows, characters) or placed.row.outcome is CallOutcome.OPEN:
                    break
                going.append(placed)
                rows, characters = rows - 1, characters - placed.size
            self._settle(going)
            yield from going
            if len(going) < len(page):
                return
            after = page[-1].seq

    def _settle(self, rows: Sequence[Placed]) -> None:
        """Say of calls that nobody ended that nobody knows: what goes into an archive has its end."""
        if self._stopped():
            raise StoppedError
        unended = [one.row.journal_id for one in rows if one.is_unended]
        if unended:
            with self._book.database.write() as sql:
                self._book.settle(sql, unended)


def _pages(rows: Iterator[Placed]) -> Iterator[list[Placed]]:
    while page := [*islice(rows, _PAGE)]:
        yield page
