"""Starts the processes of `actors`."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["Actor", "actor", "output_of"]

_ROOT: Final = Path(__file__).parents[3]
_SECONDS: Final = 60.0


class Actor:
    """One process, to be talked to in lines."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def hears(self) -> str:
        """Its next line; empty where it has ended."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")

    def tell(self) -> None:
        """Let it go on."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def kill(self) -> list[str]:
        """End it without a word; what it had said and nobody had read."""
        self._process.kill()
        assert self._process.stdout is not None
        return self._process.stdout.read().splitlines()

    def says_all(self) -> list[str]:
        """Everything up to its end, which is a good one."""
        said, wrong = self._process.communicate(timeout=_SECONDS)
        assert self._process.returncode == 0, wrong
        return said.splitlines()


@contextmanager
def actor(name: str, home: Path, url: str = "") -> Iterator[Actor]:
    """A process that acts on the store; gone afterwards."""
    words = [sys.executable, "-m", "tests.runs.store.actors", name, str(home), url]
    with subprocess.Popen(
        words, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Actor(process)
        finally:
            process.kill()


def output_of(program: str) -> str:
    """What a small program says in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=_ROOT, capture_output=True, text=True, timeout=_SECONDS, check=True
    )
    return done.stdout
