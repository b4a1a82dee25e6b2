"""The journal: what was asked for, who agreed to it, and what became of it; written before anything is sent.

What needs a database is loaded with the first call.
"""

from handrail.journal.journal import LONGEST, Journal
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
from handrail.journal.opening import open_journal
from handrail.journal.resource import JOURNAL_URI, journal_text

__all__ = [
    "JOURNAL_URI",
    "LISTED",
    "LONGEST",
    "Bounds",
    "CallOutcome",
    "Entry",
    "Journal",
    "JournalCursorError",
    "JournalError",
    "JournalIdError",
    "JournalPage",
    "JournalRow",
    "journal_text",
    "open_journal",
]
