"""The SDK's own client of today, in memory and over the pipes of a process, in both generations."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeAlias

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import EmptyResult

from handrail.cli.demo.task_client import CancelTask, TaskParams
from handrail.protocol import HandrailServer
from tests.protocol.peer import TIMEOUT
from tests.protocol.process import COMMAND, ENVIRONMENT
from tests.protocol.tasks_client import Tasks

Target: TypeAlias = HandrailServer | StdioServerParameters

MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


@pytest.fixture(params=["in memory", "stdio"])
async def target(request: pytest.FixtureRequest, server: HandrailServer) -> AsyncIterator[Target]:
    """Where the client connects to."""
    with anyio.fail_after(6 * TIMEOUT):
        if request.param == "in memory":
            yield server
        else:
            yield StdioServerParameters(command=sys.executable, args=list(COMMAND[1:]), env=ENVIRONMENT)


@MODES
async def test_the_generations_are_what_the_client_asks_for(target: Target, mode: str) -> None:
    async with Client(target, mode=mode) as client:
        assert client.protocol_version == {"auto": "2026-07-28", "legacy": "2025-11-25"}[mode]
        assert client.server_info is not None
        assert client.server_info.name == "fixture"


@MODES
async def test_tools_are_listed_and_called(target: Target, mode: str) -> None:
    async with Client(target, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("echo", {"value": {"a": [1, None]}})

    assert names[0] == "echo"
    assert names[-1] == "cancel_run"
    assert result.structured_content == {"echo": {"a": [1, None]}, "none": None}


@MODES
async def test_a_run_is_called_plainly_and_reports(target: Target, mode: str) -> None:
    told: list[str | None] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001  (named so)
        told.append(message)

    async with Client(target, mode=mode) as client:
        arguments = {"steps": 3, "delay_s": 0.5, "wait_seconds": 4}
        result = await client.call_tool("walk", arguments, progress_callback=on_progress)

    assert result.structured_content["result"]["steps"] == 3
    assert set(told) <= {"step 1/3", "step 2/3", "step 3/3"}
    assert told


async def test_a_run_is_handed_over_as_a_task_and_polled(target: Target) -> None:
    tasks = Tasks()
    async with Client(target, extensions=[tasks]) as client:
        result = await client.call_tool("walk", {"steps": 2, "delay_s": 0.1})

    assert len(tasks.seen) == 1
    assert result.structured_content["run_id"] == tasks.seen[0]
    assert result.structured_content["result"]["steps"] == 2


async def test_a_fast_run_is_not_handed_over(target: Target) -> None:
    tasks = Tasks()
    async with Client(target, extensions=[tasks]) as client:
        result = await client.call_tool("walk", {"steps": 0})

    assert tasks.seen == []
    assert result.structured_content["status"] == "completed"


async def test_a_task_is_cancelled_twice_without_harm(target: Target) -> None:
    async with Client(target, extensions=[Tasks()]) as client:
        created = await client.session.call_tool("walk", {"steps": 1, "delay_s": 60}, allow_claimed=True)
        task_id = str(getattr(created, "task_id"))  # noqa: B009  (the union of answers hides it from the type checker)
        question = CancelTask(params=TaskParams(task_id=task_id))
        for _ in range(2):
            await client.session.send_request(question, EmptyResult)
        run = await client.call_tool("get_run", {"run_id": task_id})

    assert run.structured_content["status"] == "cancelled"


@MODES
async def test_a_cancelled_call_frees_the_connection_at_once(target: Target, mode: str) -> None:
    async with Client(target, mode=mode) as client:
        with anyio.move_on_after(0.2):
            await client.call_tool("slow", {})
        with anyio.fail_after(TIMEOUT):
            result = await client.call_tool("echo", {"value": 1})

    assert result.structured_content["echo"] == 1


@MODES
async def test_an_unknown_tool_is_a_protocol_error(target: Target, mode: str) -> None:
    async with Client(target, mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("ecko", {})

    assert caught.value.error.code == -32602


def test_the_fixture_server_is_there() -> None:
    assert Path(COMMAND[1]).is_file()
