"""Rows of the journal as the database and the archives hold them."""

import json
import platform
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Self

from handrail.journal.model import CallOutcome, JournalRow
from handrail.json_types import JsonObject
from handrail.storage.database import Row
from handrail.storage.process import ProcessMark, is_alive, this_process

__all__ = ["COLUMNS", "JOINED", "Origin", "Placed", "marks", "new_journal_id", "placed_of", "said_text"]

_RANDOM_BYTES: Final = 16

COLUMNS: Final = (
    "c.seq, c.journal_id, c.owner, c.began_at, c.origin, c.said, "
    "coalesce(e.outcome, s.outcome), coalesce(e.ended_at, s.ended_at), e.status, e.digest"
)
JOINED: Final = (
    "journal_calls c LEFT JOIN journal_ends e ON e.journal_id = c.journal_id AND e.settled = 0 "
    "LEFT JOIN journal_ends s ON s.journal_id = c.journal_id AND s.settled = 1"
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Who wrote a row: a process of a machine."""

    machine: str
    process: ProcessMark

    @classmethod
    def here(cls) -> Self:
        """This process."""
        return cls(platform.node().replace(" ", "_") or "-", this_process())

    def as_text(self) -> str:
        """The origin in one line."""
        return f"{self.machine} {self.process.as_text()}"

    @classmethod
    def of_text(cls, text: str) -> Self:
        """The origin that `as_text` wrote."""
        machine, _, process = text.partition(" ")
        return cls(machine, ProcessMark.of_text(process))

    def may_be_at_work(self, here: "Origin") -> bool:
        """Whether this process may still live; of another machine's nobody here can tell that it does not."""
        return self.machine != here.machine or is_alive(self.process)


@dataclass(frozen=True, slots=True)
class Placed:
    """A row, its place in the order of all, and how many characters it takes."""

    seq: int
    row: JournalRow
    size: int

    @property
    def is_unended(self) -> bool:
        """Whether its call is not at work any more, and nobody said what became of it."""
        return self.row.outcome is CallOutcome.UNKNOWN and self.row.ended_at is None


def new_journal_id(now: datetime) -> str:
    """A new id: 44 hexadecimal digits, 12 of the time in milliseconds (so ids sort), then 128 random bits."""
    return f"{int(now.timestamp() * 1000):012x}{secrets.token_hex(_RANDOM_BYTES)}"


def said_text(said: JsonObject) -> str:
    """What is kept of an entry, as the database holds it."""
    return json.dumps(said, ensure_ascii=False, allow_nan=False)


def placed_of(row: Row, now: datetime, longest: timedelta, may_work: Callable[[Origin], bool]) -> Placed:
    """The row of a select of `COLUMNS`.

    Args:
        row: as the database gave it.
        now: the present.
        longest: how long a call may take; what has no end by then is not waited for.
        may_work: whether a process may still be at work.
    """
    seq, journal_id, owner, began, origin, said, outcome, ended, status, digest = row
    began_at = _moment(began)
    if outcome is None:
        at_work = now - began_at < longest and may_work(Origin.of_text(str(origin)))
        became = CallOutcome.OPEN if at_work else CallOutcome.UNKNOWN
    else:
        became = CallOutcome(str(outcome))
    return Placed(
        int(seq or 0),
        JournalRow(
            journal_id=str(journal_id),
            began_at=began_at,
            owner=str(owner),
            said=_object(str(said)),
            outcome=became,
            ended_at=None if ended is None else _moment(ended),
            status=None if status is None else int(status),
            digest=None if digest is None else str(digest),
        ),
        len(str(said)),
    )


def marks(values: Sequence[object]) -> str:
    """As many parameters."""
    return ", ".join("?" * len(values))


def _moment(value: str | float | None) -> datetime:
    return datetime.fromtimestamp(float(value or 0), UTC)


def _object(text: str) -> JsonObject:
    found = json.loads(text)
    return found if isinstance(found, dict) else {}
