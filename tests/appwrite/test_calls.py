"""The path of a call, against the stand-in."""

import anyio
import pytest

from handrail.appwrite import Backend, Calls, Outcome, open_transport
from handrail.appwrite.catalog import Catalog
from handrail.json_types import Json, JsonObject
from handrail.lazy import Lazy
from handrail.sandbox import Fault, FaultKind, Sandbox

TABLE: JsonObject = {"database_id": "shop", "table_id": "products"}
ROW: JsonObject = {**TABLE, "row_id": "r9", "data": {"name": "Lantern", "price": 18.5}}


def _requests(sandbox: Sandbox) -> list[str]:
    return [f"{record.method} {record.path}" for record in sandbox.state.requests]


async def test_a_read_needs_no_confirmation(calls: Calls) -> None:
    result = await calls.read("tables_db_list_rows", TABLE)

    assert (result.outcome, result.status, result.error) == (Outcome.DONE, 200, None)
    assert isinstance(result.result, dict)
    assert result.result["total"] == 8


@pytest.mark.promise("refused-sends-nothing")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tables_db_create_row", ROW),
        ("tables_db_delete", {"database_id": "shop"}),
        ("users_update_status", {"user_id": "ada", "status": False}),
        ("graphql_query", {"query": {"query": "{ usersList { total } }"}}),
    ],
)
async def test_an_unconfirmed_write_is_refused_and_sends_nothing(
    calls: Calls, sandbox: Sandbox, tool: str, arguments: JsonObject
) -> None:
    before = sandbox.state.digest()

    result = await calls.call(tool, arguments, confirmed=None)

    assert result.outcome is Outcome.REFUSED
    assert result.error is not None
    assert (result.error["type"], "confirm_write: true" in str(result.error["next"])) == ("confirmation_required", True)
    assert (_requests(sandbox), sandbox.state.digest()) == ([], before)


@pytest.mark.promise("arguments-count")
@pytest.mark.parametrize(
    ("tool", "arguments", "rule", "risk"),
    [
        ("tables_db_create_row", {**ROW, "data": {"maker": {"$id": "m1", "name": "x"}}}, "call.related", "bulk"),
        ("tables_db_delete_row", {**TABLE, "row_id": "r1", "transaction_id": "t"}, "call.staged", "irreversible"),
        ("tables_db_create", {"database_id": "d", "name": "n", "replicas": 1}, "create.buy", "money"),
        ("tables_db_delete_rows", TABLE, "delete.many", "irreversible"),
    ],
)
async def test_a_refusal_tells_what_the_arguments_add(
    calls: Calls, sandbox: Sandbox, tool: str, arguments: JsonObject, rule: str, risk: str
) -> None:
    result = await calls.call(tool, arguments, confirmed=None)

    assert result.error is not None
    data, message = result.error["data"], str(result.error["message"])
    assert isinstance(data, dict)
    assert isinstance(data["risks"], list)
    assert (data["rule"], risk in data["risks"], "in this call" in message) == (rule, True, True)
    assert _requests(sandbox) == []


@pytest.mark.promise("confirmation-is-exactly-true")
@pytest.mark.parametrize("confirmed", [None, False, 1, 1.0, "true", "True", "yes", [True], {"confirm": True}, ""])
async def test_only_the_boolean_true_confirms(calls: Calls, sandbox: Sandbox, confirmed: Json) -> None:
    result = await calls.call("tables_db_create_row", ROW, confirmed=confirmed)

    assert (result.outcome, _requests(sandbox)) == (Outcome.REFUSED, [])


async def test_a_confirmed_write_is_sent_once(calls: Calls, sandbox: Sandbox) -> None:
    result = await calls.call("tables_db_create_row", ROW, confirmed=True)

    assert (result.outcome, result.status) == (Outcome.DONE, 201)
    assert _requests(sandbox) == ["POST /v1/tablesdb/shop/tables/products/rows"]


@pytest.mark.parametrize("tool", ["tables_db_create_row", "account_create_o_auth2_token", "graphql_query"])
async def test_the_read_tool_refuses_whatever_is_not_proven_a_read(calls: Calls, catalog: Catalog, tool: str) -> None:
    required = {p.name: "x" for p in catalog.get(tool).parameters if p.required}
    arguments: JsonObject = {**required, "data": {}} if tool == "tables_db_create_row" else {**required}
    if tool == "graphql_query":
        arguments = {"query": {}}
    if tool == "account_create_o_auth2_token":
        arguments = {"provider": "github"}

    result = await calls.read(tool, arguments)

    assert result.outcome is Outcome.REFUSED
    assert result.error is not None
    assert result.error["type"] == "not_a_read"


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "step"),
    [
        ("users_lst", {}, "tool_unknown", "users_list"),
        ("users_get", {"userId": "ada"}, "argument_invalid", "Use 'user_id'."),
        ("users_get", {}, "argument_invalid", "Add 'user_id' (a string)."),
        ("users_get", {"user_id": 7}, "argument_invalid", "a string"),
        ("users_list", {"queries": "limit(5)"}, "argument_invalid", "an array"),
    ],
)
async def test_a_wrong_call_is_answered_with_the_right_one(
    calls: Calls, sandbox: Sandbox, tool: str, arguments: JsonObject, kind: str, step: str
) -> None:
    result = await calls.call(tool, arguments, confirmed=True)

    assert result.outcome is Outcome.REFUSED
    assert result.error is not None
    assert result.error["type"] == kind
    assert step in str(result.error["next"])
    assert _requests(sandbox) == []


@pytest.mark.promise("path-argument-stays-in-its-segment")
@pytest.mark.parametrize("user_id", ["ada/sessions", "../teams/crew", "ada?x=1", "ada#x", "%2e%2e/teams/crew"])
async def test_an_id_cannot_turn_a_call_into_another_one(calls: Calls, sandbox: Sandbox, user_id: str) -> None:
    before = sandbox.state.digest()

    result = await calls.call("users_delete", {"user_id": user_id}, confirmed=True)

    assert result.outcome is not Outcome.DONE
    assert sandbox.state.digest() == before


@pytest.mark.promise("lost-write-is-unknown")
@pytest.mark.parametrize("kind", [FaultKind.DROP_BEFORE, FaultKind.DROP_AFTER, FaultKind.HANG, FaultKind.HALF_BODY])
async def test_a_write_whose_answer_is_lost_is_unknown_and_sent_once(
    calls: Calls, sandbox: Sandbox, kind: FaultKind
) -> None:
    sandbox.state.faults.add(Fault(kind, times=None))

    with anyio.fail_after(10):
        result = await calls.call("tables_db_create_row", ROW, confirmed=True)

    assert result.outcome is Outcome.UNKNOWN
    assert result.error is not None
    assert result.error["next"]
    assert len(_requests(sandbox)) == 1


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind is not FaultKind.NOT_JSON])
async def test_a_read_that_meets_trouble_fails_with_a_next_step_and_the_next_one_works(
    calls: Calls, sandbox: Sandbox, kind: FaultKind
) -> None:
    with sandbox.state.faults.during(Fault(kind)), anyio.fail_after(10):
        result = await calls.read("users_list", {})

    assert result.outcome is Outcome.FAILED
    assert result.error is not None
    assert result.error["next"]
    assert (await calls.read("users_list", {})).outcome is Outcome.DONE


@pytest.mark.parametrize(
    ("key", "project", "kind"),
    [("wrong", "sandbox", "user_unauthorized"), ("sandbox-key", "wrong", "project_not_found")],
)
async def test_a_wrong_key_or_project_is_said_in_the_words_of_appwrite(
    sandbox: Sandbox, catalog: Catalog, key: str, project: str, kind: str
) -> None:
    async with open_transport(Backend(sandbox.endpoint, project, key)) as transport:
        result = await Calls(Lazy.of(lambda: catalog), transport).read("users_list", {})

    assert result.error is not None
    assert result.error["type"] == kind


@pytest.mark.parametrize(
    ("key", "project", "missing"),
    [
        ("", "p", ["APPWRITE_API_KEY"]),
        ("k", "", ["APPWRITE_PROJECT_ID"]),
        ("", "", ["APPWRITE_PROJECT_ID", "APPWRITE_API_KEY"]),
    ],
)
async def test_what_is_not_set_is_named(catalog: Catalog, key: str, project: str, missing: list[str]) -> None:
    async with open_transport(Backend("http://127.0.0.1:9/v1", project, key)) as transport:
        result = await Calls(Lazy.of(lambda: catalog), transport).read("users_list", {})

    assert result.error is not None
    assert result.error["type"] == "not_configured"
    assert result.error["data"] == {"missing": missing}


async def test_an_endpoint_that_nobody_serves_fails_a_write_without_doubt(catalog: Catalog) -> None:
    async with open_transport(Backend("http://127.0.0.1:9/v1", "p", "k")) as transport:
        result = await Calls(Lazy.of(lambda: catalog), transport).call("users_delete", {"user_id": "u"}, confirmed=True)

    assert result.outcome is Outcome.FAILED
    assert result.error is not None
    assert result.error["type"] == "endpoint_unreachable"


async def test_a_large_file_goes_in_chunks_and_arrives_whole(calls: Calls, sandbox: Sandbox) -> None:
    text = "0123456789abcdef" * (6 * 1024 * 1024 // 16)
    bucket = next(iter(sandbox.state.buckets))
    arguments: JsonObject = {"bucket_id": bucket, "file_id": "big", "file": {"filename": "big.txt", "text": text}}

    with anyio.fail_after(30):
        sent = await calls.call("storage_create_file", arguments, confirmed=True)
        got = await calls.read("storage_get_file_download", {"bucket_id": bucket, "file_id": "big"})

    assert sent.outcome is Outcome.DONE
    assert isinstance(got.result, dict)
    assert got.result.get("text") == text
    assert _requests(sandbox)[:2] == [f"POST /v1/storage/buckets/{bucket}/files"] * 2


async def test_a_hundred_calls_share_the_pool_while_one_hangs(calls: Calls, sandbox: Sandbox) -> None:
    sandbox.state.faults.add(Fault(FaultKind.HANG, path="/teams"))
    outcomes: list[Outcome] = []

    async def read(tool: str) -> None:
        outcomes.append((await calls.read(tool, {})).outcome)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(read, "teams_list")
            for _ in range(100):
                group.start_soon(read, "users_list")

    assert sorted(outcomes) == [Outcome.DONE] * 100 + [Outcome.FAILED]
