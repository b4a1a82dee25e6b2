"""What the journal holds: what was asked for, who agreed to it, and what became of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from handrail.errors import NotFoundError, UnavailableError, UsageError
from handrail.json_types import JsonMapping, JsonObject

__all__ = [
    "LISTED",
    "Bounds",
    "CallOutcome",
    "Entry",
    "JournalCursorError",
    "JournalError",
    "JournalIdError",
    "JournalPage",
    "JournalRow",
]

LISTED: Final = 1000
"""The most rows of one page."""


class JournalError(UnavailableError):
    """The journal cannot be used. `data` holds `problem` and `where`, as the store's own error says them."""

    type = "journal_unusable"


class JournalIdError(NotFoundError):
    """There is no such row, or more than one id begins so. `data` holds `journal_id`, and `found` where there are."""

    type = "journal_id_unknown"


class JournalCursorError(UsageError):
    """A cursor is none of the journal's. `data["cursor"]` holds it."""

    type = "cursor_invalid"


class CallOutcome(StrEnum):
    """What became of a call."""

    OPEN = "open"  # it is at work, as far as can be seen
    DONE = "done"
    NEEDS_APPROVAL = "needs_approval"
    REFUSED = "refused"  # nothing was sent
    FAILED = "failed"  # it had no effect, as far as Appwrite says
    UNKNOWN = "unknown"  # it may have been sent, and nobody knows what became of it


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of the journal stays in the database: over one of these, the older half goes into an archive.

    Attributes:
        rows: how many.
        characters: of what was said.
    """

    rows: int = 200_000
    characters: int = 64 * 1024 * 1024

    def hold(self, rows: int, characters: int) -> bool:
        """Whether so much may stay."""
        return rows <= self.rows and characters <= self.characters


@dataclass(frozen=True, slots=True)
class Entry:
    """One call, as it is about to be made.

    The texts and the arguments may be as they came: what is secret is masked before anything is written.

    Attributes:
        owner: who calls.
        client: the program that calls, with its version.
        surface: where the call came in: `appwrite_call_tool`, `direct`, `cli`, ...
        tool: the method's tool name, as asked for.
        project: where it goes.
        arguments: by their names.
        hints: what the call may do.
        risks: by name.
        rule: why it has these hints.
        level: who agreed: none, model, client, person.
        by: by what, such as `person: handrail approve 019a...`.
        request_line: method and path, such as `PUT /v1/users/42/name`.
        secret: names of arguments that are secret, whatever they are called.
        plain: names of arguments that are not, although they sound so.
    """

    owner: str
    client: str
    surface: str
    tool: str
    project: str
    arguments: JsonMapping
    hints: Mapping[str, bool] = field(default_factory=dict)
    risks: Collection[str] = ()
    rule: str = ""
    level: str = ""
    by: str = ""
    request_line: str = ""
    secret: Collection[str] = ()
    plain: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One call of the journal.

    Attributes:
        journal_id: its id; ids sort by time.
        began_at: when it was written down, in UTC.
        owner: who called.
        said: the rest of what was said then, as `Entry` names it.
        outcome: what became of it.
        ended_at: when that was known; None where it is not.
        status: the HTTP status of the answer, where there was one.
        digest: of the answer, likewise.
    """

    journal_id: str
    began_at: datetime
    owner: str
    said: JsonObject
    outcome: CallOutcome
    ended_at: datetime | None = None
    status: int | None = None
    digest: str | None = None

    def as_json(self) -> JsonObject:
        """The row as every face shows it. Times are ISO 8601 in UTC."""
        return {
            "id": self.journal_id,
            "at": self.began_at.isoformat(),
            "owner": self.owner,
            **self.said,
            "outcome": self.outcome.value,
            "ended_at": None if self.ended_at is None else self.ended_at.isoformat(),
            "status": self.status,
            "digest": self.digest,
        }


@dataclass(frozen=True, slots=True)
class JournalPage:
    """Rows, the newest first, and where the next older ones begin (None: there are none)."""

    rows: tuple[JournalRow, ...]
    next_cursor: str | None
