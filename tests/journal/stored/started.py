"""Starts the processes of `actors`."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.journal.places import Place
from tests.runs.store.processes import Actor

__all__ = ["actor"]

_ROOT: Final = Path(__file__).parents[3]


@contextmanager
def actor(name: str, place: Place) -> Iterator[Actor]:
    """A process that uses the journal; gone afterwards."""
    words = [sys.executable, "-m", "tests.journal.stored.actors", name, str(place.home), place.url]
    with subprocess.Popen(
        words, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Actor(process)
        finally:
            process.kill()
