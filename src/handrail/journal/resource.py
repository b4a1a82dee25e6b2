"""The journal as a resource: the caller's own newest rows."""

import json
from typing import Final

from handrail.journal.journal import Journal
from handrail.json_types import Json

__all__ = ["JOURNAL_URI", "journal_text"]

JOURNAL_URI: Final = "handrail://journal"
_ROWS: Final = 50


async def journal_text(journal: Journal, owner: str, *, rows: int = _ROWS) -> str:
    """The newest rows of an owner as one JSON document: `{rows: [...], more}`, the newest first.

    Args:
        journal: the journal.
        owner: whose; the rows of others are not shown.
        rows: how many at most.

    Raises:
        JournalError: the journal cannot be read.
    """
    page = await journal.list(limit=rows, owner=owner)
    shown: list[Json] = [row.as_json() for row in page.rows]
    return json.dumps({"rows": shown, "more": page.next_cursor is not None}, ensure_ascii=False)
