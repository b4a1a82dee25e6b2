"""What the journal does in a thread: it opens the database with its first use, writes, reads and archives."""

import threading
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from handrail.journal.archives import Archives, Asked
from handrail.journal.book import Book
from handrail.journal.masking import Masking
from handrail.journal.model import Bounds, JournalPage, JournalRow
from handrail.journal.reading import JournalReading
from handrail.journal.rotation import Rotation
from handrail.journal.rows import said_text
from handrail.journal.sayings import End, Finish, Said, Saying
from handrail.storage.database import Database, Sql, closing

__all__ = ["Desk"]


class Desk:
    """The journal, for any thread.

    Args:
        open_database: opens its database. One that could not be opened is tried again at the next call.
        archives: gives the folder of its archives; None: nothing is ever archived.
        secrets: values that must appear nowhere.
        longest: how long a call may take.
        bounds: how much stays in the database.
        clock: the present, aware, in UTC.
    """

    def __init__(
        self,
        open_database: Callable[[], Database],
        *,
        archives: Callable[[], Path] | None,
        secrets: Collection[str],
        longest: timedelta,
        bounds: Bounds,
        clock: Callable[[], datetime],
    ) -> None:
        self._open_database = open_database
        self._folder = archives
        self._masking = Masking(secrets)
        self._longest = longest
        self._bounds = bounds
        self._clock = clock
        self._opened: Book | None = None
        self._opening = threading.Lock()

    def write(self, sayings: Sequence[Saying]) -> list[Said]:
        """Write all of it, or nothing; on disk when it returns.

        Raises:
            StoreError: the database cannot be used.
        """
        prepared = [self._prepared(saying) for saying in sayings]
        book = self._book()
        with book.database.write() as sql:
            return [write(book, sql) for write in prepared]

    def page(self, asked: Asked, *, limit: int, cursor: str | None) -> JournalPage:
        """See `JournalReading`."""
        owner = None if asked.owner is None else self._masking.words(asked.owner)
        return self._reading().page(Asked(owner, asked.since), limit=limit, cursor=cursor)

    def find(self, start: str, owner: str | None) -> JournalRow:
        """See `JournalReading`."""
        return self._reading().find(start, None if owner is None else self._masking.words(owner))

    def archive(self, stopped: Callable[[], bool]) -> None:
        """Archive the older half where the journal is too large. Uses a connection of its own: nobody waits for it.

        Raises:
            StoreError: the database cannot be used.
            JournalError: an archive cannot be read.
            OSError: the archive cannot be written.
        """
        archives = self._archives()
        if archives is not None:
            with closing(self._open_database()) as database:
                book = Book(database, longest=self._longest, clock=self._clock)
                Rotation(book, archives, self._bounds, stopped).run()

    def close(self) -> None:
        """Let go of the database."""
        if self._opened is not None:
            self._opened.database.close()

    def _prepared(self, saying: Saying) -> Callable[[Book, Sql], Said]:
        if isinstance(saying, Finish):
            return lambda book, sql: _finish(book, sql, saying.journal_id, saying.end)
        owner = self._masking.words(saying.entry.owner)
        said = said_text(self._masking.kept(saying.entry))
        return lambda book, sql: _begin(book, sql, owner, said, saying.end)

    def _reading(self) -> JournalReading:
        return JournalReading(self._book(), self._archives())

    def _archives(self) -> Archives | None:
        return None if self._folder is None else Archives(self._folder())

    def _book(self) -> Book:
        with self._opening:
            if self._opened is None:
                self._opened = Book(self._open_database(), longest=self._longest, clock=self._clock)
            return self._opened


def _begin(book: Book, sql: Sql, owner: str, said: str, end: End | None) -> Said:
    journal_id = book.begin(sql, owner, said)
    return Said(journal_id) if end is None else _finish(book, sql, journal_id, end)


def _finish(book: Book, sql: Sql, journal_id: str, end: End) -> Said:
    return Said(journal_id, book.end(sql, journal_id, end.outcome, status=end.status, digest=end.digest))
