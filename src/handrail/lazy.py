"""A value that is made at its first use, in a worker thread, once."""

from collections.abc import Callable
from typing import Generic, TypeVar

import anyio
import anyio.to_thread

__all__ = ["Lazy"]

T = TypeVar("T")


class Lazy(Generic[T]):
    """Makes a value when somebody first asks, without blocking the event loop; all who ask get the same one.

    Args:
        make: makes the value. When it raises, or who asked is cancelled, the next one who asks makes it anew.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: list[T] = []
        self._lock = anyio.Lock()

    async def get(self) -> T:
        """The value."""
        if not self._made:
            async with self._lock:
                if not self._made:
                    self._made.append(await anyio.to_thread.run_sync(self._make, abandon_on_cancel=True))
        return self._made[0]
