"""The SDK's own client drives the real server over stdio, in both generations."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.extension import ClientExtension
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.end_to_end.conftest import COMMAND
from tests.protocol.tasks_client import Tasks

MODES = pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
NEW_TEAM = {"tool_name": "teams_create", "arguments": {"team_id": "crew", "name": "Crew"}}
DELETED = {"tool_name": "users_delete", "arguments": {"user_id": "ada"}}


@asynccontextmanager
async def _connected(
    environment: Mapping[str, str], folder: Path, mode: str, *extensions: ClientExtension
) -> AsyncIterator[Client]:
    server = StdioServerParameters(command=COMMAND[0], args=list(COMMAND[1:]), env=dict(environment))
    with (folder / "stderr.txt").open("w") as errors, anyio.fail_after(60):
        async with Client(stdio_client(server, errlog=errors), mode=mode, extensions=extensions) as client:
            yield client
    assert (folder / "stderr.txt").read_text() == ""


async def _call(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return dict((await client.call_tool(tool, arguments)).structured_content or {})


@MODES
async def test_the_way_from_search_to_a_confirmed_write(
    environment: Mapping[str, str], tmp_path: Path, mode: str, version: str
) -> None:
    async with _connected(environment, tmp_path, mode) as client:
        assert client.protocol_version == version
        assert client.instructions
        found = await _call(client, "appwrite_search_tools", {"query": "create a team"})
        assert "teams_create" in [tool["name"] for tool in found["tools"]]
        before = await _call(client, "appwrite_call_read_tool", {"tool_name": "teams_list"})
        refused = await _call(client, "appwrite_call_tool", NEW_TEAM)
        between = await _call(client, "appwrite_call_read_tool", {"tool_name": "teams_list"})
        done = await _call(client, "appwrite_call_tool", {**NEW_TEAM, "confirm_write": True})
        after = await _call(client, "appwrite_call_read_tool", {"tool_name": "teams_list"})
        waits = await _call(client, "appwrite_call_tool", {**DELETED, "confirm_write": True})
        still = await _call(client, "appwrite_call_read_tool", {**DELETED, "tool_name": "users_get"})

    assert [refused["outcome"], done["outcome"], waits["outcome"]] == ["refused", "done", "needs_approval"]
    totals = [answer["result"]["total"] for answer in (before, between, after)]
    assert (totals[1] - totals[0], totals[2] - totals[0], still["outcome"]) == (0, 1, "done")


@MODES
async def test_a_run_is_answered_early_and_looked_in_on_to_its_end(
    environment: Mapping[str, str], tmp_path: Path, mode: str, version: str
) -> None:
    start = {"agent": "counter", "params": {"steps": 3, "delay_s": 0.2}, "wait_seconds": 0}
    async with _connected(environment, tmp_path, mode) as client:
        assert client.protocol_version == version
        early = await _call(client, "run_agent", start)
        ended = await _call(client, early["next"]["tool"], early["next"]["arguments"])
        listed = await _call(client, "list_runs", {})

    assert (early["status"], early["result"]) == ("working", None)
    assert (ended["run_id"], ended["status"], ended["result"]["count"]) == (early["run_id"], "completed", 3)
    assert listed["runs"][0]["run_id"] == early["run_id"]


async def test_a_client_of_the_tasks_extension_gets_a_task_with_the_result_of_the_plain_call(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    start = {"agent": "counter", "params": {"steps": 3, "delay_s": 0.1}}
    tasks = Tasks()
    async with _connected(environment, tmp_path, "auto", tasks) as client:
        as_task = await _call(client, "run_agent", start)
    async with _connected(environment, tmp_path, "auto") as client:
        plain = await _call(client, "run_agent", start)

    assert tasks.seen == [as_task["run_id"]]
    stable = {"count", "ok", "env", "model", "episodes", "scored", "mean_score"}
    assert {key: as_task["result"][key] for key in stable} == {key: plain["result"][key] for key in stable}
    assert set(as_task["result"]) == set(plain["result"])


async def test_a_decision_is_answered(environment: Mapping[str, str], tmp_path: Path) -> None:
    question = {
        "state": "The customer cannot log in since the password was changed.",
        "options": {"billing": "invoices and payments", "access": "log in, password and account"},
        "rules": "Choose the queue that fits.",
    }
    async with _connected(environment, tmp_path, "auto") as client:
        answer = await _call(client, "decide", question)

    assert answer["choice"] == "access"
    assert sum(answer["probabilities"].values()) == pytest.approx(1, abs=0.02)
