"""What can be said to the journal: that a call begins, and what became of it."""

from dataclasses import dataclass
from typing import TypeAlias

from handrail.journal.model import CallOutcome, Entry

__all__ = ["Begin", "End", "Finish", "Said", "Saying"]


@dataclass(frozen=True, slots=True)
class End:
    """What became of a call."""

    outcome: CallOutcome
    status: int | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Begin:
    """A call, to be written down; with its end, where that is known at once."""

    entry: Entry
    end: End | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a call that was written down."""

    journal_id: str
    end: End


Saying: TypeAlias = Begin | Finish


@dataclass(frozen=True, slots=True)
class Said:
    """What was written: whose row, and whether it was the first to say so."""

    journal_id: str
    is_first: bool = True
