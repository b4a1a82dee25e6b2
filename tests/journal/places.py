"""Where a journal of a test is, what is written into it, and what is in its database."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final

from handrail.journal import LONGEST, Bounds, Entry, Journal, JournalPage, JournalRow
from handrail.journal.book import Book
from handrail.journal.opening import open_database
from handrail.json_types import JsonMapping
from handrail.storage import Database
from handrail.storage.database import closing

_MOST: Final = 10_000

__all__ = ["Kind", "Place", "all_rows", "entry", "now"]


class Kind(StrEnum):
    """Which database."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a journal is."""

    kind: Kind
    home: Path
    url: str = ""

    def open(self) -> Database:
        """A connection to its database."""
        return open_database(self.home, self.url)

    def journal(
        self,
        *,
        secrets: frozenset[str] = frozenset(),
        reads: bool = False,
        longest: timedelta = LONGEST,
        bounds: Bounds | None = None,
        clock: "Callable[[], datetime] | None" = None,
    ) -> Journal:
        """The journal; with archives where bounds are given."""
        return Journal(
            self.open,
            archives=None if bounds is None else lambda: self.home,
            secrets=secrets,
            reads=reads,
            longest=longest,
            bounds=bounds or Bounds(),
            clock=clock or now,
        )

    def ids(self) -> set[str]:
        """The ids in its database."""
        with closing(self.open()) as database:
            return {str(row[0]) for row in database.read("SELECT journal_id FROM journal_calls")}

    def book(self, database: Database) -> Book:
        """Its tables."""
        return Book(database, longest=LONGEST, clock=now)


def now() -> datetime:
    return datetime.now(UTC)


def entry(
    number: int = 0, *, owner: str = "me", arguments: JsonMapping | None = None, request_line: str = "PUT /v1/rows/1"
) -> Entry:
    return Entry(
        owner=owner,
        client="client 1.0",
        surface="appwrite_call_tool",
        tool="tables_db_update_row",
        project="main",
        arguments={"row_id": str(number)} if arguments is None else arguments,
        hints={"readOnlyHint": False, "destructiveHint": True},
        risks={"money", "bulk"},
        rule="a PUT changes",
        level="model",
        by="model: confirm_write",
        request_line=request_line,
    )


async def all_rows(journal: Journal, *, limit: int = 7, owner: str | None = None) -> list[JournalRow]:
    """Every row, page by page, the newest first."""
    page: JournalPage = await journal.list(limit=limit, owner=owner)
    rows = [*page.rows]
    while page.next_cursor is not None:
        assert len(page.rows) <= limit
        assert len(rows) <= _MOST, "the pages have no end"
        page = await journal.list(limit=limit, cursor=page.next_cursor, owner=owner)
        rows += page.rows
    return rows
