"""A connection to PostgreSQL that waits for no answer for ever."""

import time
from typing import Final, TypeVar

import psycopg
from psycopg.abc import PQGen

from handrail.storage.database import Row

__all__ = ["BoundedConnection"]

RV = TypeVar("RV")

_LOOK_SECONDS: Final = 0.1


class BoundedConnection(psycopg.Connection[Row]):
    """Closed once its server has not answered for `answer_seconds`.

    The server bounds its statements itself; this is for one that has stopped, or a proxy that has lost its server.
    """

    answer_seconds: float = 20.0

    def wait(self, gen: PQGen[RV], interval: float = _LOOK_SECONDS, timeout: float | None = None) -> RV:
        """See `psycopg.Connection`."""
        return super().wait(self._within(gen, timeout or self.answer_seconds), interval)

    def _within(self, gen: PQGen[RV], seconds: float) -> PQGen[RV]:
        until = time.monotonic() + seconds
        try:
            ready = yield next(gen)
            while True:
                if time.monotonic() > until:
                    self.close()
                    raise psycopg.OperationalError("no answer")
                ready = yield gen.send(ready)
        except StopIteration as end:
            value: RV = end.value
            return value
