"""Lines that wait to be written: in order, and no more of them than memory should hold."""

from collections import deque
from collections.abc import AsyncGenerator

import anyio

__all__ = ["Outbox"]


class Outbox:
    """What is to be written, for a client that may read slower than we answer, or not at all.

    Whoever has something to write waits while it is full. One line more than fits is taken, so that a line of any size
    finds its way.

    Args:
        max_bytes: how much may wait before the next line has to.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._lines: deque[bytes] = deque()
        self._bytes = 0
        self._closed = False
        self._changed = anyio.Event()

    async def put(self, line: bytes) -> None:
        """Add a line once there is room; it is dropped where nothing is written any more."""
        await self.room()
        if not self._closed:
            self._lines.append(line)
            self._bytes += len(line)
            self._tell()

    async def room(self) -> None:
        """Wait until there is room for another line."""
        while self._bytes >= self._max:
            await self._changed.wait()

    async def empty(self) -> None:
        """Wait until everything has been written."""
        while self._lines:
            await self._changed.wait()

    async def lines(self) -> AsyncGenerator[bytes]:
        """The lines in order, up to the end. Each counts as waiting until the next one is asked for."""
        while True:
            while not self._lines:
                if self._closed:
                    return
                await self._changed.wait()
            yield self._lines[0]
            if self._lines:
                self._bytes -= len(self._lines.popleft())
                self._tell()

    def close(self) -> None:
        """Nothing will be added: `lines` ends after what is there."""
        self._closed = True
        self._tell()

    def discard(self) -> None:
        """Nobody reads any more: drop what waits and what comes, so that nobody has to wait for that."""
        self._closed = True
        self._lines.clear()
        self._bytes = 0
        self._tell()

    def _tell(self) -> None:
        changed, self._changed = self._changed, anyio.Event()
        changed.set()
