"""Methods as tools of their own: how they are listed, and that they are gated and answered as the call tools are."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import jsonschema
import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.client import Client

from handrail.appwrite import Calls
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.catalog.model import Deprecation, Method
from handrail.appwrite.definitions import ALL as EVERY_MEMBER
from handrail.appwrite.definitions import APPROVAL, CONFIRM_WRITE, PublicTool
from handrail.appwrite.direct_tools import MAX_DESCRIPTION, direct_tools
from handrail.appwrite.evidence import judge
from handrail.appwrite.exposure import ALL, ExposureError, exposed_methods, exposed_names
from handrail.json_types import Json, JsonObject
from handrail.protocol import ServerTool, create_server
from handrail.protocol.toolbox import PAGE
from handrail.sandbox import Fault, FaultKind, Sandbox
from tests.appwrite.callers import Caller
from tests.appwrite.samples import READ

TABLE: JsonObject = {"database_id": "shop", "table_id": "products"}
ROW: JsonObject = {**TABLE, "row_id": "r9", "data": {"name": "Lantern", "price": 18.5}}
FOR_THE_GATE = {CONFIRM_WRITE, APPROVAL, EVERY_MEMBER}
ANSWER_KEYS = {"tool", "outcome", "status", "result", "error", "project", "journal_id", "next_page"}


@pytest.fixture
async def tools(catalog: Catalog, calls: Calls) -> dict[str, ServerTool]:
    """Every method as a tool."""
    return {tool.name: tool for tool in direct_tools(catalog, calls)}


@pytest.fixture
async def client(catalog: Catalog, calls: Calls) -> AsyncIterator[Client]:
    async with Client(create_server(direct_tools(catalog, calls))) as connected:
        yield connected


def _properties(tool: ServerTool) -> dict[str, Json]:
    properties = tool.input_schema["properties"]
    assert isinstance(properties, dict)
    return properties


def _answer(result: types.CallToolResult) -> dict[str, Any]:
    """The answer, after making sure that it is of the call tools' shape and its text says the same."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    answer = dict(result.structured_content or {})
    assert answer == json.loads(block.text)
    assert set(answer) >= ANSWER_KEYS
    return answer


@pytest.mark.promise("no-hint-missing")
async def test_every_method_is_listed_with_its_own_hints_words_and_risks(
    catalog: Catalog, tools: dict[str, ServerTool]
) -> None:
    assert list(tools) == list(catalog.names())
    for method in catalog:
        tool, effect = tools[method.tool], judge(method)
        shown = tool.annotations.model_dump(by_alias=True, exclude_none=True)
        assert shown == {"title": tool.title, **effect.hints.as_dict()}
        assert tool.meta == {
            "handrail/service": method.service,
            "handrail/risks": sorted(effect.risks),
            "handrail/rule": effect.rule,
            "handrail/reason": effect.reason,
        }
        assert 0 < len(tool.description) <= MAX_DESCRIPTION


async def test_every_name_fits_every_host_and_is_no_public_tools(tools: dict[str, ServerTool]) -> None:
    assert [name for name in tools if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name)] == []
    assert set(tools).isdisjoint(tool.value for tool in PublicTool)
    assert ALL not in tools


async def test_no_two_tools_have_one_title_but_for_those_that_the_sdk_itself_names_alike(
    catalog: Catalog, tools: dict[str, ServerTool]
) -> None:
    named = {(method.service, method.title) for method in catalog}

    assert len({tool.title for tool in tools.values()}) == len(named)


@pytest.mark.promise("direct-tools-are-gated")
def test_no_method_has_an_argument_of_a_name_that_speaks_for_a_write(catalog: Catalog) -> None:
    assert [method.tool for method in catalog if FOR_THE_GATE & {p.name for p in method.parameters}] == []


async def test_every_schema_is_the_methods_own_with_what_speaks_for_it_where_it_is_no_read(
    catalog: Catalog, tools: dict[str, ServerTool]
) -> None:
    for method in catalog:
        tool = tools[method.tool]
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        own = {name: details for name, details in _properties(tool).items() if name not in FOR_THE_GATE}
        assert {**tool.input_schema, "properties": own} == method.input_schema()
        assert _properties(tool).keys() & FOR_THE_GATE == (set() if tool.annotations.read_only_hint else FOR_THE_GATE)


@pytest.mark.parametrize(
    ("description", "deprecation", "shown"),
    [
        ("Short.", None, "Short."),
        ("Short.", Deprecation("old", "things_get_new"), "Deprecated: use things_get_new. Short."),
        ("Short.", Deprecation("old", None), "Deprecated. Short."),
        ("", None, "A thing."),
        ("x" * MAX_DESCRIPTION, None, "x" * MAX_DESCRIPTION),
        ("x" * (MAX_DESCRIPTION + 1), None, "x" * (MAX_DESCRIPTION - 1) + "…"),
        ("word " * MAX_DESCRIPTION, None, "word " * (MAX_DESCRIPTION // 5 - 2) + "word…"),
    ],
)
async def test_a_description_is_cut_at_a_word_and_says_what_is_deprecated(
    calls: Calls, description: str, deprecation: Deprecation | None, shown: str
) -> None:
    (tool,) = direct_tools([replace(READ, description=description, deprecation=deprecation)], calls)

    assert tool.description == shown


async def test_a_thousand_tools_come_in_pages_that_lose_nothing(client: Client, catalog: Catalog) -> None:
    names: list[str] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        assert 0 < len(page.tools) <= PAGE
        names += [tool.name for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            break

    assert names == list(catalog.names())


async def test_the_wire_shows_risks_and_reason(client: Client) -> None:
    page = await client.list_tools()
    while "databases_delete_documents" not in (shown := {tool.name: tool for tool in page.tools}):
        page = await client.list_tools(cursor=page.next_cursor)

    meta = shown["databases_delete_documents"].meta or {}
    assert meta["handrail/risks"] == ["bulk", "irreversible"]
    assert meta["handrail/reason"]


async def test_a_read_runs_and_answers_as_the_call_tool_does(client: Client, caller: Caller) -> None:
    result = await client.call_tool("tables_db_list_rows", TABLE)

    expected = await caller.read("tables_db_list_rows", TABLE)
    assert (result.is_error, _answer(result)) == (False, expected.as_json())


async def test_what_is_listed_as_a_read_never_writes_whatever_the_gate_finds_in_the_call(
    catalog: Catalog, calls: Calls, sandbox: Sandbox
) -> None:
    posing = replace(READ, tool="tables_db_delete", parameters=catalog.get("tables_db_delete").parameters)
    async with Client(create_server(direct_tools([posing], calls))) as client:
        (listed,) = (await client.list_tools()).tools
        answer = _answer(await client.call_tool("tables_db_delete", {"database_id": "shop"}))

    assert listed.annotations is not None
    assert listed.annotations.read_only_hint
    assert (answer["outcome"], answer["error"]["type"], list(sandbox.state.requests)) == ("refused", "not_a_read", [])


@pytest.mark.promise("refused-sends-nothing")
@pytest.mark.promise("confirmation-is-exactly-true")
@pytest.mark.promise("direct-tools-are-gated")
@pytest.mark.parametrize(
    ("confirmation", "kind"),
    [
        ({}, "confirmation_required"),
        ({"confirm_write": False}, "confirmation_required"),
        ({"confirm_write": "true"}, "argument_invalid"),
        ({"confirm_write": 1}, "argument_invalid"),
        ({"confirm_write": None}, "argument_invalid"),
    ],
)
@pytest.mark.parametrize(
    ("tool", "arguments"), [("tables_db_create_row", ROW), ("users_update_name", {"user_id": "ada", "name": "Ada L."})]
)
async def test_a_write_without_its_confirmation_is_refused_and_sends_nothing(
    client: Client, sandbox: Sandbox, tool: str, arguments: JsonObject, confirmation: JsonObject, kind: str
) -> None:
    before = sandbox.state.digest()

    result = await client.call_tool(tool, {**arguments, **confirmation})

    answer = _answer(result)
    assert (result.is_error, answer["tool"], answer["outcome"], answer["error"]["type"]) == (
        True,
        tool,
        "refused",
        kind,
    )
    assert (list(sandbox.state.requests), sandbox.state.digest()) == ([], before)


@pytest.mark.promise("refused-sends-nothing")
@pytest.mark.promise("direct-tools-are-gated")
async def test_a_grave_write_waits_for_a_person(client: Client, sandbox: Sandbox) -> None:
    before = sandbox.state.digest()

    result = await client.call_tool("tables_db_delete", {"database_id": "shop", "confirm_write": True})

    assert (result.is_error, _answer(result)["outcome"]) == (True, "needs_approval")
    assert {sent.method for sent in sandbox.state.requests} <= {"GET"}
    assert sandbox.state.digest() == before


@pytest.mark.promise("direct-tools-are-gated")
async def test_a_confirmed_write_is_sent_once_without_its_confirmation(client: Client, sandbox: Sandbox) -> None:
    result = await client.call_tool("tables_db_create_row", {**ROW, "confirm_write": True})

    assert (_answer(result)["outcome"], result.is_error) == ("done", False)
    assert [f"{sent.method} {sent.path}" for sent in sandbox.state.requests] == [
        "POST /v1/tablesdb/shop/tables/products/rows"
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("users_list", {"confirm_write": True}, "confirm_write"),
        ("users_get", {"userId": "ada"}, "userId"),
        ("users_get", {}, "user_id"),
        ("users_delete", {"confirm_write": True}, "user_id"),
        ("users_get", {"user_id": 7}, "user_id"),
    ],
)
async def test_wrong_arguments_are_refused_in_the_shape_of_every_answer(
    client: Client, sandbox: Sandbox, tool: str, arguments: JsonObject, named: str
) -> None:
    answer = _answer(await client.call_tool(tool, arguments))

    assert (answer["tool"], answer["outcome"], answer["error"]["type"]) == (tool, "refused", "argument_invalid")
    assert answer["error"]["data"]["argument"] == named
    assert list(sandbox.state.requests) == []


async def test_a_lost_write_is_unknown_and_an_error(client: Client, sandbox: Sandbox) -> None:
    sandbox.state.faults.add(Fault(FaultKind.DROP_AFTER))

    result = await client.call_tool("tables_db_create_row", {**ROW, "confirm_write": True})

    assert (_answer(result)["outcome"], result.is_error) == ("unknown", True)


@pytest.mark.parametrize(
    ("text", "names"),
    [("", ()), (" , ,", ()), ("users", ("users",)), (" users , tokens_get,users,", ("users", "tokens_get"))],
)
def test_a_list_of_names_forgives_blanks_and_repetitions(text: str, names: Sequence[str]) -> None:
    assert exposed_names(text) == tuple(names)


@given(data=st.data())
def test_what_is_exposed_is_what_was_named_and_nothing_else(catalog: Catalog, data: st.DataObject) -> None:
    services = data.draw(st.lists(st.sampled_from(sorted(catalog.services())), max_size=2))
    tools = data.draw(st.lists(st.sampled_from(catalog.names()), max_size=3))
    names = exposed_names(",".join(data.draw(st.permutations([*services, *tools]))))

    shown = [method.tool for method in exposed_methods(catalog, names)]

    assert shown == [m.tool for m in catalog if m.service in services or m.tool in tools]


def test_all_exposes_every_method_once(catalog: Catalog) -> None:
    shown = [method.tool for method in exposed_methods(catalog, [ALL, "users", "users_get"])]

    assert shown == list(catalog.names())


@pytest.mark.promise("expose-fails-closed")
@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("usrs", "users"),
        ("Users", "users"),
        ("tablesDB", "tables_db"),
        ("users_lst", "users_list"),
        ("tables_db.list_rows", "tables_db_list_rows"),
        ("al", "all"),
        ("qqqq", None),
        ("x" * 5_000, None),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_right_one(catalog: Catalog, name: str, right: str | None) -> None:
    with pytest.raises(ExposureError) as caught:
        exposed_methods(catalog, ["all", name])

    assert (caught.value.data["name"], caught.value.data["nearest"]) == (name[:64], right)
    assert caught.value.next_step
    assert (right or ALL) in caught.value.next_step
    assert len(caught.value.message) + len(caught.value.next_step) < 1_000


def test_one_predicate_narrows_what_is_exposed_however_it_was_named(catalog: Catalog) -> None:
    def reads_only(method: Method) -> bool:
        return judge(method).is_read

    shown = exposed_methods(catalog, ["users", "users_delete", ALL], allowed=reads_only)

    assert {method.tool for method in shown} == {method.tool for method in catalog if judge(method).is_read}
