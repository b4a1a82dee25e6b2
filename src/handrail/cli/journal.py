"""`handrail journal`: nothing here changes the journal."""

import re
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

import anyio

from handrail.cli.causes import innermost
from handrail.cli.output import Cell, Colour, paint, print_json, print_line, print_note, print_table
from handrail.cli.runs.shown import when
from handrail.errors import ArgumentError
from handrail.home import home_folder
from handrail.journal import LISTED, CallOutcome, Journal, JournalRow, open_journal
from handrail.json_types import Json
from handrail.settings import load_settings

__all__ = ["list_journal", "moment_of", "show_journal"]

_COLOURS: Final = {
    CallOutcome.DONE: Colour.GOOD,
    CallOutcome.FAILED: Colour.BAD,
    CallOutcome.UNKNOWN: Colour.BAD,
    CallOutcome.REFUSED: Colour.CARE,
    CallOutcome.NEEDS_APPROVAL: Colour.CARE,
}
_SHORT_ID: Final = 20  # characters of an id: its time and 32 bits that tell it from others of the same millisecond
_AGE: Final = re.compile(r"([0-9]{1,6})([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_NAMES: Final = 16  # characters of the names of values

T = TypeVar("T")


def list_journal(*, since: str | None, limit: int, as_json: bool) -> None:
    """Print the journal's newest rows, the newest last.

    Args:
        since: an age (`90m`) or a moment (`2026-11-30`); None: from the beginning.
        limit: how many at most.
        as_json: print JSON.

    Raises:
        ArgumentError: `since` is neither.
        JournalError: the journal cannot be read.
    """
    start = None if since is None else moment_of(since, datetime.now(UTC))
    rows, more = _with_journal(lambda journal: _newest(journal, start, limit))
    if as_json:
        shown: list[Json] = [row.as_json() for row in rows]
        print_json({"rows": shown, "more": more})
        return
    if not rows:
        print_note("Nothing is in the journal" + (f" since {start:%Y-%m-%d %H:%M:%S} UTC." if start else "."))
        return
    _print_rows(rows, person=sys.stdout.isatty())
    if more:
        print_note(f"There are earlier ones: `handrail journal --limit {limit * 10}` shows them.")


def show_journal(start: str, *, as_json: bool) -> None:
    """Print everything that the journal holds of one call, also where it has gone into an archive.

    Args:
        start: the row's id, or what no other id begins with.
        as_json: print JSON.

    Raises:
        JournalIdError: there is no such row, or more than one.
        JournalError: the journal cannot be read.
    """
    row = _with_journal(lambda journal: journal.get(start))
    if as_json:
        print_json(row.as_json())
        return
    print_line(f"{row.journal_id}  {row.said.get('tool')}  {paint(row.outcome.value, _colour(row))}")
    for name, value in row.as_json().items():
        if name not in {"id", "tool", "outcome", "arguments"} and value not in (None, "", [], {}):
            print_line(f"  {name:<{_NAMES}}{_one_line(value)}")
    print_line("  arguments")
    print_json(row.said.get("arguments"))


def moment_of(text: str, now: datetime) -> datetime:
    """What `--since` means: an age such as `90m`, or a date or time, in UTC where it names no zone.

    Raises:
        ArgumentError: it is neither, or before all time.
    """
    age = _AGE.fullmatch(text)
    try:
        if age:
            return now - timedelta(**{_UNITS[age[2]]: int(age[1])})
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ArgumentError(
            f"{text[:64]!r} is no time that --since knows.",
            argument="since",
            next_step="Give an age, such as 30m, 12h, 7d or 2w, or a time, such as 2026-11-30 or 2026-11-30T18:00.",
        ) from error


async def _newest(journal: Journal, since: datetime | None, limit: int) -> tuple[list[JournalRow], bool]:
    """The newest rows in their order, each once, and whether there are earlier ones."""
    found: dict[str, JournalRow] = {}
    cursor: str | None = None
    while len(found) < limit:
        page = await journal.list(since=since, limit=min(limit - len(found), LISTED), cursor=cursor)
        for row in page.rows:
            found.setdefault(row.journal_id, row)
        cursor = page.next_cursor
        if cursor is None:
            break
    return [*reversed(found.values())], cursor is not None


def _with_journal(work: Callable[[Journal], Awaitable[T]]) -> T:
    """What some work gives with the journal of the home folder."""

    async def entered() -> T:
        settings = load_settings()
        journal = open_journal(lambda: home_folder(settings), settings.database_url.get_secret_value())
        try:
            async with journal:
                return await work(journal)
        except BaseExceptionGroup as group:
            raise innermost(group) from group

    return anyio.run(entered)


def _print_rows(rows: list[JournalRow], *, person: bool) -> None:
    now = datetime.now(UTC)
    cells: list[list[Cell]] = [
        [
            row.journal_id[: _SHORT_ID if person else None],
            when(row.began_at, now) if person else f"{row.began_at:%Y-%m-%d %H:%M:%S}",
            _word(row, "tool"),
            (row.outcome.value, _colour(row)),
            "" if row.status is None else str(row.status),
            _word(row, "by") or _word(row, "level"),
            _word(row, "request"),
        ]
        for row in rows
    ]
    print_table(["id", "when" if person else "when (UTC)", "tool", "outcome", "status", "agreed by", "request"], cells)


def _word(row: JournalRow, name: str) -> str:
    value = row.said.get(name)
    return value if isinstance(value, str) else ""


def _one_line(value: Json) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_one_line(item)}" for name, item in value.items())
    return ", ".join(map(_one_line, value)) if isinstance(value, list) else str(value)


def _colour(row: JournalRow) -> Colour:
    return _COLOURS.get(row.outcome, Colour.STRONG)
