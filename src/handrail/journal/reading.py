"""Reads the journal: what is in the database, and behind it the archives."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from handrail.journal.archives import Archives, Asked
from handrail.journal.book import Book
from handrail.journal.model import JournalCursorError, JournalIdError, JournalPage, JournalRow
from handrail.journal.rows import Placed

__all__ = ["JournalReading"]

_CURSOR: Final = re.compile(r"([0-9]{1,9})-([0-9]{1,18})")
_NAMED: Final = 5  # ids in an error
_LIVE: Final = 0  # the number that a cursor gives to the database


@dataclass(frozen=True, slots=True)
class _Cursor:
    """Where a page begins: in an archive or the database, before a place; None: at its end."""

    number: int = _LIVE
    before: int | None = None

    @classmethod
    def of_text(cls, text: str | None) -> Self:
        if text is None:
            return cls()
        found = _CURSOR.fullmatch(text)
        if found is None:
            raise JournalCursorError("This cursor is not one of ours.", next_step="Leave it out.", cursor=text[:64])
        return cls(int(found[1]), int(found[2]))

    def as_text(self) -> str:
        return f"{self.number}-{self.before}"


class JournalReading:
    """Pages of the journal, and single rows.

    Args:
        book: the database.
        archives: the files; None: there are none.
    """

    def __init__(self, book: Book, archives: Archives | None) -> None:
        self._book = book
        self._archives = archives

    def page(self, asked: Asked, *, limit: int, cursor: str | None) -> JournalPage:
        """Rows, the newest first. A page may have fewer than `limit` although more follow.

        Raises:
            JournalCursorError: the cursor is none of ours.
            JournalError: an archive cannot be read.
            StoreError: the database cannot be used.
        """
        place = _Cursor.of_text(cursor)
        if place.number == _LIVE:
            found = self._book.newest(limit=limit + 1, before=place.before, owner=asked.owner, since=asked.since)
            if len(found) > limit or not self._goes_back(asked):
                return _page([(_LIVE, one) for one in found], limit)
            return self._with_archives(found, asked, limit, _Cursor())
        return self._with_archives([], asked, limit, place)

    def find(self, start: str, owner: str | None) -> JournalRow:
        """The one row whose id begins so, of this owner where one is named.

        Raises:
            JournalIdError: there is none, or more than one.
            JournalError: an archive cannot be read.
            StoreError: the database cannot be used.
        """
        found = {one.journal_id: one for one in self._book.find(start, owner, limit=_NAMED)} if start else {}
        if not found and start and self._archives is not None:
            archived = self._archives.find(start, owner, limit=_NAMED)
            found = {one.journal_id: one for one in self._completed([*archived.values()])}
        if len(found) == 1:
            return next(iter(found.values()))
        problem = f"More than one row of the journal begins with {start[:64]!r}." if found else "There is no such row."
        step = "Give more of the id." if found else "`handrail journal` lists the rows with their ids."
        raise JournalIdError(problem, next_step=step, journal_id=start[:64], found=[*found])

    def _goes_back(self, asked: Asked) -> bool:
        """Whether older rows than those of the database may be wanted."""
        oldest = self._book.oldest(after=0, limit=1)
        return self._archives is not None and not (
            asked.since is not None and oldest and oldest[0].row.began_at < asked.since
        )

    def _with_archives(self, found: Sequence[Placed], asked: Asked, limit: int, place: _Cursor) -> JournalPage:
        """A page that begins with these rows and goes on in the archives."""
        rows = [(_LIVE, one) for one in found]
        archives = self._archives
        if archives is None:
            return _page(rows, limit)
        for archive in archives.newest_first():
            if place.number != _LIVE and archive.number > place.number:
                continue
            before = place.before if archive.number == place.number else None
            older = archives.newest(archive, replace(asked, before=before), limit + 1 - len(rows))
            rows += [(archive.number, one) for one in older]
            begins = archives.begins_at(archive)
            if len(rows) > limit or (asked.since is not None and begins is not None and begins < asked.since):
                break
        return self._merged(_page(rows, limit))

    def _merged(self, page: JournalPage) -> JournalPage:
        """The page with each row once, and with what was learnt after it had been archived."""
        once = {row.journal_id: row for row in reversed(page.rows)}
        return JournalPage(tuple(reversed(self._completed([*once.values()]))), page.next_cursor)

    def _completed(self, rows: Sequence[JournalRow]) -> list[JournalRow]:
        ends = self._book.late_ends([row.journal_id for row in rows]) if rows else {}
        return [
            replace(row, outcome=end.outcome, ended_at=end.ended_at, status=end.status, digest=end.digest)
            if (end := ends.get(row.journal_id))
            else row
            for row in rows
        ]


def _page(found: Sequence[tuple[int, Placed]], limit: int) -> JournalPage:
    """The first `limit` of the rows, each with the number of where it is, and a cursor where more were found."""
    cursor = None
    if len(found) > limit:
        number, last = found[limit - 1]
        cursor = _Cursor(number, last.seq).as_text()
    return JournalPage(tuple(one.row for _, one in found[:limit]), cursor)
