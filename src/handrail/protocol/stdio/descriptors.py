"""The wire: private copies of standard input and output, and nobody else's byte on it, ever again in this process."""

import contextlib
import fcntl
import os
import select
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Self, TextIO

import anyio
import anyio.lowlevel

__all__ = ["Wire"]

_CHUNK: Final = 64 * 1024
_FIRST_FREE: Final = 3  # the first descriptor that is none of the standard three


@dataclass(frozen=True, slots=True)
class Wire:
    """The two descriptors that messages travel on. Nothing here starts a thread or blocks the event loop.

    Attributes:
        incoming: where messages come from.
        outgoing: where they go to.
        parent: the process that started this one, as it was at the claim: it may die while the server loads.
    """

    incoming: int
    outgoing: int
    parent: int

    @classmethod
    def claim(cls) -> Self:
        """Take standard input and output for this process's whole life.

        What anybody else reads from standard input is its end; what anybody else prints, also what a library has
        printed already and not flushed, goes to standard error. Nothing is given back, for what is left in a buffer
        would surface on the wire when the process ends.

        Call it first of all, before an event loop begins (whose own descriptors would take the numbers of streams that
        are closed) and before anything is loaded that might print.
        """
        parent = os.getppid()
        _plug_closed_streams()
        wire = cls(_private_copy(0), _private_copy(1), parent)
        _replace_input()
        _replace_output()
        return wire

    async def read(self) -> bytes:
        """The next bytes that are there; empty at the end of the stream."""
        await _ready(anyio.wait_readable, self.incoming)
        try:
            return os.read(self.incoming, _CHUNK)
        except OSError:
            return b""  # a terminal that hung up, a socket that was reset: the end, said otherwise

    async def write(self, line: bytes) -> None:
        """Write all bytes.

        Raises:
            BrokenPipeError: nobody reads any more.
            OSError: the bytes cannot be written.
        """
        rest = memoryview(line)
        while rest:
            await _ready(anyio.wait_writable, self.outgoing)
            # A pipe that is ready takes this many bytes without blocking, and promises no more.
            rest = rest[os.write(self.outgoing, rest[: select.PIPE_BUF]) :]


def _plug_closed_streams() -> None:
    """Put nothing in the place of each standard stream that the process was started without."""
    for descriptor, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, flags)  # takes the lowest free number, which is this one


def _private_copy(descriptor: int) -> int:
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)


def _replace_input() -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def _replace_output() -> None:
    os.dup2(2, 1)
    printed: TextIO | None = sys.stdout  # none in a process that was started without one
    if printed is not None:
        with contextlib.suppress(OSError, ValueError):
            printed.flush()
    sys.stdout = sys.stderr


async def _ready(wait: Callable[[int], Awaitable[None]], descriptor: int) -> None:
    try:
        await wait(descriptor)
    except OSError:
        await anyio.lowlevel.checkpoint()  # a file or a null device is always ready, and cannot be waited for
