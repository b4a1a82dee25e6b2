"""The real command with some of its streams on a terminal, which shows where it stands."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

__all__ = ["AtTerminal", "Stream", "at_terminal"]

_BOUND_S = 60


class Stream(Enum):
    """A stream of a command."""

    INPUT = auto()
    OUTPUT = auto()
    ERROR = auto()


@dataclass(slots=True)
class AtTerminal:
    """A command that runs, and what its terminal has shown so far."""

    process: subprocess.Popen[bytes]
    screen: int
    shown: bytes = b""

    def until(self, words: bytes) -> None:
        """Read until the terminal shows the words."""
        deadline = time.monotonic() + _BOUND_S
        while words not in self.shown:
            ready, _, _ = select.select([self.screen], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"{words!r} did not come; shown: {self.shown!r}"
            self.shown += os.read(self.screen, 65_536)

    def type(self, text: str) -> None:
        """What a person types."""
        os.write(self.screen, text.encode())

    def rest(self) -> bytes:
        """What is shown after what has been read, to the end of the command."""
        rest = b""
        self.process.wait(_BOUND_S)
        while select.select([self.screen], [], [], 0)[0]:
            try:
                rest += os.read(self.screen, 65_536)
            except OSError:  # how Linux says that the other side is closed
                break
        return rest


@contextmanager
def at_terminal(
    *arguments: str, home: Path, streams: Collection[Stream] = (Stream.ERROR,), **environment: str
) -> Iterator[AtTerminal]:
    """Start the command; it is gone when the context ends.

    Args:
        arguments: of `handrail`.
        home: the home folder.
        streams: those that are on the terminal; the others lead nowhere.
        environment: beside that of the tests.
    """
    screen, error_stream = pty.openpty()
    places = {stream: error_stream if stream in streams else subprocess.DEVNULL for stream in Stream}
    process = subprocess.Popen(
        [sys.executable, "-m", "handrail", *arguments],
        env={**os.environ, "HANDRAIL_HOME": str(home), "TERM": "xterm", **environment},
        stdin=places[Stream.INPUT],
        stdout=places[Stream.OUTPUT],
        stderr=places[Stream.ERROR],
    )
    try:
        yield AtTerminal(process, screen)
    finally:
        process.kill()
        process.wait(_BOUND_S)
        os.close(error_stream)
        os.close(screen)
