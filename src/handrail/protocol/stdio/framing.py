"""Bytes into lines, with bounded memory. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["LineSplitter", "LongLine"]

_HEAD: Final = 4_096  # bytes of a long line that are kept from its beginning ...
_TAIL: Final = 512  # ... and from its end: its id stands in one of them


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line that was too long to keep: how it began and how it ended."""

    head: bytes
    tail: bytes


class LineSplitter:
    """Splits a stream of bytes at line feeds, and never keeps more than one line of the largest size.

    Args:
        max_bytes: the longest line that is kept, without its line feed.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._line = bytearray()
        self._head: bytes | None = None  # of the long line that is passing by

    def feed(self, chunk: bytes) -> Iterator[bytes | LongLine]:
        """The lines that end in this chunk, without their line feeds."""
        begin = 0
        while (end := chunk.find(b"\n", begin)) >= 0:
            self._add(chunk[begin:end])
            yield self._take()
            begin = end + 1
        self._add(chunk[begin:])

    def finish(self) -> Iterator[bytes | LongLine]:
        """What came after the last line feed, when the stream has ended."""
        if self._line or self._head is not None:
            yield self._take()

    def _add(self, part: bytes) -> None:
        self._line += part
        if self._head is None and len(self._line) > self._max:
            self._head = bytes(self._line[:_HEAD])
        if self._head is not None:
            del self._line[:-_TAIL]

    def _take(self) -> bytes | LongLine:
        line, head = bytes(self._line), self._head
        self._line.clear()
        self._head = None
        return line if head is None else LongLine(head, line)
