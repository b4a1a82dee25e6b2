"""MCP on the wire: one server, both generations of the protocol, runs as tasks and as plain calls.

What needs the SDK's server is loaded when it is first asked for: whoever only describes tools does without.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from handrail.protocol.clients import WaitPolicy
from handrail.protocol.resource_source import ResourceContent, ResourceSource
from handrail.protocol.tool import (
    Call,
    Client,
    ElicitAction,
    Elicited,
    InputRequired,
    Refusal,
    RunTool,
    ServerTool,
    ToolAnswer,
    ToolHandler,
)

if TYPE_CHECKING:
    from handrail.protocol.server import HandrailServer, create_server
    from handrail.protocol.stdio import serve_stdio

__all__ = [
    "Call",
    "Client",
    "ElicitAction",
    "Elicited",
    "HandrailServer",
    "InputRequired",
    "Refusal",
    "ResourceContent",
    "ResourceSource",
    "RunTool",
    "ServerTool",
    "ToolAnswer",
    "ToolHandler",
    "WaitPolicy",
    "create_server",
    "serve_stdio",
]

_LATER: Final = {
    "HandrailServer": "server",
    "create_server": "server",
    "serve_stdio": "stdio",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
