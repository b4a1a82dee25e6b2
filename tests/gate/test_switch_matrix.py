"""Every switch on every path: what is refused sends nothing, by one table for all of them."""

import json
from collections.abc import Awaitable, Callable
from typing import Final

import anyio
import pytest
from mcp import MCPError
from mcp.client import Client

from handrail.approvals import Consent
from handrail.appwrite import Calls
from handrail.appwrite.request import CallRequest
from handrail.cli.caller import AtTerminal
from handrail.composition import open_calls
from handrail.json_types import JsonObject
from tests.cli.conftest import Command
from tests.gate.world import CALL, PREVIEW, READ, World, ask, kind

_TABLE: Final[JsonObject] = {"database_id": "shop", "table_id": "products"}
_ONE: Final = '{"method":"equal","attribute":"name","values":["Saw"]}'
DEEDS: Final[dict[str, tuple[str, JsonObject]]] = {
    "read": ("users_list", {}),
    "write": ("teams_create", {"team_id": "guides", "name": "Guides"}),
    "grave": ("users_update_status", {"user_id": "ada", "status": False}),
    "delete": ("tables_db_delete_row", {**_TABLE, "row_id": "hammer"}),
    "bulk": ("tables_db_update_rows", {**_TABLE, "data": {"price": 1}, "queries": [_ONE]}),
    "graphql": ("graphql_query", {"query": {"query": "mutation { usersDelete }"}}),
}
DONE, SENT, WAITS, OFF, NO_WRITES, NO_READ = (
    "done",
    "sent",
    "needs_approval",
    "switched_off",
    "writes_off",
    "not_a_read",
)
# Switches -> what becomes of a read, a write, a grave write, a delete, a bulk write and GraphQL, each confirmed by the
# model. `sent`: the stand-in has no GraphQL, so that fails there.
TABLE: Final[dict[str, tuple[dict[str, object], tuple[str, ...]]]] = {
    "nothing": ({}, (DONE, DONE, WAITS, WAITS, WAITS, WAITS)),
    "read only": ({"read_only": True}, (DONE, OFF, OFF, OFF, OFF, OFF)),
    "read only outranks": (
        {"read_only": True, "writes": "allow", "tools": "teams_create,users_list"},
        (DONE, OFF, OFF, OFF, OFF, OFF),
    ),
    "a service": ({"services": "users"}, (DONE, OFF, WAITS, OFF, OFF, OFF)),
    "two tools": ({"tools": "users_list,tables_db_delete_row"}, (DONE, OFF, OFF, WAITS, OFF, OFF)),
    "a service and a tool": (
        {"services": "teams", "tools": "tables_db_update_rows"},
        (OFF, DONE, OFF, OFF, WAITS, OFF),
    ),
    "deny": ({"deny": "users,tables_db_delete_row,graphql"}, (OFF, DONE, OFF, OFF, WAITS, OFF)),
    "deny outranks": (
        {"deny": "teams", "services": "teams,users", "writes": "allow"},
        (DONE, OFF, DONE, OFF, OFF, OFF),
    ),
    "no writes": ({"writes": "off"}, (DONE, NO_WRITES, NO_WRITES, NO_WRITES, NO_WRITES, NO_WRITES)),
    "ask": ({"writes": "ask"}, (DONE, WAITS, WAITS, WAITS, WAITS, WAITS)),
    "allow": ({"writes": "allow"}, (DONE, DONE, DONE, DONE, DONE, SENT)),
}
SWITCHES = pytest.mark.parametrize("named", TABLE)
Path = Callable[[Client, str, JsonObject], Awaitable[str]]


def what_became(document: JsonObject) -> str:
    outcome, problem = kind(document)
    if outcome == "failed":
        return SENT
    return outcome if outcome in {DONE, WAITS} else str(problem)


async def by_read(client: Client, tool: str, arguments: JsonObject) -> str:
    return what_became(await ask(client, READ, tool_name=tool, arguments=arguments))


async def by_batch(client: Client, tool: str, arguments: JsonObject) -> str:
    (only,) = (await ask(client, READ, calls=[{"tool_name": tool, "arguments": arguments}]))["results"]
    return what_became(only)


async def by_call(client: Client, tool: str, arguments: JsonObject) -> str:
    return what_became(await ask(client, CALL, tool_name=tool, arguments=arguments, confirm_write=True))


async def by_direct(client: Client, tool: str, arguments: JsonObject) -> str:
    confirmed = arguments if tool == "users_list" else {**arguments, "confirm_write": True}
    try:
        return what_became(await ask(client, tool, **confirmed))
    except MCPError:  # it is not there to be called
        return OFF


def reading(expected: str, deed: str) -> str:
    """What the read tool makes of what the call tool is expected to."""
    return expected if deed == "read" or expected == OFF else NO_READ


async def hold(world: World, named: str, path: Path, expected: dict[str, str], **more: object) -> None:
    """Every deed ends as expected; what is not expected to be sent is not, and what is expected to be, is."""
    async with world.client(**TABLE[named][0], **more) as client:
        for deed, (tool, arguments) in DEEDS.items():
            world.state.requests.clear()
            assert await path(client, tool, arguments) == expected[deed], deed
            sent = world.sent() if deed == "read" else world.written()
            assert bool(sent) is (expected[deed] in {DONE, SENT}), deed


@pytest.mark.promise("switches-hold-on-every-path")
@SWITCHES
async def test_the_call_tool(world: World, named: str) -> None:
    await hold(world, named, by_call, dict(zip(DEEDS, TABLE[named][1], strict=True)))


@pytest.mark.promise("switches-hold-on-every-path")
@SWITCHES
async def test_direct_tools(world: World, named: str) -> None:
    tools = ",".join(tool for tool, _ in DEEDS.values())
    await hold(world, named, by_direct, dict(zip(DEEDS, TABLE[named][1], strict=True)), expose=tools)


@pytest.mark.promise("switches-hold-on-every-path")
@SWITCHES
@pytest.mark.parametrize("path", [by_read, by_batch])
async def test_the_read_tool_and_batches(world: World, named: str, path: Path) -> None:
    row = zip(DEEDS, TABLE[named][1], strict=True)
    await hold(world, named, path, {deed: reading(expected, deed) for deed, expected in row})


@pytest.mark.promise("switches-hold-on-every-path")
@SWITCHES
async def test_the_preview(world: World, named: str) -> None:
    async with world.client(**TABLE[named][0]) as client:
        for (tool, arguments), expected in zip(DEEDS.values(), TABLE[named][1], strict=True):
            shown = await ask(client, PREVIEW, tool_name=tool, arguments=arguments)
            error = shown.get("error")
            assert (error or {}).get("type") == (expected if expected in {OFF, NO_WRITES} else None), tool

    assert world.written() == []


@pytest.mark.promise("switches-hold-on-every-path")
@SWITCHES
async def test_the_command_line(world: World, named: str) -> None:
    switches, row = TABLE[named]
    async with open_calls(world.settings(**switches)) as calls:
        for (deed, (tool, arguments)), expected in zip(DEEDS.items(), row, strict=True):
            world.state.requests.clear()
            assert await _by_command(calls, tool, arguments) == expected, deed
            sent = world.sent() if deed == "read" else world.written()
            assert bool(sent) is (expected in {DONE, SENT}), deed


async def _by_command(calls: Calls, tool: str, arguments: JsonObject) -> str:
    request = CallRequest(tool, arguments, "cli", consent=Consent(confirm_write=True))
    return what_became((await calls.call(request, AtTerminal())).as_json())


@pytest.mark.promise("switches-hold-on-every-path")
@pytest.mark.parametrize(
    ("options", "environment", "expected"),
    [
        (["--read-only"], {}, OFF),
        ([], {"HANDRAIL_READ_ONLY": "1"}, OFF),
        (["--deny", "teams", "--writes", "allow"], {}, OFF),
        (["--writes", "off"], {}, NO_WRITES),
        ([], {"HANDRAIL_WRITES": "off"}, NO_WRITES),
        (["--services", "users"], {"HANDRAIL_WRITES": "allow"}, OFF),
        (["--tools", "users_list"], {}, OFF),
        (["--read-only"], {"HANDRAIL_READ_ONLY": "0", "HANDRAIL_WRITES": "allow"}, OFF),
        (["--writes", "allow"], {"HANDRAIL_READ_ONLY": "1"}, OFF),
    ],
)
async def test_the_real_command(
    world: World, command: Command, options: list[str], environment: dict[str, str], expected: str
) -> None:
    tool, arguments = DEEDS["write"]

    def run() -> str:
        given = {**world.environment, **environment}
        return command("call", tool, json.dumps(arguments), "--confirm-write", "--json", *options, **given).stdout

    assert what_became(json.loads(await anyio.to_thread.run_sync(run))) == expected
    assert world.sent() == []
