"""A tool as a toolset gives it to the server. Knows nothing of any toolset."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from mcp_types import ContentBlock, ToolAnnotations

from handrail.errors import HandrailError
from handrail.json_types import JsonMapping, JsonObject
from handrail.runs import StartRequest

__all__ = [
    "Call",
    "Client",
    "ElicitAction",
    "Elicited",
    "InputRequired",
    "Refusal",
    "RunTool",
    "ServerTool",
    "ToolAnswer",
    "ToolHandler",
]


@dataclass(frozen=True, slots=True)
class Client:
    """Who calls: what the client says of itself. Empty strings where it says nothing."""

    name: str = ""
    version: str = ""
    protocol_version: str = ""


class ElicitAction(StrEnum):
    """What became of a question."""

    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class Elicited:
    """What came back to a question.

    Attributes:
        action: what became of it; no answer in time is `decline`, one that cannot be read is `cancel`.
        content: what was filled in, as it came: it may lack what the schema requires.
        by_person: whether this process itself saw a person answer; else it is the client's word that one did.
    """

    action: ElicitAction
    content: JsonMapping = field(default_factory=dict)
    by_person: bool = False


class InputRequired(Exception):  # noqa: N818  (no error: how a call ends with a question, which its retry answers)
    """Ends a call of 2026-07-28 with a question. Handlers let it pass; the server turns it into the result.

    Attributes:
        key: what the question is called.
        message: for the person.
        schema: what is to be filled in.
        state: comes back with the answer, as the client had it: whoever reads it checks it.
    """

    def __init__(self, key: str, message: str, schema: JsonObject, state: str) -> None:
        super().__init__(key)
        self.key = key
        self.message = message
        self.schema = schema
        self.state = state


class Call(Protocol):
    """What a tool sees of the request that called it."""

    @property
    def client(self) -> Client:
        """Who calls."""

    @property
    def owner(self) -> str:
        """Whose runs and results the caller may see."""

    async def progress(self, message: str, done: float, total: float | None = None) -> None:
        """Tell the caller how far the call is; nothing happens where nobody asked to know."""

    @property
    def request_state(self) -> str | None:
        """The `state` of a question that an earlier round of this call ended with, as the client sent it back.

        None in a first round, and before 2026-07-28. Anybody may have made it up: check it before it is relied on.
        """

    async def elicit(
        self, key: str, message: str, schema: JsonObject, *, state: str, seconds: float
    ) -> Elicited | None:
        """Ask the caller to fill in a form.

        Args:
            key: names the question.
            message: for the person.
            schema: JSON schema of a flat object.
            state: comes back as `request_state`.
            seconds: how long a caller that is asked while its call waits may take (before 2026-07-28).

        Returns:
            What came back; None where the caller cannot be asked.

        Raises:
            InputRequired: the call ends here with the question (2026-07-28, first round); let it pass.
        """


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool says. `structured` is complete; the text of the result is the same document.

    `content` is shown beside it: images and links, for hosts that show them.

    Raise a `HandrailError` for bad arguments and refusals: the server shows it as an `isError` result.
    """

    structured: JsonObject
    is_error: bool = False
    content: tuple[ContentBlock, ...] = ()


Refusal = Callable[[JsonMapping, HandrailError], JsonObject]
"""How a call that ended in an error is shown: its arguments, as they came, and the error."""

ToolHandler = Callable[[Call, JsonMapping], Awaitable[ToolAnswer]]
"""Answers a call. The arguments have been checked against the tool's schema."""


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool that answers at once.

    Attributes:
        name: 1 to 64 characters of `A-Za-z0-9_-`.
        title: for people.
        description: for the model.
        input_schema: JSON schema, root `type: object`, `additionalProperties: false`.
        annotations: all four hints explicit, except on a gateway.
        handler: answers a call.
        refusal: shows an error in the tool's own shape; None: as `{"error": ...}`.
    """

    name: str
    title: str
    description: str
    input_schema: JsonObject
    annotations: ToolAnnotations
    handler: ToolHandler
    refusal: Refusal | None = None
    meta: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunTool:
    """A tool that starts a run, which the server answers in the form that the caller speaks.

    Attributes:
        prepare: checks the arguments beyond the schema and turns them into what the engine starts. Raises a
            `HandrailError` where they do not fit.
        (the others): as in `ServerTool`. The schema may have `wait_seconds`, which the server itself reads.
    """

    name: str
    title: str
    description: str
    input_schema: JsonObject
    annotations: ToolAnnotations
    prepare: Callable[[Call, JsonMapping], StartRequest]
    meta: JsonObject = field(default_factory=dict)
