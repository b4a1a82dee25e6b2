"""Previews by the real server: what is there now and what would change, and that only reads are ever sent."""

from typing import Final

import pytest

from handrail.appwrite.catalog import Catalog
from handrail.json_types import JsonObject
from tests.gate.deeds import served_deeds
from tests.gate.world import MODES, PREVIEW, World, ask

_TABLE: Final[JsonObject] = {"database_id": "shop", "table_id": "products"}
_TOOLS: Final = '{"method":"equal","attribute":"category","values":["tools"]}'


@pytest.mark.promise("previews-send-only-reads")
@pytest.mark.parametrize("mode", MODES)
async def test_whatever_is_previewed_only_reads_arrive_and_nothing_changes(
    world: World, catalog: Catalog, mode: str
) -> None:
    before, deeds = world.state.digest(), served_deeds(catalog)
    shown: dict[str, JsonObject] = {}
    async with world.client(mode) as client:
        for deed in deeds:
            shown[deed.tool] = await ask(client, PREVIEW, tool_name=deed.tool, arguments=deed.arguments, all=True)

    assert len(shown) == 125
    assert [tool for tool, one in shown.items() if "error" in one] == []
    assert world.written() == []
    assert world.state.digest() == before
    reads = {deed.tool for deed in deeds if deed.reads}
    assert {tool for tool, one in shown.items() if one["needs"] == {"level": "none", "why": []}} == reads
    grave = {deed.tool for deed in deeds if deed.grave}
    assert {tool for tool, one in shown.items() if one["grave"]} == grave
    assert sum(one["current"] is not None or one["matches"] is not None for one in shown.values()) == 37


async def test_an_update_shows_the_row_and_the_difference(world: World) -> None:
    arguments: JsonObject = {**_TABLE, "row_id": "hammer", "data": {"price": 1, "stock": 12}}
    async with world.client() as client:
        shown = await ask(client, PREVIEW, tool_name="tables_db_update_row", arguments=arguments)

    assert shown["current"]["price"] == 19.9
    assert shown["changes"] == [{"field": "price", "before": 19.9, "after": 1, "known": True}]
    assert shown["request"]["method"] == "PATCH"
    assert shown["request"]["body"] == {"data": {"price": 1, "stock": 12}}
    assert world.sent() == ["GET /v1/tablesdb/shop/tables/products/rows/hammer"]


async def test_a_delete_shows_what_would_be_gone_and_that_it_is_gone_for_good(world: World) -> None:
    arguments: JsonObject = {**_TABLE, "row_id": "hammer"}
    async with world.client() as client:
        shown = await ask(client, PREVIEW, tool_name="tables_db_delete_row", arguments=arguments)

    assert shown["current"]["name"] == "Hammer"
    assert shown["irreversible"]
    assert set(shown["grave"]) == {"delete", "irreversible"}
    assert shown["needs"]["level"] == "client"


@pytest.mark.parametrize(("queries", "count"), [([_TOOLS], 3), ([], 8)])
@pytest.mark.parametrize(("tool", "more"), [("delete_rows", {}), ("update_rows", {"data": {"price": 1}})])
async def test_a_bulk_call_says_how_many_it_matches(
    world: World, queries: list[str], count: int, tool: str, more: JsonObject
) -> None:
    arguments: JsonObject = {**_TABLE, **more, "queries": [*queries]}
    async with world.client() as client:
        shown = await ask(client, PREVIEW, tool_name=f"tables_db_{tool}", arguments=arguments, all=True)

    assert (shown["matches"], "bulk" in shown["grave"]) == (count, True)


async def test_a_preview_does_not_read_what_a_switch_forbids(world: World) -> None:
    arguments: JsonObject = {**_TABLE, "row_id": "hammer"}
    async with world.client(deny="tables_db_get_row") as client:
        shown = await ask(client, PREVIEW, tool_name="tables_db_delete_row", arguments=arguments)

    assert shown["current"] is None
    assert "switched off" in shown["current_problem"]
    assert world.sent() == []


async def test_what_cannot_be_seen_is_said_and_the_rest_is_there(world: World) -> None:
    arguments: JsonObject = {**_TABLE, "row_id": "none-such"}
    async with world.client() as client:
        shown = await ask(client, PREVIEW, tool_name="tables_db_delete_row", arguments=arguments)

    assert shown["current"] is None
    assert shown["current_problem"]
    assert shown["request"]["method"] == "DELETE"
