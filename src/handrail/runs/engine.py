"""What every run engine does. The engine in memory and a durable one look the same from here."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from handrail.errors import BusyError, NotFoundError, RefusedError, UnavailableError
from handrail.json_types import Json, JsonObject
from handrail.runs.model import Run, RunPage, StartRequest

__all__ = [
    "EngineClosedError",
    "QuestionDeclinedError",
    "QuestionExpiredError",
    "QueueFullError",
    "RunBody",
    "RunContext",
    "RunEngine",
    "RunKeyReusedError",
    "RunNotFoundError",
    "queue_full",
]


class RunNotFoundError(NotFoundError):
    """No such run, or one of another owner: the two look the same. `data["run_id"]` names it."""

    type = "run_not_found"


class RunKeyReusedError(RefusedError):
    """The `run_key` belongs to a run with other arguments. `data["run_id"]` names that run."""

    type = "run_key_reused"


class QueueFullError(BusyError):
    """No room for another run. `data` holds `limit`, `position` (that it would have had) and `running` (ids)."""

    type = "queue_full"


def queue_full(*, limit: int, waiting: int, running: Sequence[str]) -> QueueFullError:
    """What a start gets that finds no room.

    Args:
        limit: how many runs may wait or work.
        waiting: how many wait.
        running: the ids of those that work.
    """
    named: list[Json] = [*running]
    return QueueFullError(
        f"No more than {limit} runs may wait or work at once: {len(running)} work and {waiting} wait already.",
        next_step="Try again when one has ended, or cancel one: `list_runs` shows them.",
        limit=limit,
        position=waiting + 1,
        running=named,
    )


class EngineClosedError(UnavailableError):
    """The engine has not been entered yet, or is shutting down."""

    type = "engine_closed"


class QuestionExpiredError(UnavailableError):
    """Nobody answered a run's question in time. `data` holds `question` and `seconds`."""

    type = "question_expired"


class QuestionDeclinedError(RefusedError):
    """Whoever was asked does not want to answer. `data["question"]` holds the question."""

    type = "question_declined"


class RunContext(Protocol):
    """What the body of a run sees of the engine."""

    @property
    def run_id(self) -> str:
        """The run's id."""

    @property
    def folder(self) -> Path | None:
        """Where the run's record is kept, or None where none is."""

    @property
    def environment(self) -> Mapping[str, str]:
        """What was handed over of the environment of whoever started the run, by the names its agent asked for."""

    @property
    def saved(self) -> Mapping[str, Json]:
        """What earlier attempts of this run saved before a crash, by name; empty at the first attempt."""

    async def save(self, name: str, document: Json) -> None:
        """Keep a finished part of the work, so that another attempt finds it in `saved`. On disk when it returns."""

    async def report(self, message: str) -> None:
        """Say where the run stands; the last message wins. Also a checkpoint: see `check`."""

    async def check(self) -> None:
        """Call before each act. Raises the backend's cancellation when the run has been ended meanwhile."""

    async def ask(self, message: str, schema: JsonObject, *, seconds: float) -> Json:
        """Ask whoever watches the run; it is `input_required` meanwhile.

        Args:
            message: the question, for a person.
            schema: JSON schema of the answer (an object).
            seconds: how long to wait for the answer.

        Raises:
            QuestionDeclinedError: the question was declined.
            QuestionExpiredError: nobody answered in time.
        """

    def record(self, name: str, document: Json) -> None:
        """Write one document of the run's record as JSON at `name`, a relative path such as `steps/001.json`.

        Complete on disk when it returns: a killed process leaves what was recorded. A run that has been ended may
        still record what became of it while it unwinds.

        Raises:
            RecordNameError: the name is not a plain relative path.
            RecordError: it cannot be written; a body that lets it pass ends as `failed: crashed` with its sentence.
        """

    def append(self, name: str, line: Json) -> None:
        """Append one line to the JSON Lines file `name` of the run's record. Raises as `record` does."""


RunBody = Callable[[RunContext, StartRequest], Awaitable[JsonObject]]
"""Does the run and returns its result. An exception ends the run as `failed: crashed`."""


class RunEngine(Protocol):
    """Starts runs, keeps them, and tells where they stand. Every method is bound to an owner."""

    async def start(self, request: StartRequest) -> Run:
        """Start a run; it exists for `get` when this returns.

        Raises:
            QueueFullError: no room.
            RecordError: its record cannot be written; nothing was started.
            RunKeyReusedError: the key belongs to a run with other arguments.
        """

    async def reject(self, request: StartRequest, result: JsonObject) -> Run:
        """A run that ended before it began (`failed: rejected`), for faces that need a handle to say so."""

    async def get(self, run_id: str, owner: str) -> Run:
        """The run as it stands.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """

    async def list_runs(self, owner: str, *, limit: int = 50, cursor: str | None = None) -> RunPage:
        """The owner's runs, newest first.

        Raises:
            UsageError: the cursor is not one of ours.
        """

    async def cancel(self, run_id: str, owner: str) -> Run:
        """End the run; a run that has ended stays as it is. No new act starts after this returns.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """

    async def abandon(self, run_id: str, owner: str) -> Run:
        """End the run because whoever started it has gone; not while anybody waits for it or watches it.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """

    async def answer(self, run_id: str, owner: str, answers: Mapping[str, Json]) -> Run:
        """Answer questions of a run that asked; unknown keys are ignored.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """

    async def decline(self, run_id: str, owner: str, keys: Collection[str]) -> Run:
        """Say of questions that nobody will answer them; unknown keys are ignored.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """

    async def keep(self, run_id: str, owner: str, *, kept: bool = True) -> Run:
        """Keep a run and its record for ever, or again only as long as every other.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """

    async def wait(self, run_id: str, owner: str, seconds: float) -> Run:
        """The run once it has ended or asks for input, or as it stands after `seconds`.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """

    def watch(self, run_id: str, owner: str) -> AbstractAsyncContextManager[AsyncIterator[Run]]:
        """The run at each change, beginning with now and ending with its terminal state. Slow readers skip.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """
