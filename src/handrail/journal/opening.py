"""Where the journal of a home is: in a file of it, or in the database that its runs are in."""

from collections.abc import Callable, Collection
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from handrail.journal.journal import LONGEST, Journal

if TYPE_CHECKING:
    from handrail.storage.database import Database

__all__ = ["JOURNAL_FILE", "open_database", "open_journal"]

JOURNAL_FILE: Final = "journal.db"


def open_journal(
    home: Callable[[], Path],
    url: str = "",
    *,
    secrets: Collection[str] = (),
    reads: bool = False,
    longest: timedelta = LONGEST,
) -> Journal:
    """The journal of a home folder, to be entered. Nothing is opened before its first call.

    In a file it is bounded, and its older half goes into archives in the home folder. In a database of several
    machines everything stays where all of them see it.

    Args:
        home: gives the home folder; called in a thread.
        url: of a PostgreSQL database; empty: a file in the home folder.
        secrets: values that must appear nowhere, such as API keys.
        reads: whether reads are kept too.
        longest: how long a call may take: one without an end after this reads `unknown`.
    """
    return Journal(
        lambda: open_database(home(), url),
        archives=None if url else home,
        secrets=secrets,
        reads=reads,
        longest=longest,
    )


def open_database(home: Path, url: str = "") -> "Database":
    """The database of the journal, made ready. Blocks the thread.

    Raises:
        StoreError: it cannot be used.
    """
    from handrail.journal.schema import SCHEMA, statements  # noqa: PLC0415  (not needed to start a server)
    from handrail.storage import Tables  # noqa: PLC0415  (likewise)
    from handrail.storage import open_database as open_tables  # noqa: PLC0415  (likewise)

    return open_tables(home / JOURNAL_FILE, Tables("journal", SCHEMA, statements), url)
