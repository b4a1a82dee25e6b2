"""A value that is made at its first use, in a worker thread, once."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import anyio
import anyio.to_thread

__all__ = ["Lazy"]

T = TypeVar("T")
U = TypeVar("U")


class Lazy(Generic[T]):
    """Makes a value when somebody first asks; all who ask get the same one.

    When making it raises, or who asked is cancelled, the next one who asks makes it anew. Made by `of` and `then`.
    """

    def __init__(self, make: Callable[[], Awaitable[T]]) -> None:
        self._make = make
        self._made: list[T] = []
        self._lock = anyio.Lock()

    @classmethod
    def of(cls, make: Callable[[], T]) -> "Lazy[T]":
        """A value that is made in a worker thread, without blocking the event loop."""

        async def in_thread() -> T:
            return await anyio.to_thread.run_sync(make, abandon_on_cancel=True)

        return cls(in_thread)

    def then(self, make: Callable[[T], U]) -> "Lazy[U]":
        """A value that is made of this one, likewise."""

        async def in_thread() -> U:
            first = await self.get()
            return await anyio.to_thread.run_sync(make, first, abandon_on_cancel=True)

        return Lazy(in_thread)

    async def get(self) -> T:
        """The value."""
        if not self._made:
            async with self._lock:
                if not self._made:
                    self._made.append(await self._make())
        return self._made[0]
