"""How long a run may take, and how long its task is said to be kept. Pure."""

from datetime import timedelta
from typing import Final

from handrail.runs.ledger import KEPT_FOR
from handrail.runs.model import Run

__all__ = ["LONGEST_TTL_MS", "RUN_TIME_LIMIT", "SHORTEST_TTL_MS", "granted_ttl_ms", "ttl_ms"]

RUN_TIME_LIMIT: Final = timedelta(hours=6)
"""How long a run may take."""

_MS: Final = timedelta(milliseconds=1)
SHORTEST_TTL_MS: Final = timedelta(hours=1) // _MS
LONGEST_TTL_MS: Final = (RUN_TIME_LIMIT + KEPT_FOR) // _MS
"""A run is kept `KEPT_FOR` from its end, and a task's time counts from its creation."""


def granted_ttl_ms(asked: int | None) -> int | None:
    """What a client gets that asks for a time, in milliseconds: an hour at least. None: it does not ask.

    Held below what is true of every run. A run is never dropped sooner than its task says, and a live one never.
    """
    return None if asked is None else min(max(asked, SHORTEST_TTL_MS), LONGEST_TTL_MS)


def ttl_ms(run: Run) -> int | None:
    """How long a run's task is kept, in milliseconds from its creation; None: for ever."""
    if run.kept:
        return None
    return LONGEST_TTL_MS if run.ttl_ms is None else run.ttl_ms
