"""The listing of tools."""

from dataclasses import replace

import pytest
from mcp.shared.exceptions import MCPError

from handrail.protocol import HandrailServer, RunTool, create_server
from handrail.protocol.toolbox import PAGE, Toolbox
from tests.protocol.peer import Era, Peer, connected
from tests.protocol.sample_tools import TOOLS, WALK

pytestmark = pytest.mark.unit

EVERY_ERA = pytest.mark.parametrize("era", list(Era), ids=lambda era: era.value)
MANY = [replace(TOOLS[0], name=f"tool_{number}") for number in range(2 * PAGE + 1)]


@EVERY_ERA
async def test_tools_are_listed_in_the_order_in_which_they_were_given(peer: Peer) -> None:
    tools = (await peer.result("tools/list"))["tools"]

    assert isinstance(tools, list)
    names = [tool["name"] for tool in tools if isinstance(tool, dict)]
    assert names == [*(tool.name for tool in TOOLS), "walk", "get_run", "answer_run", "list_runs", "cancel_run"]


@EVERY_ERA
async def test_only_a_client_of_2025_11_25_is_told_which_tools_may_be_tasks(peer: Peer, era: Era) -> None:
    tools = (await peer.result("tools/list"))["tools"]

    assert isinstance(tools, list)
    told = {str(tool["name"]): tool.get("execution") for tool in tools if isinstance(tool, dict)}
    expected = {"walk": {"taskSupport": "optional"}} if era is Era.V2025_11 else {}
    assert {name: execution for name, execution in told.items() if execution is not None} == expected


@EVERY_ERA
async def test_a_title_stands_on_the_tool_and_in_its_annotations_but_for_a_gateway(peer: Peer) -> None:
    tools = (await peer.result("tools/list"))["tools"]

    assert isinstance(tools, list)
    shown = {tool["name"]: tool for tool in tools if isinstance(tool, dict)}
    assert shown["echo"]["title"] == "Echo"
    assert shown["echo"]["annotations"] == {
        "title": "Echo",
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert shown["gateway"]["title"] == "Gateway"
    assert shown["gateway"]["annotations"] == {"readOnlyHint": False, "openWorldHint": True}


@pytest.mark.parametrize("era", [Era.MODERN, Era.MODERN_TASKS], ids=lambda era: era.value)
@pytest.mark.parametrize("method", ["tools/list", "server/discover"])
async def test_a_client_may_keep_a_listing_for_some_minutes(peer: Peer, method: str) -> None:
    result = await peer.result(method)

    assert (result["ttlMs"], result["cacheScope"]) == (300_000, "public")


@EVERY_ERA
async def test_a_long_listing_comes_in_pages_that_lose_nothing(era: Era) -> None:
    names: list[object] = []
    cursor: str | None = None
    async with connected(create_server(MANY), era) as peer:
        while True:
            page = await peer.result("tools/list", {"cursor": cursor} if cursor else {})
            assert isinstance(page["tools"], list)
            names += [tool["name"] for tool in page["tools"] if isinstance(tool, dict)]
            if "nextCursor" not in page:
                break
            cursor = str(page["nextCursor"])

    assert names == [tool.name for tool in MANY]


@EVERY_ERA
async def test_a_cursor_that_is_not_ours_is_refused(peer: Peer) -> None:
    error = await peer.error("tools/list", {"cursor": "from elsewhere"})

    assert error["code"] == -32602


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="echo"):
        Toolbox([TOOLS[0], TOOLS[0]])


def test_a_tool_that_starts_runs_needs_an_engine() -> None:
    with pytest.raises(ValueError, match="engine"):
        create_server([WALK])


def test_the_last_page_may_be_exactly_full() -> None:
    box = Toolbox(MANY[: 2 * PAGE])

    last = box.page(MANY[PAGE - 1].name, with_tasks=False)

    assert len(last.tools) == PAGE
    assert last.next_cursor is None
    with pytest.raises(MCPError):
        box.page("nobody", with_tasks=False)


async def test_a_schema_is_found_by_the_name_of_its_tool(server: HandrailServer) -> None:
    assert isinstance(WALK, RunTool)
    assert server.get_tool_input_schema is not None
    assert server.get_tool_input_schema("walk") == WALK.input_schema
    assert server.get_tool_input_schema("nobody") is None
