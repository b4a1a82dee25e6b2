"""`handrail tools`, `handrail search` and `handrail settings`."""

from collections.abc import Sequence
from typing import Any, cast

import anyio
import mcp_types as types

from handrail.appwrite.catalog import load_catalogs
from handrail.appwrite.tool_search import ToolSearch
from handrail.cli.output import print_json, print_line, print_table
from handrail.composition import open_server
from handrail.home import home_folder
from handrail.json_types import Json
from handrail.settings import Settings, load_settings
from handrail.toolset import Toolset

__all__ = ["list_settings", "list_tools", "search_tools"]


def list_tools(*, as_json: bool, toolsets: list[Toolset] | None, expose: Sequence[str] | None) -> None:
    """Print the tools as a host sees them.

    Raises:
        UsageError: there is nothing of a name that shall be exposed.
    """
    tools = anyio.run(_listed, load_settings(expose=expose), toolsets or [])
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
    search = ToolSearch(load_catalogs(home_folder(load_settings())))
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


def list_settings(*, as_json: bool) -> None:
    """Print every setting with what it means and what it is where nobody sets it."""
    rows = [(name, _default(info.default), info.description or "") for name, info in described_settings().items()]
    if as_json:
        shown: list[Json] = [{"name": name, "default": default, "description": text} for name, default, text in rows]
        print_json(shown)
        return
    print_table(
        ["environment", "default", "what it sets"], [[name, default or "-", text] for name, default, text in rows]
    )


def _default(value: object) -> str | None:
    return None if value is None or str(value) == "" else str(value)
