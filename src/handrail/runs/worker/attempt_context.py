"""What the body of a run sees of the engine, in the run's own process."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

import anyio
import anyio.lowlevel

from handrail.json_types import Json, JsonObject
from handrail.runs.context import one_line, question_declined, question_expired
from handrail.runs.model import Run
from handrail.runs.record import LOG_FILE, DiskRecord
from handrail.runs.store import RunAttempt
from handrail.runs.worker.patience import patiently

__all__ = ["AttemptContext"]

_WRITE_SECONDS: Final = 1.0
"""How often a message reaches the store and the disk at most."""
_LOOK_SECONDS: Final = 0.1
"""How often it looks for an answer."""


class AttemptContext:
    """The `RunContext` of one attempt.

    Args:
        attempt: the attempt in the store.
        run: the run as it begins.
        record: where its documents go.
        environment: what was handed over of the caller's environment.
        saved: what earlier attempts saved.
    """

    def __init__(
        self,
        attempt: RunAttempt,
        run: Run,
        record: DiskRecord,
        *,
        environment: Mapping[str, str],
        saved: Mapping[str, Json],
    ) -> None:
        self._attempt = attempt
        self._run = run
        self._record = record
        self._message: str | None = None
        self._news = anyio.Event()
        self.end: Callable[[], None] = lambda: None
        self.environment = environment
        self.saved = saved
        record.write_run(run)

    @property
    def run_id(self) -> str:
        """See `RunContext`."""
        return self._run.run_id

    @property
    def folder(self) -> Path | None:
        """See `RunContext`."""
        return self._record.folder

    async def report(self, message: str) -> None:
        """See `RunContext`."""
        await self.check()
        self._message = one_line(message)
        self._news.set()

    async def tell(self) -> None:
        """Bring the newest message to the store and the record, for ever, once a second at most."""
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            await self.tell_last()
            await anyio.sleep(_WRITE_SECONDS)

    async def tell_last(self) -> None:
        """Bring the newest message to the store and the record, where it is not there yet."""
        message, self._message = self._message, None
        if message is not None:
            now = datetime.now(UTC)
            self._note(await patiently(partial(self._attempt.report, message, now)))
            self._record.append(LOG_FILE, {"at": now.isoformat(), "message": message})

    async def check(self) -> None:
        """See `RunContext`. Asks the store: what was ended there does nothing more here."""
        await anyio.lowlevel.checkpoint()
        if not await patiently(self._attempt.is_live):
            await self._over()

    async def save(self, name: str, document: Json) -> None:
        """See `RunContext`."""
        if not await patiently(partial(self._attempt.save, name, document)):
            await self._over()

    async def ask(self, message: str, schema: JsonObject, *, seconds: float) -> Json:
        """See `RunContext`."""
        await self.check()
        asked = await patiently(partial(self._attempt.ask, one_line(message), schema, datetime.now(UTC)))
        if asked is None:
            await self._over()
        key, run = asked
        self._note(run)
        answer: Json = None
        try:
            with anyio.fail_after(seconds):
                answer = await self._answer(key)
        except TimeoutError:
            raise question_expired(message, seconds) from None
        finally:
            with anyio.CancelScope(shield=True):
                self._note(await patiently(partial(self._attempt.withdraw, key, datetime.now(UTC))))
        if not isinstance(answer, dict) or "value" not in answer:
            raise question_declined(message)
        return answer["value"]

    def record(self, name: str, document: Json) -> None:
        """See `RunContext`."""
        self._record.record(name, document)

    def append(self, name: str, line: Json) -> None:
        """See `RunContext`."""
        self._record.append(name, line)

    async def _answer(self, key: str) -> Json:
        while True:
            answers = await patiently(self._attempt.answers)
            if answers is None:
                await self._over()
            if key in answers:
                return answers[key]
            await anyio.sleep(_LOOK_SECONDS)

    async def _over(self) -> NoReturn:
        """End the body: the run is no longer this attempt's. It need not wait for who looks every tenth of a second."""
        self.end()
        await anyio.lowlevel.checkpoint()
        raise anyio.get_cancelled_exc_class()  # the body is shielded, and is still not to go on

    def _note(self, run: Run | None) -> None:
        """Let the record say where the run stands."""
        if run is not None:
            self._run = run
            self._record.write_run(run)
