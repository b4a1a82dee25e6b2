"""A tool as a toolset gives it to the server. Knows nothing of any toolset."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from mcp_types import ToolAnnotations

from handrail.errors import HandrailError
from handrail.json_types import JsonMapping, JsonObject
from handrail.runs import StartRequest

__all__ = ["Call", "Client", "Refusal", "RunTool", "ServerTool", "ToolAnswer", "ToolHandler"]


@dataclass(frozen=True, slots=True)
class Client:
    """Who calls: what the client says of itself. Empty strings where it says nothing."""

    name: str = ""
    version: str = ""
    protocol_version: str = ""


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


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool says. `structured` is complete; the text of the result is the same document.

    Raise a `HandrailError` for bad arguments and refusals: the server shows it as an `isError` result.
    """

    structured: JsonObject
    is_error: bool = False


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
