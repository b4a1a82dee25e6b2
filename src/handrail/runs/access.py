"""The store of runs for an event loop: opened with its first use, one call after the other, never blocking."""

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from handrail.runs.store import Database, StoredLedger

__all__ = ["LedgerAccess"]

T = TypeVar("T")


class LedgerAccess:
    """Calls of a `StoredLedger`.

    Args:
        open_database: opens the store. A store that could not be opened is tried again at the next call.
        age: how long an ended run is kept.
    """

    def __init__(self, open_database: "Callable[[], Database]", *, age: timedelta) -> None:
        self._open_database = open_database
        self._age = age
        self._opened: StoredLedger | None = None
        self._one_at_a_time = anyio.CapacityLimiter(1)

    async def __call__(self, call: "Callable[[StoredLedger], T]") -> T:
        """What a call gives.

        Raises:
            StoreError: the store cannot be used.
            HandrailError: what the call itself raises.
        """
        # A thread: the disk, or another process, may keep it waiting.
        return await anyio.to_thread.run_sync(self._do, call, limiter=self._one_at_a_time)

    def close(self) -> None:
        """Let go of the store."""
        if self._opened is not None:
            self._opened.database.close()

    def _do(self, call: "Callable[[StoredLedger], T]") -> T:
        if self._opened is None:
            from handrail.runs.store import StoredLedger  # noqa: PLC0415  (not needed to start a server)

            self._opened = StoredLedger(self._open_database(), age=self._age)
        return call(self._opened)
