"""The path of a call, against the stand-in."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from handrail.approvals import Mode
from handrail.appwrite import Backend, CallResult, Calls, Outcome, Transport, open_transport
from handrail.appwrite.catalog import Catalog
from handrail.json_types import Json, JsonObject
from handrail.lazy import Lazy
from handrail.sandbox import Fault, FaultKind, Sandbox
from tests.appwrite.callers import Caller, Here, Places, open_places

TABLE: JsonObject = {"database_id": "shop", "table_id": "products"}
ROW: JsonObject = {**TABLE, "row_id": "r9", "data": {"name": "Lantern", "price": 18.5}}


def _requests(sandbox: Sandbox) -> list[str]:
    return [f"{record.method} {record.path}" for record in sandbox.state.requests]


def _data(result: CallResult) -> JsonObject:
    assert result.error is not None
    data = result.error["data"]
    assert isinstance(data, dict)
    return data


@asynccontextmanager
async def _caller_to(backend: Backend, catalog: Catalog, tmp_path: Path) -> AsyncIterator[Caller]:
    async with (
        open_transport(backend) as transport,
        open_places(transport, Lazy.of(lambda: catalog), tmp_path / "elsewhere") as places,
    ):
        yield Caller(Calls(places.parts))


@pytest.fixture
async def writer(transport: Transport, catalog: Catalog, tmp_path: Path) -> AsyncIterator[Caller]:
    """Calls without anybody who is asked: `--writes allow`."""
    async with open_places(transport, Lazy.of(lambda: catalog), tmp_path / "allowed", mode=Mode.ALLOW) as places:
        yield Caller(Calls(places.parts))


async def test_a_read_needs_no_confirmation(caller: Caller) -> None:
    result = await caller.read("tables_db_list_rows", TABLE)

    assert (result.outcome, result.status, result.error) == (Outcome.DONE, 200, None)
    assert isinstance(result.result, dict)
    assert result.result["total"] == 8


@pytest.mark.promise("refused-sends-nothing")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tables_db_create_row", ROW),
        ("tables_db_increment_row_column", {**TABLE, "row_id": "hammer", "column": "stock", "value": 1}),
        ("users_update_name", {"user_id": "ada", "name": "Ada L."}),
        ("teams_create", {"team_id": "crew", "name": "Crew"}),
    ],
)
async def test_an_unconfirmed_write_is_refused_and_sends_nothing(
    caller: Caller, sandbox: Sandbox, tool: str, arguments: JsonObject
) -> None:
    before = sandbox.state.digest()

    result = await caller.call(tool, arguments, confirmed=None)

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
async def test_what_the_arguments_add_is_shown_to_the_person_who_is_asked(
    caller: Caller, sandbox: Sandbox, tool: str, arguments: JsonObject, rule: str, risk: str
) -> None:
    result = await caller.call(tool, arguments, confirmed=True, every=True)

    assert (result.outcome, result.error and result.error["type"]) == (Outcome.NEEDS_APPROVAL, "needs_approval")
    preview = _data(result)["preview"]
    assert isinstance(preview, dict)
    assert isinstance(preview["risks"], list)
    assert risk in [shown["risk"] for shown in preview["risks"] if isinstance(shown, dict)]
    assert (preview["rule"], "in this call" in str(preview["reason"])) == (rule, True)
    assert {record.method for record in sandbox.state.requests} <= {"GET"}


@pytest.mark.promise("refused-sends-nothing")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tables_db_delete", {"database_id": "shop"}),
        ("tables_db_delete_row", {**TABLE, "row_id": "hammer"}),
        ("users_update_status", {"user_id": "ada", "status": False}),
        ("users_create", {"user_id": "eve"}),
    ],
)
async def test_a_grave_write_waits_for_a_person_whatever_the_model_says(
    caller: Caller, sandbox: Sandbox, tool: str, arguments: JsonObject
) -> None:
    before = sandbox.state.digest()

    result = await caller.call(tool, arguments, confirmed=True)

    assert result.outcome is Outcome.NEEDS_APPROVAL
    assert str(_data(result)["approval"]) in str(result.error and result.error["next"])
    assert ({record.method for record in sandbox.state.requests} <= {"GET"}, sandbox.state.digest()) == (True, before)


async def test_a_grave_write_that_a_person_approved_is_sent_once(
    caller: Caller, places: Places, sandbox: Sandbox
) -> None:
    row: JsonObject = {**TABLE, "row_id": "hammer"}
    approval = str(_data(await caller.call("tables_db_delete_row", row))["approval"])
    await places.book.do(lambda store, _seal: store.approve(approval, time.time()))

    done = await caller.call("tables_db_delete_row", row, approval=approval)
    again = await caller.call("tables_db_delete_row", row, approval=approval)

    assert (done.outcome, again.outcome) == (Outcome.DONE, Outcome.REFUSED)
    assert _requests(sandbox).count("DELETE /v1/tablesdb/shop/tables/products/rows/hammer") == 1


async def test_a_bulk_call_that_nothing_narrows_must_say_that_it_means_every_member(
    caller: Caller, sandbox: Sandbox
) -> None:
    result = await caller.call("tables_db_delete_rows", TABLE, confirmed=True)

    assert (result.outcome, result.error and result.error["type"]) == (Outcome.REFUSED, "every_member")
    assert (_data(result)["rule"], _requests(sandbox)) == ("delete.many", [])


@pytest.mark.promise("confirmation-is-exactly-true")
@pytest.mark.parametrize("confirmed", [None, False, 1, 1.0, "true", "True", "yes", [True], {"confirm": True}, ""])
async def test_only_the_boolean_true_confirms(caller: Caller, sandbox: Sandbox, confirmed: Json) -> None:
    result = await caller.call("tables_db_create_row", ROW, confirmed=confirmed)

    assert (result.outcome, _requests(sandbox)) == (Outcome.REFUSED, [])


async def test_a_confirmed_write_is_sent_once(caller: Caller, sandbox: Sandbox) -> None:
    result = await caller.call("tables_db_create_row", ROW, confirmed=True)

    assert (result.outcome, result.status) == (Outcome.DONE, 201)
    assert _requests(sandbox) == ["POST /v1/tablesdb/shop/tables/products/rows"]


@pytest.mark.parametrize("tool", ["tables_db_create_row", "account_create_o_auth2_token", "graphql_query"])
async def test_the_read_tool_refuses_whatever_is_not_proven_a_read(caller: Caller, catalog: Catalog, tool: str) -> None:
    required = {p.name: "x" for p in catalog.get(tool).parameters if p.required}
    arguments: JsonObject = {**required, "data": {}} if tool == "tables_db_create_row" else {**required}
    if tool == "graphql_query":
        arguments = {"query": {}}
    if tool == "account_create_o_auth2_token":
        arguments = {"provider": "github"}

    result = await caller.read(tool, arguments)

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
    caller: Caller, sandbox: Sandbox, tool: str, arguments: JsonObject, kind: str, step: str
) -> None:
    result = await caller.call(tool, arguments, confirmed=True)

    assert result.outcome is Outcome.REFUSED
    assert result.error is not None
    assert result.error["type"] == kind
    assert step in str(result.error["next"])
    assert _requests(sandbox) == []


@pytest.mark.promise("path-argument-stays-in-its-segment")
@pytest.mark.parametrize("user_id", ["ada/sessions", "../teams/crew", "ada?x=1", "ada#x", "%2e%2e/teams/crew"])
async def test_an_id_cannot_turn_a_call_into_another_one(writer: Caller, sandbox: Sandbox, user_id: str) -> None:
    before = sandbox.state.digest()

    result = await writer.call("users_delete", {"user_id": user_id})

    assert result.outcome is not Outcome.DONE
    assert sandbox.state.digest() == before


@pytest.mark.promise("lost-write-is-unknown")
@pytest.mark.parametrize("kind", [FaultKind.DROP_BEFORE, FaultKind.DROP_AFTER, FaultKind.HANG, FaultKind.HALF_BODY])
async def test_a_write_whose_answer_is_lost_is_unknown_and_sent_once(
    caller: Caller, sandbox: Sandbox, kind: FaultKind
) -> None:
    sandbox.state.faults.add(Fault(kind, times=None))

    with anyio.fail_after(10):
        result = await caller.call("tables_db_create_row", ROW, confirmed=True)

    assert result.outcome is Outcome.UNKNOWN
    assert result.error is not None
    assert result.error["next"]
    assert len(_requests(sandbox)) == 1


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind is not FaultKind.NOT_JSON])
async def test_a_read_that_meets_trouble_fails_with_a_next_step_and_the_next_one_works(
    caller: Caller, sandbox: Sandbox, kind: FaultKind
) -> None:
    with sandbox.state.faults.during(Fault(kind)), anyio.fail_after(10):
        result = await caller.read("users_list", {})

    assert result.outcome is Outcome.FAILED
    assert result.error is not None
    assert result.error["next"]
    assert (await caller.read("users_list", {})).outcome is Outcome.DONE


@pytest.mark.parametrize(
    ("key", "project", "kind"),
    [("wrong", "sandbox", "user_unauthorized"), ("sandbox-key", "wrong", "project_not_found")],
)
async def test_a_wrong_key_or_project_is_said_in_the_words_of_appwrite(
    sandbox: Sandbox, catalog: Catalog, tmp_path: Path, key: str, project: str, kind: str
) -> None:
    async with _caller_to(Backend(sandbox.endpoint, project, key), catalog, tmp_path) as caller:
        result = await caller.read("users_list", {})

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
async def test_what_is_not_set_is_named(
    catalog: Catalog, tmp_path: Path, key: str, project: str, missing: list[str]
) -> None:
    async with _caller_to(Backend("http://127.0.0.1:9/v1", project, key), catalog, tmp_path) as caller:
        result = await caller.read("users_list", {})

    assert result.error is not None
    assert result.error["type"] == "not_configured"
    assert result.error["data"] == {"missing": missing}


async def test_an_endpoint_that_nobody_serves_fails_a_write_without_doubt(catalog: Catalog, tmp_path: Path) -> None:
    async with _caller_to(Backend("http://127.0.0.1:9/v1", "p", "k"), catalog, tmp_path) as caller:
        result = await caller.call("teams_create", {"team_id": "crew", "name": "Crew"}, confirmed=True)

    assert result.outcome is Outcome.FAILED
    assert result.error is not None
    assert result.error["type"] == "endpoint_unreachable"


async def test_a_large_file_goes_in_chunks_and_is_kept_whole(caller: Caller, places: Places, sandbox: Sandbox) -> None:
    text = "0123456789abcdef" * (6 * 1024 * 1024 // 16)
    bucket = next(iter(sandbox.state.buckets))
    arguments: JsonObject = {"bucket_id": bucket, "file_id": "big", "file": {"filename": "big.txt", "text": text}}

    with anyio.fail_after(30):
        sent = await caller.call("storage_create_file", arguments, confirmed=True)
        got = await caller.read("storage_get_file_download", {"bucket_id": bucket, "file_id": "big"})

    assert sent.outcome is Outcome.DONE
    assert got.shown is not None
    assert got.shown.result_id is not None
    kept = await (await places.parts.shaper.get()).read(got.shown.result_id, Here.owner)
    assert json.loads(kept.content)["text"] == text
    assert _requests(sandbox)[:2] == [f"POST /v1/storage/buckets/{bucket}/files"] * 2


async def test_a_hundred_calls_share_the_pool_while_one_hangs(caller: Caller, sandbox: Sandbox) -> None:
    sandbox.state.faults.add(Fault(FaultKind.HANG, path="/teams"))
    outcomes: list[Outcome] = []

    async def read(tool: str) -> None:
        outcomes.append((await caller.read(tool, {})).outcome)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(read, "teams_list")
            for _ in range(100):
                group.start_soon(read, "users_list")

    assert sorted(outcomes) == [Outcome.DONE] * 100 + [Outcome.FAILED]
