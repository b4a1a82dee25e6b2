"""A home, a stand-in whose memory tells what was really sent, and the real server between them."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio
from mcp.client import Client, ClientRequestContext
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult

from handrail.approvals.opening import open_store
from handrail.composition import open_server
from handrail.json_types import Json, JsonObject
from handrail.protocol import HandrailServer
from handrail.sandbox import Sandbox, SandboxState
from handrail.settings import Settings, load_settings
from handrail.toolset import Toolset

__all__ = ["CALL", "MODES", "PREVIEW", "READ", "Form", "World", "answer", "approval_of", "ask", "kind"]

READ: Final = "appwrite_call_read_tool"
CALL: Final = "appwrite_call_tool"
PREVIEW: Final = "appwrite_preview_call"
MODES: Final = ("legacy", "auto")
"""A client of 2025-11-25, and one of 2026-07-28."""
_BOUND_S: Final = 60


class Form:
    """A client's person, who fills in forms, and what they were asked."""

    def __init__(self, action: str = "accept", **content: Json) -> None:
        self.result = ElicitResult.model_validate({"action": action, "content": content or None})
        self.asked: list[str] = []

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        del context
        self.asked.append(params.message)
        return self.result


@dataclass(frozen=True, slots=True)
class World:
    """One home and one stand-in."""

    home: Path
    sandbox: Sandbox

    @property
    def state(self) -> SandboxState:
        return self.sandbox.state

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to go to this stand-in."""
        return {
            "HANDRAIL_HOME": str(self.home),
            "APPWRITE_ENDPOINT": self.sandbox.endpoint,
            "APPWRITE_PROJECT_ID": self.sandbox.project_id,
            "APPWRITE_API_KEY": self.sandbox.api_key,
        }

    def settings(self, **given: object) -> Settings:
        usual: dict[str, object] = {
            "home": self.home,
            "appwrite_endpoint": self.sandbox.endpoint,
            "appwrite_project_id": self.sandbox.project_id,
            "appwrite_api_key": self.sandbox.api_key,
            "connect_timeout_s": 2,
            "read_timeout_s": 5,
            "call_timeout_s": 10,
        }
        return load_settings(**{**usual, **given})

    def sent(self) -> list[str]:
        """Every request that arrived."""
        return [f"{one.method} {one.path}" for one in self.state.requests]

    def written(self) -> list[str]:
        """Those that could have changed something."""
        return [line for line in self.sent() if not line.startswith("GET ")]

    @asynccontextmanager
    async def server(self, **given: object) -> AsyncIterator[HandrailServer]:
        with anyio.fail_after(_BOUND_S):
            async with open_server(self.settings(**given), toolsets=[Toolset.APPWRITE]) as server:
                yield server

    @asynccontextmanager
    async def client(self, mode: str = "auto", form: Form | None = None, /, **given: object) -> AsyncIterator[Client]:
        async with self.server(**given) as server, Client(server, mode=mode, elicitation_callback=form) as client:
            yield client

    def approve(self, approval: str) -> bool:
        """A person says yes."""
        store = open_store(self.home)
        try:
            return store.approve(approval, time.time())
        finally:
            store.close()


def answer(result: CallToolResult) -> dict[str, Any]:
    """The document of a result."""
    return dict(result.structured_content or {})


async def ask(client: Client, tool: str, **arguments: Json) -> dict[str, Any]:
    """Call a tool: its document."""
    return answer(await client.call_tool(tool, arguments))


def approval_of(document: JsonObject) -> str:
    """The id that a call which needs approval gave."""
    error = document["error"]
    assert isinstance(error, dict)
    data = error["data"]
    assert isinstance(data, dict)
    return str(data["approval"])


def kind(document: JsonObject) -> tuple[str, str | None]:
    """What became of a call, and why."""
    error = document.get("error")
    return str(document.get("outcome")), str(error["type"]) if isinstance(error, dict) else None
