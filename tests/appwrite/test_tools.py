"""The public tools, as a client sees them in memory."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client import Client

from handrail.appwrite import AppwriteToolset, Backend, Calls, Transport, open_transport
from handrail.appwrite.catalog import load_catalogs
from handrail.json_types import JsonObject
from handrail.lazy import Lazy
from handrail.protocol import create_server
from handrail.sandbox import Fault, FaultKind, Sandbox
from tests.appwrite.callers import open_places

ANSWER_KEYS = {"tool", "outcome", "status", "result", "error", "project", "journal_id", "next_page"}
RENAME: JsonObject = {"tool_name": "users_update_name", "arguments": {"user_id": "ada", "name": "Ada L."}}


@asynccontextmanager
async def _client(transport: Transport, cached: Path, home: Path) -> AsyncIterator[Client]:
    async with open_places(transport, Lazy.of(partial(load_catalogs, cached)), home) as places:
        toolset = AppwriteToolset(places.parts, Calls(places.parts))
        async with Client(create_server(toolset.tools())) as connected:
            yield connected


@pytest.fixture
async def client(transport: Transport, session_home: Path, tmp_path: Path) -> AsyncIterator[Client]:
    async with _client(transport, session_home, tmp_path / "home") as connected:
        yield connected


def _both(result: types.CallToolResult) -> dict[str, Any]:
    """The answer, after making sure that its text says the same as its structure."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    assert result.structured_content == json.loads(block.text)
    return dict(result.structured_content or {})


@pytest.mark.promise("no-hint-missing")
async def test_every_tool_has_a_title_and_all_four_hints_except_the_gateways_open_one(client: Client) -> None:
    for tool in (await client.list_tools()).tools:
        assert tool.annotations is not None
        shown = tool.annotations.model_dump(by_alias=True, exclude_none=True)
        gateway = tool.name == "appwrite_call_tool"
        assert tool.title
        assert set(shown) == {"readOnlyHint", "idempotentHint", "openWorldHint"} | (
            set() if gateway else {"destructiveHint", "title"}
        )


async def test_a_read_answers_in_text_and_structure(client: Client) -> None:
    result = await client.call_tool("appwrite_call_read_tool", {"tool_name": "users_list"})

    answer = _both(result)
    assert (result.is_error, answer["outcome"], answer["result"]["total"]) == (False, "done", 2)
    assert set(answer) >= ANSWER_KEYS


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({**RENAME}, "confirmation_required"),
        ({**RENAME, "confirm_write": False}, "confirmation_required"),
        ({**RENAME, "confirm_write": "true"}, "argument_invalid"),
        ({**RENAME, "confirm_write": 1}, "argument_invalid"),
        ({**RENAME, "confirm_write": None}, "argument_invalid"),
        ({**RENAME, "arguments": [], "confirm_write": True}, "argument_invalid"),
        ({**RENAME, "arguments": {}, "confirm_write": True}, "argument_invalid"),
        ({"tool_name": "users_remove", "arguments": {}, "confirm_write": True}, "tool_unknown"),
        ({"toolName": "users_delete"}, "argument_invalid"),
        ({}, "argument_invalid"),
    ],
)
@pytest.mark.promise("refused-sends-nothing")
async def test_a_refusal_has_the_shape_of_every_answer_and_sends_nothing(
    client: Client, sandbox: Sandbox, arguments: JsonObject, kind: str
) -> None:
    result = await client.call_tool("appwrite_call_tool", arguments)

    answer = _both(result)
    assert (result.is_error, answer["outcome"], answer["error"]["type"]) == (True, "refused", kind)
    assert answer["error"]["next"]
    assert set(answer) == ANSWER_KEYS
    assert list(sandbox.state.requests) == []


async def test_a_search_answers_tools(client: Client) -> None:
    answer = _both(await client.call_tool("appwrite_search_tools", {"query": "list rows", "limit": 2}))

    assert len(answer["tools"]) == 2
    assert {"name", "title", "service", "hints", "risks", "deprecated", "score"} <= set(answer["tools"][0])


@pytest.mark.parametrize(
    "arguments", [{"query": ""}, {"query": "x", "limit": 0}, {"query": "x", "services": ["nope"]}, {}]
)
async def test_a_wrong_search_is_an_error_with_a_next_step(client: Client, arguments: JsonObject) -> None:
    result = await client.call_tool("appwrite_search_tools", arguments)

    assert result.is_error
    assert _both(result)["error"]["next"]


async def test_the_context_tells_where_calls_go(client: Client, sandbox: Sandbox) -> None:
    answer = _both(await client.call_tool("appwrite_get_context", {}))

    assert (answer["endpoint"], answer["project"], answer["ready"]) == (sandbox.endpoint, "sandbox", True)
    assert (answer["problems"], answer["server_version"]) == ([], "1.9.6")
    assert sandbox.api_key not in json.dumps(answer)


@pytest.mark.promise("starts-with-nothing")
@pytest.mark.parametrize(
    ("backend", "kinds"),
    [
        (Backend("http://127.0.0.1:9/v1", "", ""), ["not_configured"]),
        (Backend("http://127.0.0.1:9/v1", "p", ""), ["not_configured"]),
        (Backend("http://127.0.0.1:9/v1", "p", "k"), ["endpoint_unreachable"]),
        (Backend("cloud.appwrite.io", "p", "k"), ["endpoint_invalid"]),
        (Backend("ftp://host/v1", "p", "k"), ["endpoint_invalid"]),
        (Backend("http://127.0.0.1:99999/v1", "p", "k"), ["endpoint_invalid"]),
        (Backend("http://127.0.0.1:abc/v1", "p", "k"), ["endpoint_invalid"]),
        (Backend("http://[::1/v1", "p", "k"), ["endpoint_invalid"]),
        (Backend("https://user:secret@host/v1", "p", "k"), ["endpoint_invalid"]),
        (Backend("https://<region>.cloud.appwrite.io/v1", "p", "k"), ["endpoint_invalid"]),
        (Backend("https://host/v1?x=1", "p", "k"), ["endpoint_invalid"]),
    ],
)
async def test_the_context_says_what_is_missing_and_what_mends_it(
    backend: Backend, kinds: list[str], session_home: Path, tmp_path: Path
) -> None:
    async with open_transport(backend) as transport, _client(transport, session_home, tmp_path / "home") as client:
        answer = _both(await client.call_tool("appwrite_get_context", {}))

    assert [problem["type"] for problem in answer["problems"]] == kinds
    assert all(problem["next"] for problem in answer["problems"])


@pytest.mark.parametrize(("key", "kind"), [("wrong", "user_unauthorized"), ("sandbox-key", None)])
async def test_the_context_says_whether_the_key_is_accepted(
    sandbox: Sandbox, session_home: Path, tmp_path: Path, key: str, kind: str | None
) -> None:
    async with (
        open_transport(Backend(sandbox.endpoint, sandbox.project_id, key)) as transport,
        _client(transport, session_home, tmp_path / "home") as client,
    ):
        answer = _both(await client.call_tool("appwrite_get_context", {}))

    assert [problem["type"] for problem in answer["problems"]] == ([kind] if kind else [])


@pytest.mark.parametrize(
    "kind",
    [
        FaultKind.HANG,
        FaultKind.HTML,
        FaultKind.DROP_BEFORE,
        FaultKind.SERVER_ERROR,
        FaultKind.RATE_LIMIT,
        FaultKind.REDIRECT,
    ],
)
async def test_the_context_comes_in_time_whatever_is_down(client: Client, sandbox: Sandbox, kind: FaultKind) -> None:
    with sandbox.state.faults.during(Fault(kind)), anyio.fail_after(4):
        answer = _both(await client.call_tool("appwrite_get_context", {}))

    assert not answer["ready"]
    assert answer["problems"][0]["next"]


async def test_a_cancelled_call_frees_its_caller_and_the_server_goes_on(client: Client, sandbox: Sandbox) -> None:
    await client.call_tool("appwrite_call_read_tool", {"tool_name": "users_list"})  # the catalog is there now
    sandbox.state.faults.add(Fault(FaultKind.HANG))

    with anyio.fail_after(5):
        with anyio.move_on_after(0.1) as scope:
            await client.call_tool("appwrite_call_read_tool", {"tool_name": "users_list"})
        again = await client.call_tool("appwrite_call_read_tool", {"tool_name": "users_list"})

    assert scope.cancelled_caught
    assert _both(again)["outcome"] == "done"
