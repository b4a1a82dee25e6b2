"""A run: what it is, which states it can be in, and how every face shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from handrail.json_types import JsonObject

__all__ = ["Question", "Run", "RunPage", "RunReason", "RunStatus", "StartRequest"]


class RunStatus(StrEnum):
    """The states of a run; the words are MCP's own for a task."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        """Whether the run has ended; a terminal state never changes."""
        return self in {RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED}


class RunReason(StrEnum):
    """Why a run ended other than by finishing."""

    CANCELLED = "cancelled"
    CRASHED = "crashed"
    INTERRUPTED = "interrupted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Question:
    """A value that a run asks for while its status is `input_required`.

    Attributes:
        key: unique for the life of the run.
        message: the question, for a person.
        schema: JSON schema of the answer (an object).
    """

    key: str
    message: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class StartRequest:
    """What a run is started with.

    Attributes:
        agent: the agent's name.
        arguments: everything that shapes the run, already checked against the agent's schema.
        owner: who may see the run.
        run_key: the same key gives the same run; with other arguments it is refused.
        started_by: a mark of this very start: the run that it gives has the same mark only where it was not there yet.
        resumable: whether the run may go on after a crash with what it had saved.
        ttl_ms: how long the caller asks to have the task kept, in milliseconds from its creation.
        environment: what the run needs of the caller's environment (keys). Handed on in memory only, never kept.
    """

    agent: str
    arguments: JsonObject
    owner: str
    run_key: str | None = None
    started_by: str = ""
    resumable: bool = False
    ttl_ms: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Run:
    """One run at one moment. `revision` grows with every change; times are aware, in UTC.

    Attributes:
        attempt: how often it was begun: more than once where it went on after a crash.
        kept: whether it is kept for ever.
        (the others): as in `StartRequest`, or as their names say.
    """

    run_id: str
    agent: str
    owner: str
    status: RunStatus
    created_at: datetime
    updated_at: datetime
    revision: int = 0
    message: str = ""
    reason: RunReason | None = None
    result: JsonObject | None = None
    questions: tuple[Question, ...] = ()
    run_key: str | None = None
    arguments: JsonObject = field(default_factory=dict)
    started_by: str = ""
    ttl_ms: int | None = None
    attempt: int = 1
    kept: bool = False

    @property
    def is_error(self) -> bool:
        """Whether a tool call that answers this run is an error.

        Bad parameters, busy and a crash are; an agent that did not reach its goal is not.
        """
        return self.status is RunStatus.FAILED


@dataclass(frozen=True, slots=True)
class RunPage:
    """Some runs, newest first, and the cursor of the next page (None: this was the last)."""

    runs: tuple[Run, ...]
    next_cursor: str | None = None
