"""Calls of the store by a process that cannot do without it: in a thread, and again where it may work soon."""

from collections.abc import Callable
from typing import Final, TypeVar

import anyio
import anyio.to_thread

from handrail.runs.store import StoreError

__all__ = ["PATIENCE_SECONDS", "patiently"]

T = TypeVar("T")

_BETWEEN_SECONDS: Final = 0.5
PATIENCE_SECONDS: Final = 30.0
"""How long a call is tried again, where nothing else is said."""


async def patiently(call: Callable[[], T], *, seconds: float = PATIENCE_SECONDS) -> T:
    """What a call of the store gives; it is not broken off by a cancel.

    Args:
        call: the call, which blocks.
        seconds: for how long to try again while the store is busy, full or away.

    Raises:
        StoreError: it still is, or cannot be used at all.
    """
    until = anyio.current_time() + seconds
    while True:
        try:
            return await anyio.to_thread.run_sync(call)
        except StoreError as error:
            if not error.problem.may_pass or anyio.current_time() > until:
                raise
        await anyio.sleep(_BETWEEN_SECONDS)
