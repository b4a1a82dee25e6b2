"""The record of the real server: every write and refusal, who agreed, and what is told after a crash."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from mcp import MCPError
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from handrail.home import home_folder
from handrail.journal import Journal, open_journal
from handrail.json_types import JsonObject
from handrail.sandbox import Fault, FaultKind, SandboxState, serve_sandbox
from tests.cli.conftest import Command
from tests.gate.test_approval import DELETED, HAMMER
from tests.gate.world import CALL, MODES, READ, Form, World, approval_of, ask, kind

CANARY: Final = "standard_canary_b7e2f0c4d9a1486e"
TEAM: Final[JsonObject] = {"tool_name": "teams_create", "arguments": {"team_id": "t", "name": "T"}}


@asynccontextmanager
async def journal_of(world: World) -> AsyncIterator[Journal]:
    async with open_journal(lambda: home_folder(world.settings()), "", secrets=[]) as journal:
        yield journal


async def rows(world: World) -> list[dict[str, Any]]:
    """The rows of the home, oldest first."""
    async with journal_of(world) as journal:
        return [dict(row.as_json()) for row in reversed((await journal.list()).rows)]


@pytest.mark.promise("every-write-and-refusal-has-its-row")
@pytest.mark.parametrize("mode", MODES)
async def test_every_write_and_every_refusal_has_its_row_with_who_agreed(world: World, mode: str) -> None:
    async with world.client(mode) as client:
        answers = [
            await ask(client, READ, tool_name="users_list"),
            await ask(client, CALL, **TEAM),
            await ask(client, CALL, **TEAM, confirm_write=True),
            await ask(client, CALL, **TEAM, confirm_write=True),
            waits := await ask(client, CALL, **HAMMER),
        ]
        world.approve(approval_of(waits))
        answers.append(await ask(client, CALL, **HAMMER, approval=approval_of(waits)))
        answers.append(await ask(client, CALL, **HAMMER, approval=approval_of(waits)))
        answers.append(await ask(client, READ, tool_name="teams_delete", arguments={"team_id": "t"}))
    async with world.client(mode, Form("accept", approve=True)) as client:
        answers.append(await ask(client, CALL, tool_name="teams_delete", arguments={"team_id": "t"}))
    async with world.client(mode, Form("decline")) as client:
        answers.append(await ask(client, CALL, tool_name="teams_delete", arguments={"team_id": "staff"}))
    async with world.client(mode, writes="off") as client:
        answers.append(await ask(client, CALL, **TEAM, confirm_write=True))
    async with world.client(mode, read_only=True) as client:
        answers.append(await ask(client, CALL, **TEAM, confirm_write=True))
    async with world.client(mode, writes="allow") as client:
        answers.append(await ask(client, CALL, **HAMMER))

    kept = await rows(world)
    person = f"person: handrail approve {approval_of(waits)}"
    # In 2026-07-28 the call ends with the question, and its answer comes as another call.
    asked = [] if mode == "legacy" else [("teams_delete", "needs_approval", "none", "", None)]
    assert [(row["tool"], row["outcome"], row["level"], row["by"], row["status"]) for row in kept] == [
        ("teams_create", "refused", "none", "", None),
        ("teams_create", "done", "model", "model: confirm_write", 201),
        ("teams_create", "failed", "model", "model: confirm_write", 409),
        ("tables_db_delete_row", "needs_approval", "none", "", None),
        ("tables_db_delete_row", "done", "person", person, 204),
        ("tables_db_delete_row", "refused", "none", "", None),
        ("teams_delete", "refused", "none", "", None),
        *asked,
        ("teams_delete", "done", "client", "client: elicitation", 204),
        *asked,
        ("teams_delete", "refused", "none", "", None),
        ("teams_create", "refused", "none", "", None),
        ("teams_create", "refused", "none", "", None),
        ("tables_db_delete_row", "failed", "none", "switch: writes=allow", 404),
    ]
    answered = [row["id"] for row in kept if (row["tool"], row["outcome"]) != ("teams_delete", "needs_approval")]
    assert [answer["journal_id"] for answer in answers] == [None, *answered]
    assert kept[1]["request"] == "POST /teams"
    assert kept[4]["request"] == "DELETE /tablesdb/shop/tables/products/rows/hammer"
    assert {row["owner"] for row in kept} == {"local"}


@pytest.mark.promise("every-write-and-refusal-has-its-row")
async def test_each_surface_is_named(world: World, command: Command) -> None:
    arguments = json.dumps(TEAM["arguments"])
    async with world.client(expose="teams_create") as client:
        await ask(client, "teams_create", team_id="t", name="T", confirm_write=True)
        await ask(client, CALL, **TEAM)
    await anyio.to_thread.run_sync(lambda: command("call", "teams_create", arguments, **world.environment))

    assert [row["surface"] for row in await rows(world)] == ["direct", CALL, "cli"]


@asynccontextmanager
async def process(world: World, folder: Path, **environment: str) -> AsyncIterator[tuple[Client, Path]]:
    """The real server as a process, with the file that its log goes to."""
    log = folder / "stderr.txt"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "handrail", "serve", "--toolset", "appwrite"],
        env={"PATH": os.defpath, **world.environment, **environment},
    )
    with log.open("w") as errors, anyio.fail_after(60):
        async with Client(stdio_client(server, errlog=errors), mode="legacy") as client:
            yield client, log


def process_of(home: Path) -> int:
    """The number of the server process of this home."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout  # noqa: S607  (the system's own)
    wanted = [line.split()[0] for line in listed.splitlines() if "handrail serve --toolset appwrite" in line]
    mine = [int(pid) for pid in wanted if str(home).encode() in Path(f"/proc/{pid}/environ").read_bytes()]
    assert len(mine) == 1
    return mine[0]


@pytest.mark.promise("a-crash-leaves-unknown")
async def test_a_server_killed_between_send_and_answer_leaves_a_row_that_reads_unknown(
    world: World, tmp_path: Path
) -> None:
    world.state.faults.add(Fault(FaultKind.HANG, method="POST", applied=True))

    async def write(client: Client) -> None:
        with pytest.raises(MCPError):  # the connection ends
            await client.call_tool(CALL, {**TEAM, "confirm_write": True})

    async with (
        process(world, tmp_path, HANDRAIL_CALL_TIMEOUT_S="30") as (client, _),
        anyio.create_task_group() as group,
    ):
        group.start_soon(write, client)
        with anyio.fail_after(20):
            while not world.written():
                await anyio.lowlevel.checkpoint()
        os.kill(process_of(world.home), signal.SIGKILL)

    assert "t" in world.state.teams, "it had its effect"
    (row,) = await rows(world)
    assert (row["tool"], row["outcome"], row["by"]) == ("teams_create", "unknown", "model: confirm_write")


@pytest.mark.promise("no-journal-no-write")
@pytest.mark.parametrize(("mode", "given"), [("legacy", {"writes": "confirm"}), ("auto", {"writes": "allow"})])
async def test_without_a_home_nothing_is_written_and_reads_go_on(
    world: World, tmp_path: Path, mode: str, given: dict[str, object]
) -> None:
    blocked = tmp_path / "a-file"
    blocked.write_text("in the way")
    async with world.client(mode, home=blocked / "home", **given) as client:
        read = await ask(client, READ, tool_name="users_list")
        plain = await ask(client, CALL, **TEAM, confirm_write=True)
        grave = await ask(client, CALL, **HAMMER)

    assert kind(read) == ("done", None)
    assert (plain["outcome"], grave["outcome"]) == ("refused", "refused")
    assert plain["error"]["type"] == "journal_unusable"
    assert "HANDRAIL_HOME" in plain["error"]["next"]
    assert world.written() == []


def holding(home: Path, word: str) -> list[str]:
    """The files below a folder that hold a word."""
    return [path.name for path in home.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


@pytest.mark.promise("key-never-shows")
async def test_the_key_appears_in_no_file_answer_or_log(tmp_path: Path, home: Path) -> None:
    state = SandboxState.seeded()
    state.keys[CANARY] = None
    async with serve_sandbox(state) as sandbox:
        world = World(home, sandbox)
        seen: list[object] = []
        async with process(world, tmp_path, APPWRITE_API_KEY=CANARY) as (client, log):
            seen.append(await ask(client, "appwrite_get_context"))
            seen.append(await ask(client, READ, tool_name="users_list"))
            seen.append(await ask(client, READ, tool_name=CANARY, arguments={CANARY: CANARY}))
            named: JsonObject = {"tool_name": "teams_create", "arguments": {"team_id": "k", "name": f"key {CANARY}"}}
            seen.append(await ask(client, CALL, **named))
            written = await ask(client, CALL, **named, confirm_write=True)
            state.faults.add(Fault(FaultKind.DROP_AFTER, method="POST"))
            seen.append(await ask(client, CALL, **TEAM, confirm_write=True))
            waits = await ask(client, CALL, tool_name="teams_delete", arguments={"team_id": "k"})

    assert kind(written) == ("done", None)
    assert waits["outcome"] == "needs_approval"
    assert CANARY not in json.dumps(seen[:2] + seen[5:])
    assert CANARY not in log.read_text()
    assert holding(home, CANARY) == []


async def test_a_write_is_in_the_journal_before_it_is_sent(world: World) -> None:
    world.state.faults.add(Fault(FaultKind.HANG, method="POST"))
    async with world.client() as client, anyio.create_task_group() as group:
        group.start_soon(client.call_tool, CALL, {**TEAM, "confirm_write": True})
        with anyio.fail_after(20):
            while not world.written():
                await anyio.lowlevel.checkpoint()
        during = await rows(world)
        group.cancel_scope.cancel()

    assert [(row["tool"], row["outcome"]) for row in during] == [("teams_create", "open")]
    assert [row["outcome"] for row in await rows(world)] == ["unknown"]
    assert DELETED not in world.sent()
