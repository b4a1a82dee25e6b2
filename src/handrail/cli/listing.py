"""`handrail tools`, `handrail search`, `handrail agents` and `handrail settings`."""

import json
from collections.abc import Mapping
from typing import Any, cast

import anyio
import mcp_types as types
from pydantic import SecretStr

from handrail.agents import built_in_agents
from handrail.agents.tools import agent_tools
from handrail.appwrite.catalog import load_catalogs
from handrail.appwrite.tool_search import ToolSearch
from handrail.cli.caller import AtTerminal
from handrail.cli.output import Colour, paint, print_json, print_line, print_table
from handrail.composition import open_server
from handrail.decisions import built_in_models
from handrail.home import home_folder
from handrail.json_types import Json
from handrail.protocol import ServerTool
from handrail.settings import Settings, described_settings, load_settings, set_settings
from handrail.toolset import Toolset

__all__ = ["list_agents", "list_settings", "list_tools", "search_tools"]


def list_tools(*, as_json: bool, toolsets: list[Toolset] | None, given: Mapping[str, object]) -> None:
    """Print the tools as a host sees them.

    Raises:
        UsageError: there is nothing of a name that shall be exposed.
    """
    tools = anyio.run(_listed, load_settings(**given), toolsets or [])
    if as_json:
        print_json([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools])
        return
    print_table(["tool", "read", "destr", "idem", "open", "title"], [_cells(tool) for tool in tools])


async def _listed(settings: Settings, toolsets: list[Toolset]) -> list[types.Tool]:
    """What a client of this server gets from tools/list, page by page."""
    from mcp.client import Client

    async with open_server(settings, toolsets=toolsets) as server, Client(server) as client:
        page = await client.list_tools()
        tools = [*page.tools]
        while page.next_cursor is not None:
            page = await client.list_tools(cursor=page.next_cursor)
            tools += page.tools
        return tools


def _cells(tool: types.Tool) -> list[str]:
    hints = tool.annotations or types.ToolAnnotations()
    values = (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
    return [tool.name, *({True: "yes", False: "no", None: "unset"}[value] for value in values), tool.title or ""]


def search_tools(query: str, *, limit: int, services: list[str], as_json: bool) -> None:
    """Print the methods that fit a request.

    Raises:
        ArgumentError: a service that does not exist.
    """
    search = ToolSearch(load_catalogs(home_folder(load_settings())), patience_s=None)
    found = search.find(query, limit=limit, services=services)
    if as_json:
        print_json(found)
        return
    hits = cast("list[dict[str, Any]]", found["tools"])
    if not hits:
        print_line("Nothing fits; try other words.")
        return
    print_table(["tool", "kind", "score", "what it does"], [_hit_cells(hit) for hit in hits])


def _hit_cells(hit: dict[str, Any]) -> list[str]:
    kind = "read" if hit["hints"]["readOnlyHint"] else "write"
    old = f" (deprecated: use {hit['replacement']})" if hit["deprecated"] else ""
    return [hit["name"], kind, f"{hit['score']:.2f}", f"{hit['summary']}{old}"]


def list_agents(*, as_json: bool) -> None:
    """Print the agents and the decision models: what the tool `list_agents` answers."""
    tools = agent_tools(built_in_agents(), built_in_models())
    tool = next(tool for tool in tools if isinstance(tool, ServerTool) and tool.name == "list_agents")
    found = anyio.run(tool.handler, AtTerminal(), {}).structured
    if as_json:
        print_json(found)
        return
    for agent in cast("list[dict[str, Any]]", found["agents"]):
        here = "" if agent["available"] else paint(f"  cannot run here: {agent['fix']}", Colour.CARE)
        print_line(f"{paint(agent['name'], Colour.STRONG)}  {agent['description']}{here}")
        for name, details in agent["params"].get("properties", {}).items():
            print_line(f"  {name:<16}{_param(details)}")
    print_line(f"\n{paint('Decision models', Colour.STRONG)} (--model; the first is the default)")
    for model in cast("list[dict[str, Any]]", found["models"]):
        print_line(f"  {model['name']:<16}{model['description']}")
    print_line("\nStart one: handrail run AGENT --params '{\"name\": value}'")


def _param(details: dict[str, Any]) -> str:
    default = f" (default {json.dumps(details['default'], ensure_ascii=False)})" if "default" in details else ""
    return f"{details.get('description', '')}{default}"


def list_settings(*, as_json: bool) -> None:
    """Print every setting: what it means, what it is where nobody sets it, and whether it is set (never to what)."""
    present = set_settings()
    rows = [(name, _default(info.default), info.description or "") for name, info in described_settings().items()]
    if as_json:
        shown: list[Json] = [
            {"name": name, "default": default, "description": text, "set": name in present, "wrong": present.get(name)}
            for name, default, text in rows
        ]
        print_json(shown)
        return
    print_table(
        ["environment", "default", "now", "what it sets"],
        [[name, default or "-", _state(name, present), text] for name, default, text in rows],
    )
    for name, wrong in present.items():
        if wrong:
            print_line(f"{paint('wrong', Colour.BAD)}: {name}: {wrong}")


def _state(name: str, present: Mapping[str, str | None]) -> str:
    if name not in present:
        return "-"
    return "wrong" if present[name] else "set"


def _default(value: object) -> str | None:
    shown = value.get_secret_value() if isinstance(value, SecretStr) else value
    return None if shown is None or str(shown) == "" else str(shown)
