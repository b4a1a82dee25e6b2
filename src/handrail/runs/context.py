"""What the body of a run sees of the engine in memory."""

import math
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

import anyio
import anyio.lowlevel

from handrail.json_types import Json, JsonObject
from handrail.runs.engine import QuestionDeclinedError, QuestionExpiredError
from handrail.runs.ledger import Entry
from handrail.runs.record import LOG_FILE

__all__ = ["EngineRunContext", "one_line", "question_declined", "question_expired"]

_MESSAGE_CHARACTERS: Final = 500
_WRITE_SECONDS: Final = 1.0
"""How often a changed message alone reaches the disk."""


class EngineRunContext:
    """The `RunContext` of one run."""

    def __init__(self, entry: Entry, clock: Callable[[], datetime]) -> None:
        self._entry = entry
        self._clock = clock
        self._written_at = time.monotonic()
        self._logged_at = -math.inf

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self._entry.run.run_id

    @property
    def folder(self) -> Path | None:
        """Where the run's record is kept, or None where none is."""
        return self._entry.record.folder

    @property
    def environment(self) -> Mapping[str, str]:
        """See `RunContext`."""
        return self._entry.request.environment

    @property
    def saved(self) -> Mapping[str, Json]:
        """See `RunContext`. Runs in memory have one attempt."""
        return {}

    async def save(self, name: str, document: Json) -> None:
        """See `RunContext`. Nothing is kept: there is no other attempt."""

    async def report(self, message: str) -> None:
        """See `RunContext`."""
        await self.check()
        said, moment, now = one_line(message), self._clock(), time.monotonic()
        self._entry.report(said, moment)
        if now - self._logged_at >= _WRITE_SECONDS:
            self._logged_at = now
            self._entry.record.append(LOG_FILE, {"at": moment.isoformat(), "message": said})
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
        key = entry.ask(one_line(message), schema, self._clock())
        entry.record.write_run(entry.run)
        try:
            with anyio.fail_after(seconds):
                await entry.until(lambda: key in entry.answers or key in entry.declined)
            await self.check()  # it also returns when the run has ended meanwhile
        except TimeoutError:
            raise question_expired(message, seconds) from None
        finally:
            entry.withdraw(key, self._clock())
        entry.record.write_run(entry.run)
        if key in entry.declined:
            raise question_declined(message)
        return entry.answers.pop(key)

    def record(self, name: str, document: Json) -> None:
        """See `RunContext`."""
        self._entry.record.record(name, document)

    def append(self, name: str, line: Json) -> None:
        """See `RunContext`."""
        self._entry.record.append(name, line)


def one_line(message: str) -> str:
    """A message as it is kept and shown: one line of bounded length."""
    return " ".join(message.replace("\0", " ").split())[:_MESSAGE_CHARACTERS]


def question_declined(message: str) -> QuestionDeclinedError:
    """What a body gets whose question was declined."""
    return QuestionDeclinedError(
        "The question was declined.", next_step="Start the run again to be asked again.", question=message
    )


def question_expired(message: str, seconds: float) -> QuestionExpiredError:
    """What a body gets whose question nobody answered in time."""
    return QuestionExpiredError(
        f"Nobody answered within {seconds:g} s.",
        next_step="Start the run again and answer its question with `answer_run`.",
        question=message,
        seconds=seconds,
    )
