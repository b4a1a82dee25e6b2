"""The steps of the demo."""

import os
import sys
import textwrap
from pathlib import Path
from typing import Any, Final, cast

import mcp_types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from handrail.cli.demo.durable import kill_server_in_a_run, read_by_another_server, telling_its_process
from handrail.cli.demo.following import CLIENT, Follower, call
from handrail.cli.demo.stage import Stage
from handrail.cli.demo.task_client import TasksClient
from handrail.sandbox import Sandbox, SandboxState, serve_sandbox

__all__ = ["show"]

_SUMMARY: Final = 60  # characters of what a tool does
_PATH: Final = {"database_id": "shop", "table_id": "products"}
_ROW: Final = {**_PATH, "row_id": "demo"}
_NEW_ROW: Final = {**_ROW, "data": {"name": "Lantern", "price": 18.5}}
_DELETE: Final = {"tool_name": "tables_db_delete_row", "arguments": _ROW}


async def show(stage: Stage, home: Path) -> None:
    """Go through all steps.

    Args:
        stage: where they are told.
        home: a folder that the server keeps its things in.
    """
    follower = Follower(stage)
    async with serve_sandbox(SandboxState.seeded()) as sandbox:
        stage.step("The local stand-in for Appwrite starts")
        stage.say(f"It listens on {sandbox.endpoint}, with a project '{sandbox.project_id}' to look at.")
        server = _server(sandbox, home)
        told = home / "server.pid"
        first = telling_its_process(server, told)
        async with Client(first, extensions=[TasksClient(follower)], client_info=CLIENT) as client:
            await _tools(stage, client)
            await _search(stage, client)
            await _read(stage, client)
            await _refused_write(stage, client, sandbox)
            await _confirmed_write(stage, client, sandbox)
            await _preview(stage, client, sandbox)
            await _grave_write(stage, client, sandbox)
            await _task(stage, client, follower)
            await _cancelled_task(stage, client, follower)
            run_id = await kill_server_in_a_run(stage, client, follower, int(told.read_text()))
        await read_by_another_server(stage, server, run_id)


def _server(sandbox: Sandbox, home: Path) -> StdioServerParameters:
    """The real server as a child over stdio, as a host starts it."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "handrail", "serve"],
        env={
            "HANDRAIL_HOME": str(home),
            "APPWRITE_ENDPOINT": sandbox.endpoint,
            "APPWRITE_PROJECT_ID": sandbox.project_id,
            "APPWRITE_API_KEY": sandbox.api_key,
            "PATH": os.environ.get("PATH", ""),
        },
    )


async def _tools(stage: Stage, client: Client) -> None:
    stage.step("The server starts as a child over stdio, and a client lists its tools")
    tools = (await client.list_tools()).tools
    stage.say(f"MCP {client.protocol_version}; {len(tools)} tools:")
    for tool in tools:
        stage.say(f"  {tool.name:<26}{_hint_words(tool)}")
    stage.check(that=all(tool.annotations and tool.title for tool in tools), means="a tool lacks its hints")
    stage.why("Reads have a tool of their own, so that a host can run them without asking.")


def _hint_words(tool: types.Tool) -> str:
    hints = tool.annotations or types.ToolAnnotations()
    if hints.read_only_hint:
        return "read-only"
    destructive = "may destroy" if hints.destructive_hint is not False else "adds or ends, destroys nothing"
    return f"write, {destructive}"


async def _search(stage: Stage, client: Client) -> None:
    stage.step("A tool is found by plain words: 'show all rows of a table'")
    found = cast("list[dict[str, Any]]", (await call(client, "appwrite_search_tools", {
        "query": "show all rows of a table", "limit": 3,
    }))["tools"])  # fmt: skip
    for tool in found:
        kind = "read" if tool["hints"]["readOnlyHint"] else "write"
        stage.say(f"{tool['name']:<28}{kind:<7}{textwrap.shorten(tool['summary'], _SUMMARY, placeholder='…')}")
    names = [tool["name"] for tool in found]
    stage.check(that="tables_db_list_rows" in names, means="the search did not find tables_db_list_rows")


async def _read(stage: Stage, client: Client) -> None:
    stage.step("A read runs: tables_db_list_rows")
    answer = await call(client, "appwrite_call_read_tool", {"tool_name": "tables_db_list_rows", "arguments": _PATH})
    rows = answer["result"]["rows"]
    stage.check(that=answer["outcome"] == "done" and bool(rows), means=f"the read answered {answer}")
    stage.say(f"outcome done, status {answer['status']}, {len(rows)} rows; the first: {rows[0]['name']}")


async def _refused_write(stage: Stage, client: Client, sandbox: Sandbox) -> None:
    stage.step("A write is refused without confirmation: tables_db_create_row")
    before = len(sandbox.state.requests)
    answer = await call(client, "appwrite_call_tool", {"tool_name": "tables_db_create_row", "arguments": _NEW_ROW})
    reached = len(sandbox.state.requests) - before
    stage.check(that=answer["outcome"] == "refused" and reached == 0, means=f"it was not refused: {answer}")
    stage.say(f"outcome {answer['outcome']}: {answer['error']['message']}")
    stage.say(f"requests that reached the backend meanwhile: {reached}")
    stage.why(answer["error"]["next"])


async def _confirmed_write(stage: Stage, client: Client, sandbox: Sandbox) -> None:
    stage.step("The same write runs, confirmed")
    before = len(sandbox.state.requests)
    answer = await call(
        client,
        "appwrite_call_tool",
        {"tool_name": "tables_db_create_row", "arguments": _NEW_ROW, "confirm_write": True},
    )
    reached = list(sandbox.state.requests)[before:]
    stage.check(that=answer["outcome"] == "done" and len(reached) == 1, means=f"it did not run once: {answer}")
    stage.say(f"outcome done, status {answer['status']}; the backend saw {reached[0].method} {reached[0].path}")


async def _preview(stage: Stage, client: Client, sandbox: Sandbox) -> None:
    stage.step("A delete is looked at before it is made: appwrite_preview_call")
    before = len(sandbox.state.requests)
    seen = await call(client, "appwrite_preview_call", _DELETE)
    reached = list(sandbox.state.requests)[before:]
    shown = bool(seen.get("current")) and {request.method for request in reached} == {"GET"}
    stage.check(that=shown, means=f"the preview answered {seen}")
    stage.say(f"it would send {seen['request']['method']} {seen['request']['path']}")
    stage.say(f"what is there now: {seen['current']['name']}, price {seen['current']['price']}; {seen['irreversible']}")
    stage.say(f"the backend saw only {reached[0].method} {reached[0].path}")


async def _grave_write(stage: Stage, client: Client, sandbox: Sandbox) -> None:
    stage.step("The delete waits for a person, whatever the model says: tables_db_delete_row")
    before = len(sandbox.state.requests)
    answer = await call(client, "appwrite_call_tool", {**_DELETE, "confirm_write": True})
    changing = [request for request in list(sandbox.state.requests)[before:] if request.method != "GET"]
    waits = answer["outcome"] == "needs_approval" and not changing
    stage.check(that=waits, means=f"it did not wait: {answer}")
    stage.say(f"outcome {answer['outcome']}: {answer['error']['message']}")
    stage.say(f"requests that could change something meanwhile: {len(changing)}")
    stage.why(answer["error"]["next"])


async def _task(stage: Stage, client: Client, follower: Follower) -> None:
    stage.step("An agent runs as a task, with live status: counter")
    view = await call(client, "run_agent", {"agent": "counter", "params": {"steps": 5, "delay_s": 0.2}})
    follower.end()
    stage.check(that=view["status"] == "completed" and view["result"]["ok"], means=f"the run ended as {view}")
    stage.say(f"run {view['run_id']} {view['status']}: counted to {view['result']['count']}")
    stage.why("The call became a task at once; the client looked in until it had ended.")


async def _cancelled_task(stage: Stage, client: Client, follower: Follower) -> None:
    stage.step("A second run is cancelled")
    follower.cancel_after = 3
    view = await call(client, "run_agent", {"agent": "counter", "params": {"steps": 50, "delay_s": 0.2}})
    follower.end()
    stage.check(that=view["status"] == "cancelled", means=f"the run ended as {view}")
    kept = await call(client, "get_run", {"run_id": view["run_id"]})
    stage.check(that=kept["status"] == "cancelled", means=f"the run is now {kept['status']}")
    stage.say(f"run {view['run_id']} {kept['status']} after {kept['elapsed_s']:.1f} s, and stays so")
