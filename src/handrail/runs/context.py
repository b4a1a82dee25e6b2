"""What the body of a run sees of the engine in memory."""

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

import anyio
import anyio.lowlevel

from handrail.json_types import Json, JsonObject
from handrail.runs.engine import QuestionExpiredError
from handrail.runs.ledger import Entry

__all__ = ["EngineRunContext"]

_MESSAGE_CHARACTERS: Final = 500
_WRITE_SECONDS: Final = 1.0
"""How often a changed message alone reaches the disk."""


class EngineRunContext:
    """The `RunContext` of one run."""

    def __init__(self, entry: Entry, clock: Callable[[], datetime]) -> None:
        self._entry = entry
        self._clock = clock
        self._written_at = time.monotonic()

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self._entry.run.run_id

    @property
    def folder(self) -> Path | None:
        """Where the run's record is kept, or None where none is."""
        return self._entry.record.folder

    async def report(self, message: str) -> None:
        """See `RunContext`."""
        await self.check()
        self._entry.report(_one_line(message), self._clock())
        now = time.monotonic()
        if now - self._written_at >= _WRITE_SECONDS:
            self._written_at = now
            self._entry.record.write_run(self._entry.run)

    async def check(self) -> None:
        """See `RunContext`."""
        await anyio.lowlevel.checkpoint()
        if not self._entry.is_live:
            # The run was ended and the checkpoint let it pass: the body is shielded, or acts outside its own task.
            raise anyio.get_cancelled_exc_class()

    async def ask(self, message: str, schema: JsonObject, *, seconds: float) -> Json:
        """See `RunContext`."""
        await self.check()
        entry = self._entry
        key = entry.ask(_one_line(message), schema, self._clock())
        entry.record.write_run(entry.run)
        try:
            with anyio.fail_after(seconds):
                await entry.until(lambda: key in entry.answers)
            await self.check()  # it also returns when the run has ended meanwhile
        except TimeoutError:
            raise _expired(message, seconds) from None
        finally:
            entry.withdraw(key, self._clock())
        entry.record.write_run(entry.run)
        return entry.answers.pop(key)

    def record(self, name: str, document: Json) -> None:
        """See `RunContext`."""
        self._entry.record.record(name, document)

    def append(self, name: str, line: Json) -> None:
        """See `RunContext`."""
        self._entry.record.append(name, line)


def _one_line(message: str) -> str:
    return " ".join(message.split())[:_MESSAGE_CHARACTERS]


def _expired(message: str, seconds: float) -> QuestionExpiredError:
    return QuestionExpiredError(
        f"Nobody answered within {seconds:g} s.",
        next_step="Start the run again and answer its question with `answer_run`.",
        question=message,
        seconds=seconds,
    )
