"""A client's form: asked on the stream of the call (2025-11-25) or between two rounds of it (2026-07-28)."""

from typing import Any, Final

import pytest

from handrail.json_types import Json, JsonObject
from tests.gate.test_approval import DELETED, HAMMER
from tests.gate.world import CALL, MODES, READ, Form, World, ask, kind
from tests.protocol.peer import Era, connected, document
from tests.protocol.test_call_elicitation import CAPABILITIES, FORMS, accepted

YES: Final[JsonObject] = {"approve": True}


@pytest.mark.promise("a-clients-form-counts-only-when-filled-in")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (Form("accept", approve=True), ("done", None)),
        (Form("accept", approve=False), ("refused", "declined")),
        (Form("accept"), ("refused", "declined")),
        (Form("accept", approve="true"), ("refused", "declined")),
        (Form("accept", approve=1), ("refused", "declined")),
        (Form("decline"), ("refused", "declined")),
        (Form("cancel"), ("refused", "declined")),
    ],
)
async def test_only_a_form_with_the_one_field_true_is_a_yes(
    world: World, mode: str, form: Form, expected: tuple[str, str | None]
) -> None:
    form.asked.clear()
    async with world.client(mode, form) as client:
        became = await ask(client, CALL, **HAMMER)

    assert kind(became) == expected
    assert len(form.asked) == 1
    assert "hammer" in form.asked[0]
    assert world.written() == ([DELETED] if expected[0] == "done" else [])


@pytest.mark.parametrize("mode", MODES)
async def test_nobody_is_asked_for_a_read_a_plain_write_or_what_is_switched_off(world: World, mode: str) -> None:
    form = Form("accept", approve=True)
    team: JsonObject = {"tool_name": "teams_create", "arguments": {"team_id": "t", "name": "T"}}
    async with world.client(mode, form, deny="tables_db") as client:
        await ask(client, READ, tool_name="users_list")
        await ask(client, CALL, **team, confirm_write=True)
        off = await ask(client, CALL, **HAMMER)

    assert (form.asked, kind(off)) == ([], ("refused", "switched_off"))


@pytest.mark.parametrize("mode", MODES)
async def test_where_no_client_is_to_be_asked_a_person_is(world: World, mode: str) -> None:
    form = Form("accept", approve=True)
    async with world.client(mode, form, ask_s=0) as client:
        became = await ask(client, CALL, **HAMMER)

    assert (kind(became)[0], form.asked, world.written()) == ("needs_approval", [], [])


def round_of(arguments: JsonObject, **more: Json) -> JsonObject:
    return {"name": CALL, "arguments": arguments, "_meta": {CAPABILITIES: FORMS}, **more}


async def in_rounds(world: World, second: JsonObject, state: str | None = None, times: int = 1) -> list[dict[str, Any]]:
    """What becomes of second rounds with a yes, after a first one for the hammer."""
    async with world.server() as server, connected(server, Era.MODERN) as peer:
        first = await peer.result("tools/call", round_of(HAMMER))
        assert first["resultType"] == "input_required"
        assert world.written() == []
        again = round_of(
            second, requestState=state or first["requestState"], inputResponses={"approval": accepted(YES)}
        )
        return [document(await peer.result("tools/call", again)) for _ in range(times)]


@pytest.mark.promise("a-clients-form-counts-only-when-filled-in")
async def test_a_second_round_counts_once(world: World) -> None:
    done, replayed = await in_rounds(world, HAMMER, times=2)

    assert (kind(done), kind(replayed)) == (("done", None), ("refused", "approval_invalid"))
    assert world.written() == [DELETED]


@pytest.mark.promise("a-clients-form-counts-only-when-filled-in")
@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({"arguments": {"database_id": "shop", "table_id": "products", "row_id": "saw"}}, None),
        ({"all": True}, None),
        ({"reveal": True}, None),
        ({"tool_name": "tables_db_get_row", "reveal": True}, None),
        ({}, "ask.9999999999.00000000000000000000000000000000." + "0" * 64),
        ({}, "sealed"),
        ({}, "x" * 10_000),
    ],
)
async def test_a_second_round_with_another_deed_or_state_is_refused(
    world: World, change: JsonObject, state: str | None
) -> None:
    (refused,) = await in_rounds(world, {**HAMMER, **change}, state)

    assert kind(refused) == ("refused", "approval_invalid")
    assert world.written() == []


@pytest.mark.parametrize("mode", MODES)
async def test_a_batch_that_wants_secrets_asks_or_waits_and_never_fails_by_itself(world: World, mode: str) -> None:
    form = Form("accept", approve=True)
    reads: list[Json] = [{"tool_name": "users_get", "arguments": {"user_id": "ada"}}, {"tool_name": "teams_list"}]
    async with world.client(mode, form) as client:
        shown = await ask(client, READ, calls=reads, reveal=True)

    assert "results" in shown, shown
    assert {one["outcome"] for one in shown["results"]} <= {"done", "needs_approval"}
