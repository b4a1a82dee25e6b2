# ruff: noqa: S608  (statements are put together of our own words only; values are parameters)
"""The journal in its database: what is said, what it became, and which of it may go."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

from handrail.journal.model import CallOutcome, JournalRow
from handrail.journal.rows import COLUMNS, JOINED, Origin, Placed, marks, new_journal_id, placed_of
from handrail.storage.database import Database, Sql, Value

__all__ = ["Book"]

_SETTLED: Final = "settled = 1"


class Book:
    """The tables of the journal.

    Args:
        database: holds them.
        longest: how long a call may take.
        clock: the present, aware, in UTC.
    """

    def __init__(self, database: Database, *, longest: timedelta, clock: Callable[[], datetime]) -> None:
        self.database = database
        self._longest = longest
        self._clock = clock
        self._here = Origin.here()

    def begin(self, sql: Sql, owner: str, said: str) -> str:
        """Write down a call that is about to be made; its id."""
        now = self._clock()
        journal_id = new_journal_id(now)
        sql(
            "INSERT INTO journal_calls (journal_id, owner, began_at, origin, said, size) VALUES (?, ?, ?, ?, ?, ?)",
            (journal_id, owner, now.timestamp(), self._here.as_text(), said, len(said)),
        )
        return journal_id

    def end(
        self, sql: Sql, journal_id: str, outcome: CallOutcome, *, status: int | None = None, digest: str | None = None
    ) -> bool:
        """Write down what became of a call. Of two that say it, the first counts: whether this was it."""
        return bool(self._end(sql, (journal_id, 0, outcome.value, status, digest, self._clock().timestamp())))

    def settle(self, sql: Sql, journal_ids: Collection[str]) -> None:
        """Write down that nobody knows what became of these calls. Who knows it may still say so."""
        for journal_id in journal_ids:
            self._end(sql, (journal_id, 1, CallOutcome.UNKNOWN.value, None, None, self._clock().timestamp()))

    def newest(
        self, *, limit: int, before: int | None = None, owner: str | None = None, since: datetime | None = None
    ) -> list[Placed]:
        """Rows, the newest first.

        Args:
            limit: how many at most.
            before: only those before this place.
            owner: only of this one.
            since: only those that began then or later.
        """
        asked: list[tuple[str, Value]] = []
        if before is not None:
            asked.append(("c.seq < ?", before))
        if owner is not None:
            asked.append(("c.owner = ?", owner))
        if since is not None:
            asked.append(("c.began_at >= ?", since.timestamp()))
        where = " AND ".join(condition for condition, _ in asked) or "1 = 1"
        return self._select(f"WHERE {where} ORDER BY c.seq DESC LIMIT ?", [*(value for _, value in asked), limit])

    def oldest(self, *, after: int, limit: int) -> list[Placed]:
        """Rows after this place, the oldest first."""
        return self._select("WHERE c.seq > ? ORDER BY c.seq LIMIT ?", (after, limit))

    def find(self, start: str, owner: str | None, *, limit: int) -> list[JournalRow]:
        """Rows whose ids begin so, at most so many; only of this owner where one is named."""
        mine, whose = ("", []) if owner is None else (" AND c.owner = ?", [owner])
        found = self._select(
            f"WHERE substr(c.journal_id, 1, {len(start)}) = ?{mine} ORDER BY c.seq LIMIT ?", [start, *whose, limit]
        )
        return [one.row for one in found]

    def late_ends(self, journal_ids: Sequence[str]) -> dict[str, JournalRow]:
        """Ends of calls that are archived already, each as a row of which only the end counts."""
        rows = self.database.read(
            "SELECT 0, journal_id, '', 0, '- 0 -', '{}', outcome, ended_at, status, digest FROM journal_ends "
            f"WHERE settled = 0 AND journal_id IN ({marks(journal_ids)})",
            [*journal_ids],
        )
        return {str(row[1]): self._placed(row).row for row in rows}

    def extent(self) -> tuple[int, int]:
        """How many rows there are, and how many characters they have."""
        rows, size = self.database.read("SELECT count(*), coalesce(sum(size), 0) FROM journal_calls")[0]
        return int(rows or 0), int(size or 0)

    def last_archive(self) -> int:
        """The number of the newest archive; 0: there is none."""
        return int(self.database.read("SELECT coalesce(max(number), 0) FROM journal_archives")[0][0] or 0)

    def archived(self, number: int, up_to: int, file: str) -> None:
        """Write down that everything up to a place is in a file: from now on it may be deleted."""
        with self.database.write() as sql:
            sql("INSERT INTO journal_archives (number, up_to, file) VALUES (?, ?, ?)", (number, up_to, file))

    def delete(self, journal_ids: Sequence[str]) -> None:
        """Delete rows that are in an archive, with the ends that the archive knows.

        An end that was said after a row had been settled may be younger than the archive: it stays.
        """
        these = f"journal_id IN ({marks(journal_ids)})"
        with self.database.write() as sql:
            settled = sql(f"SELECT journal_id FROM journal_ends WHERE {_SETTLED} AND {these}", journal_ids)
            late = {str(row[0]) for row in settled}
            said = [one for one in journal_ids if one not in late]
            if said:
                sql(f"DELETE FROM journal_ends WHERE journal_id IN ({marks(said)})", said)
            sql(f"DELETE FROM journal_ends WHERE {_SETTLED} AND {these}", journal_ids)
            sql(f"DELETE FROM journal_calls WHERE {these}", journal_ids)

    def _end(self, sql: Sql, values: Sequence[Value]) -> list[tuple[Value, ...]]:
        return sql(
            "INSERT INTO journal_ends (journal_id, settled, outcome, status, digest, ended_at) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (journal_id, settled) DO NOTHING RETURNING settled",
            values,
        )

    def _select(self, rest: str, parameters: Sequence[Value]) -> list[Placed]:
        return [self._placed(row) for row in self.database.read(f"SELECT {COLUMNS} FROM {JOINED} {rest}", parameters)]

    def _placed(self, row: tuple[Value, ...]) -> Placed:
        return placed_of(row, self._clock(), self._longest, self._may_work)

    def _may_work(self, origin: Origin) -> bool:
        return origin == self._here or origin.may_be_at_work(self._here)
