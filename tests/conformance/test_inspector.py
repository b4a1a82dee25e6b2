"""The MCP Inspector's command line lists the tools and sees a run to its end, in both generations."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from mcp.server.context import CallNext, HandlerResult

from handrail.composition import open_server
from handrail.protocol.context import Context
from handrail.settings import load_settings
from tests.conformance.referees import Referees
from tests.end_to_end.conftest import COMMAND
from tests.protocol.http_server import listening

_SECONDS = 60
_SETTINGS = {"MCP_INSPECTOR_SECRET_STORE": "memory"}
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


@dataclass(slots=True)
class Served:
    """A server that listens, and the methods that it was asked for."""

    url: str
    asked: list[str] = field(default_factory=list)


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async with open_server(load_settings(), sandbox=True) as server, listening(server.streamable_http_app()) as url:
        seen = Served(url)

        async def note(ctx: Context, call_next: CallNext) -> HandlerResult:
            seen.asked.append(ctx.method)
            return await call_next(ctx)

        server.middleware.append(note)
        yield seen


async def _inspected(referees: Referees, home: Path, server: Mapping[str, object], *asked: str) -> dict[str, Any]:
    config = home / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"handrail": server}}))
    inspector = referees.package("inspector") / "clients" / "launcher" / "build" / "index.js"
    told = ("--cli", "--config", config, "--server", "handrail", "--format", "json")
    ended = await referees.run(inspector, *told, *asked, home=home, seconds=_SECONDS, settings=_SETTINGS)
    assert ended.code == 0, ended.out[-2000:] + ended.err[-2000:]
    return dict(json.loads(ended.out)["result"])


@ERAS
async def test_it_lists_the_tools_of_the_real_command(
    referees: Referees, environment: Mapping[str, str], tmp_path: Path, era: str
) -> None:
    server = {"type": "stdio", "command": COMMAND[0], "args": COMMAND[1:], "env": environment, "protocolEra": era}

    listed = await _inspected(referees, tmp_path, server, "--method", "tools/list", "--strict")

    assert {"appwrite_call_tool", "run_agent", "get_run"} < {tool["name"] for tool in listed["tools"]}


@ERAS
async def test_it_sees_a_run_to_its_end(referees: Referees, served: Served, tmp_path: Path, era: str) -> None:
    server = {"type": "streamable-http", "url": served.url, "protocolEra": era}
    params = json.dumps({"steps": 3, "delay_s": 0.3})
    asked = ("--method", "tools/call", "--tool-name", "run_agent", "--tool-arg", "agent=counter", f"params={params}")

    answer = await _inspected(referees, tmp_path, server, *asked)

    run = answer["structuredContent"]
    assert (run["status"], run["result"]["count"]) == ("completed", 3)
    assert ("initialize" in served.asked) == (era == "legacy")
    assert ("tasks/get" in served.asked) == (era == "modern")
