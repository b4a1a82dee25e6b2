"""What a model is told before it begins: where calls go, what the key may read, what is switched on."""

import json

import anyio
import pytest

from handrail.appwrite import Backend, Limits, Transport, open_transport
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.context import context_of
from handrail.json_types import Json, JsonObject
from handrail.sandbox import Fault, FaultKind, Sandbox

_MOST_BYTES = 2000


def _size(answer: JsonObject) -> int:
    return len(json.dumps(answer, ensure_ascii=False).encode())


def _texts(value: Json) -> set[str]:
    assert isinstance(value, list)
    return {str(one) for one in value}


async def test_a_key_of_all_scopes_may_read_what_the_server_has(transport: Transport, catalog: Catalog) -> None:
    answer = await context_of(transport, catalog)

    assert answer["ready"] is True
    assert isinstance(answer["key"], dict)
    read = answer["key"]["read"]
    assert isinstance(read, dict)
    assert {"users.read", "rows.read", "files.read", "execution.read"} <= _texts(read["granted"])
    assert "refused" not in read
    assert "unknown" in str(answer["key"]["write"])


@pytest.mark.promise("context-tells-scopes")
async def test_a_scope_that_the_key_lacks_is_told_with_what_mends_it(sandbox: Sandbox, catalog: Catalog) -> None:
    sandbox.state.keys["narrow"] = frozenset({"tables.read", "users.write"})
    async with open_transport(Backend(sandbox.endpoint, sandbox.project_id, "narrow")) as transport:
        answer = await context_of(transport, catalog)

    key = answer["key"]
    assert isinstance(key, dict)
    assert isinstance(key["read"], dict)
    assert key["read"]["granted"] == ["tables.read"]
    assert {"users.read", "rows.read", "buckets.read"} <= _texts(key["read"]["refused"])
    assert "scopes" in str(key["next"])
    assert (answer["ready"], answer["problems"]) == (True, [])


async def test_finding_out_changes_nothing(transport: Transport, catalog: Catalog, sandbox: Sandbox) -> None:
    before = sandbox.state.digest()
    sandbox.state.requests.clear()

    await context_of(transport, catalog)

    assert {request.method for request in sandbox.state.requests} == {"GET"}
    assert sandbox.state.digest() == before


@pytest.mark.promise("context-in-time")
@pytest.mark.parametrize("kind", [FaultKind.HANG, FaultKind.HTML, FaultKind.SERVER_ERROR, FaultKind.DROP_BEFORE])
async def test_it_comes_within_two_seconds_and_few_bytes_whatever_is_down(
    sandbox: Sandbox, catalog: Catalog, kind: FaultKind
) -> None:
    backend = Backend(sandbox.endpoint, sandbox.project_id, sandbox.api_key)
    async with open_transport(backend, Limits(connect_s=10, read_s=60, call_s=300)) as transport:
        await context_of(transport, catalog)  # the client is made
        with sandbox.state.faults.during(Fault(kind)), anyio.fail_after(2):
            answer = await context_of(transport, catalog)

    assert answer["ready"] is False
    assert isinstance(answer["problems"], list)
    assert len(answer["problems"]) == 1
    assert _size(answer) <= _MOST_BYTES


async def test_one_slow_part_leaves_the_others_known(transport: Transport, catalog: Catalog, sandbox: Sandbox) -> None:
    with sandbox.state.faults.during(Fault(FaultKind.HANG, path="/users")), anyio.fail_after(3):
        answer = await context_of(transport, catalog)

    assert answer["ready"] is True
    assert isinstance(answer["key"], dict)
    assert isinstance(answer["key"]["read"], dict)
    assert "users.read" in str(answer["key"]["read"]["unknown"])
    assert "teams.read" in str(answer["key"]["read"]["granted"])


async def test_what_is_switched_on_is_told_and_long_lists_are_shortened(transport: Transport, catalog: Catalog) -> None:
    names = [f"tables_db_list_rows_{number:03}" for number in range(200)]

    answer = await context_of(transport, catalog, switches={"read_only": True, "tools": [*names], "deny": ["users"]})

    assert answer["switches"] == {"read_only": True, "tools": [*names[:3], "and 197 more"], "deny": ["users"]}


@pytest.mark.parametrize("key", ["wrong", "narrow", "sandbox-key"])
async def test_the_whole_answer_is_small_however_much_is_set_or_missing(
    sandbox: Sandbox, catalog: Catalog, key: str
) -> None:
    sandbox.state.keys["narrow"] = frozenset({"users.write"})
    many = [f"a_tool_with_quite_a_long_name_{number}" for number in range(99)]
    switches: JsonObject = {
        "read_only": True,
        "services": [*many],
        "tools": [*many],
        "deny": [*many],
        "writes": "confirm",
    }
    docs: JsonObject = {
        "index": "missing",
        "next": "Build an index once: handrail docs sync https://appwrite.io/llms.txt",
    }
    async with open_transport(Backend(sandbox.endpoint, sandbox.project_id, key)) as transport:
        answer = await context_of(transport, catalog, switches=switches, docs=docs)

    assert _size(answer) <= _MOST_BYTES
    assert isinstance(answer["services"], dict)


async def test_names_that_leave_no_room_take_that_of_the_services(catalog: Catalog) -> None:
    async with open_transport(Backend(f"http://127.0.0.1:9/{'v1/' * 400}", "p" * 3000, "")) as transport:
        answer = await context_of(transport, catalog, switches={"deny": ["\u00e9" * 500] * 9})

    assert _size(answer) <= _MOST_BYTES
    assert answer["services"] == len(catalog.services())
