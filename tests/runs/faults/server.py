"""`python -m tests.runs.faults.server HOME FOLDER POINT`: starts a run with a key, and kills itself at a point."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import anyio

from handrail.runs import DurableEngine, RunPlace
from handrail.runs.store import open_store
from handrail.runs.store.opening import TABLES
from handrail.storage.database import Sql
from handrail.storage.sqlite import SqliteDatabase, open_sqlite
from tests.runs.worker.homes import Home

__all__ = ["KEY", "Point", "main"]

KEY = "the key"


class Point(StrEnum):
    """When it dies."""

    BEFORE_COMMIT = "before the commit"
    AFTER_COMMIT = "after the commit"
    BEFORE_REPLY = "before the reply"
    NEVER = "never"


class _Deadly:
    """A store in which the process that writes dies at a point."""

    def __init__(self, database: SqliteDatabase, point: Point) -> None:
        self._database = database
        self._point = point
        self.dialect = database.dialect
        self.read = database.read
        self.changes = database.changes
        self.close = database.close

    @contextmanager
    def write(self) -> Iterator[Sql]:
        """A transaction, and the end."""
        with self._database.write() as sql:
            yield sql
            _die(self._point is Point.BEFORE_COMMIT)
        _die(self._point is Point.AFTER_COMMIT)


def _die(really: bool) -> None:  # noqa: FBT001  (whether this is the point)
    if really:
        os.kill(os.getpid(), signal.SIGKILL)


def main(home: str, folder: str, point: str) -> int:
    """Start a run and print its id, unless it dies."""
    place = RunPlace(Path(home))
    mine = Home(place, Path(folder))

    async def serve() -> str:
        open_store(place.home).close()
        async with DurableEngine(
            lambda: _Deadly(open_sqlite(place.home / "runs.db", TABLES), Point(point)), mine.link
        ) as engine:
            run = await engine.start(mine.request(["act", "one"], run_key=KEY))
            _die(Point(point) is Point.BEFORE_REPLY)
            return run.run_id

    sys.stdout.write(anyio.run(serve))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
