"""A person's approval, from the call that needs it to the one that uses it: for that very deed, once."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import httpx2
import pytest

from handrail.json_types import Json, JsonObject
from handrail.sandbox import SandboxState, serve_sandbox
from tests.cli.terminal_process import Stream, at_terminal
from tests.gate.world import CALL, MODES, World, approval_of, ask, kind
from tests.protocol.http_server import listening, protected
from tests.protocol.test_http import answer, post

_TABLE: Final[JsonObject] = {"database_id": "shop", "table_id": "products"}
HAMMER: Final[JsonObject] = {
    "tool_name": "tables_db_delete_row",
    "arguments": {**_TABLE, "row_id": "hammer"},
    "confirm_write": True,
}
DELETED: Final = "DELETE /v1/tablesdb/shop/tables/products/rows/hammer"


@pytest.mark.promise("an-approval-is-for-one-deed-once")
@pytest.mark.parametrize("mode", MODES)
async def test_an_approved_call_runs_once_and_only_itself(world: World, mode: str) -> None:
    async with world.client(mode) as client:
        first = await ask(client, CALL, **HAMMER)
        approval = approval_of(first)
        waiting = await ask(client, CALL, **HAMMER, approval=approval)
        assert world.written() == []
        assert world.approve(approval)
        altered: list[dict[str, Json]] = [
            {"arguments": {**_TABLE, "row_id": "saw"}},
            {"tool_name": "tables_db_get_row", "reveal": True},
            {"all": True},
            {"reveal": True},
            {"tool_name": "tables_db_delete_rows", "arguments": _TABLE, "all": True},
        ]
        refusals = [kind(await ask(client, CALL, **{**HAMMER, **more}, approval=approval)) for more in altered]
        assert world.written() == []
        done = await ask(client, CALL, **HAMMER, approval=approval)
        again = await ask(client, CALL, **HAMMER, approval=approval)

    assert [kind(first)[0], kind(waiting)[0], approval_of(waiting)] == ["needs_approval", "needs_approval", approval]
    assert set(refusals) == {("refused", "approval_invalid")}
    assert kind(done) == ("done", None)
    assert (kind(again), again["error"]["data"]) == (("refused", "approval_invalid"), {"kind": "used"})
    assert world.written() == [DELETED]


@pytest.mark.promise("an-approval-is-for-one-deed-once")
async def test_it_is_given_at_a_real_terminal_after_the_difference_was_seen(world: World) -> None:
    update: JsonObject = {
        "tool_name": "users_update_email",
        "arguments": {"user_id": "ada", "email": "new@example.com"},
        "confirm_write": True,
    }
    async with world.client() as client:
        approval = approval_of(await ask(client, CALL, **update))

        def person() -> bytes:
            streams = (Stream.INPUT, Stream.OUTPUT, Stream.ERROR)
            with at_terminal("approve", approval, home=world.home, streams=streams, NO_COLOR="1") as terminal:
                terminal.until(b"[y/N]")
                terminal.type("y\n")
                return terminal.shown + terminal.rest()

        shown = await anyio.to_thread.run_sync(person)
        done = await ask(client, CALL, **update, approval=approval)

    assert b"- email: ada@example.com" in shown
    assert b"+ email: new@example.com" in shown
    assert kind(done) == ("done", None)
    assert world.written() == ["PATCH /v1/users/ada/email"]


@pytest.mark.promise("an-approval-is-for-one-deed-once")
async def test_of_many_that_use_one_approval_at_once_one_does(world: World) -> None:
    kinds: list[tuple[str, str | None]] = []
    async with world.client() as first, world.client() as second:
        approval = approval_of(await ask(first, CALL, **HAMMER))
        world.approve(approval)

        async def use(number: int) -> None:
            kinds.append(kind(await ask((first, second)[number % 2], CALL, **HAMMER, approval=approval)))

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(use, number)

    assert sorted(kinds, key=str).count(("done", None)) == 1
    assert kinds.count(("refused", "approval_invalid")) == 19
    assert world.written() == [DELETED]


async def test_an_approval_that_has_run_out_is_refused(world: World) -> None:
    async with world.client() as client:
        approval = approval_of(await ask(client, CALL, **HAMMER))
        world.approve(approval)
        with sqlite3.connect(world.home / "approvals.db") as database:
            database.execute("UPDATE approvals SET expires_at = 1")
        database.close()
        late = await ask(client, CALL, **HAMMER, approval=approval)

    assert late["error"]["data"] == {"kind": "expired"}
    assert world.written() == []


@pytest.mark.parametrize("wrong", [True, 1, None, ["x"], "", "x" * 201, "%", "' OR 1=1 --"])
async def test_what_is_no_approval_is_refused(world: World, wrong: Json) -> None:
    async with world.client() as client:
        refused = await ask(client, CALL, **HAMMER, approval=wrong)

    assert refused["outcome"] == "refused"
    assert refused["error"]["type"] in {"argument_invalid", "approval_invalid"}
    assert world.written() == []


@pytest.mark.promise("confirmation-is-exactly-true")
@pytest.mark.parametrize("wrong", ["true", 1, None, "yes", False, [True]])
async def test_whatever_is_not_exactly_true_confirms_nothing(world: World, wrong: Json) -> None:
    team: JsonObject = {"tool_name": "teams_create", "arguments": {"team_id": "t", "name": "T"}}
    bulk: JsonObject = {"tool_name": "tables_db_delete_rows", "arguments": _TABLE, "confirm_write": True, "all": wrong}
    async with world.client() as client, world.client(writes="allow") as allowing:
        plain = await ask(client, CALL, **team, confirm_write=wrong)
        every = await ask(allowing, CALL, **bulk)

    assert plain["outcome"] == every["outcome"] == "refused"
    assert world.sent() == []


@pytest.mark.promise("an-approval-is-for-one-deed-once")
async def test_the_approval_of_one_project_is_none_for_another_even_of_the_same_name(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve_sandbox(SandboxState.seeded()) as other, serve_sandbox(SandboxState.seeded()) as third:
        monkeypatch.setenv("OTHER_KEY", other.api_key)
        text = "".join(
            f'[profile.{name}]\nendpoint = "{place.endpoint}"\nproject = "sandbox"\nkey_variable = "OTHER_KEY"\n'
            for name, place in (("other", other), ("third", third))
        )
        (world.home / "profiles.toml").write_text(text)
        (world.home / "profiles.toml").chmod(0o600)
        async with world.client() as client:
            approval = approval_of(await ask(client, CALL, **HAMMER, project="other"))
            world.approve(approval)
            here = await ask(client, CALL, **HAMMER, approval=approval)
            there = await ask(client, CALL, **HAMMER, project="third", approval=approval)
            right = await ask(client, CALL, **HAMMER, project="other", approval=approval)

        assert [kind(one) for one in (here, there)] == [("refused", "approval_invalid")] * 2
        assert kind(right) == ("done", None)
        assert [one.method for one in third.state.requests if one.method != "GET"] == []
        assert [one.method for one in other.state.requests if one.method != "GET"] == ["DELETE"]
    assert world.written() == []


@asynccontextmanager
async def over_http(world: World) -> AsyncIterator[tuple[httpx2.AsyncClient, str]]:
    async with world.server() as server, listening(protected(server)) as url, httpx2.AsyncClient(timeout=20) as http:
        yield http, url


async def as_somebody(http: httpx2.AsyncClient, url: str, who: str, **arguments: Json) -> dict[str, Any]:
    params: JsonObject = {"name": CALL, "arguments": arguments}
    got = await answer(http, url, post("tools/call", CALL, params, token=who, tasks=False))
    result = got["result"]
    assert isinstance(result, dict)
    document = result["structuredContent"]
    assert isinstance(document, dict)
    return document


@pytest.mark.promise("an-approval-is-for-one-deed-once")
async def test_the_approval_of_one_caller_means_nothing_for_another(world: World) -> None:
    async with over_http(world) as (http, url):
        approval = approval_of(await as_somebody(http, url, "ann", **HAMMER))
        world.approve(approval)
        foreign = await as_somebody(http, url, "bob", **HAMMER, approval=approval)
        never_was = await as_somebody(http, url, "bob", **HAMMER, approval="0" * 32)
        own = await as_somebody(http, url, "ann", **HAMMER, approval=approval)

    assert kind(foreign) == kind(never_was) == ("refused", "approval_invalid")
    assert foreign["error"]["data"] == never_was["error"]["data"] == {"kind": "unknown"}
    assert kind(own) == ("done", None)
    assert world.written() == [DELETED]


async def test_a_rule_of_the_users_own_allows_a_delete_as_often_as_it_says(world: World) -> None:
    policy = world.home / "policy.toml"
    policy.write_text(
        '[[rule]]\nname = "tidy"\neffect = "allow"\ntools = ["tables_db_delete_row"]\ntimes = 2\n'
        '[rule.arguments]\ntable_id = "products"\n'
    )
    policy.chmod(0o600)
    rows = ("hammer", "saw", "drill")
    async with world.client() as client:
        outcomes = [
            await ask(client, CALL, tool_name="tables_db_delete_row", arguments={**_TABLE, "row_id": row})
            for row in rows
        ]
        other = await ask(client, CALL, tool_name="teams_delete", arguments={"team_id": "staff"})

    assert [one["outcome"] for one in outcomes] == ["done", "done", "needs_approval"]
    assert other["outcome"] == "needs_approval"
    assert [line.rpartition("/")[2] for line in world.written()] == ["hammer", "saw"]
