"""Asking the client: what counts as a yes, and that a no stays one."""

import pytest

from handrail.approvals import (
    Action,
    ApprovalInvalidError,
    DeclinedError,
    InvalidKind,
    NeedsApprovalError,
)
from handrail.approvals.records import LIFETIME_S
from handrail.json_types import Json, JsonObject
from tests.approvals.callers import NOW, YES, Bench, Caller, Reply, RoundOverError, action

NOES = [
    Reply("accept"),
    Reply("accept", {"approve": False}),
    Reply("accept", {"approve": "true"}),
    Reply("accept", {"approve": 1}),
    Reply("accept", {"approve": None}),
    Reply("accept", {"approved": True}),
    Reply("accept", {"Approve": True, "confirm": True, "confirm_write": True}),
    Reply("decline"),
    Reply("decline", YES),
    Reply("cancel"),
    Reply("cancel", YES),
    Reply("ACCEPT", YES),
    Reply("", YES),
]
EVERY_NO = pytest.mark.parametrize("no", NOES, ids=lambda no: f"{no.action}-{no.content}")


async def first_round(at: Bench, deed: Action | None = None) -> str:
    """The state that the first round of a call leaves with the client."""
    with pytest.raises(RoundOverError) as over:
        await at.level(deed or action(), Caller(Reply("accept", YES), in_rounds=True))
    return over.value.state


def second(state: str, reply: Reply | None = None) -> Caller:
    return Caller(reply or Reply("accept", YES), in_rounds=True, request_state=state)


async def refusal(at: Bench, caller: Caller, deed: Action | None = None) -> InvalidKind:
    with pytest.raises(ApprovalInvalidError) as refused:
        await at.level(deed or action(), caller)
    return refused.value.kind


@pytest.mark.parametrize("content", [YES, {**YES, "more": "of it", "confirm": False}])
async def test_an_accepted_form_with_the_one_field_true_is_a_yes_of_the_client(at: Bench, content: JsonObject) -> None:
    assert await at.level(action(), Caller(Reply("accept", content))) == ("CLIENT", "client: elicitation")


async def test_a_person_seen_by_this_process_is_a_person(at: Bench) -> None:
    caller = Caller(Reply("accept", YES, by_person=True))

    assert await at.level(action(), caller) == ("PERSON", "person: at the terminal")


@EVERY_NO
@pytest.mark.promise("a-no-is-final")
async def test_whatever_else_comes_back_is_a_no(at: Bench, no: Reply) -> None:
    with pytest.raises(DeclinedError):
        await at.level(action(), Caller(no), confirm_write=True)

    assert not await at.book.do(lambda store, _seal: store.waiting(at.now)), "no other way is opened after a no"


async def test_a_new_call_after_a_no_is_asked_anew(at: Bench) -> None:
    with pytest.raises(DeclinedError):
        await at.level(action(), Caller(Reply("decline")))

    assert await at.level(action(), Caller(Reply("accept", YES)))


async def test_a_client_that_can_not_be_asked_leaves_it_to_a_person(at: Bench) -> None:
    with pytest.raises(NeedsApprovalError):
        await at.level(action(), Caller())


async def test_no_client_is_asked_where_the_setting_says_so(at: Bench) -> None:
    caller = Caller(Reply("accept", YES))

    with pytest.raises(NeedsApprovalError):
        await at.level(action(), caller, gate=at.gate(ask_s=0))

    assert not caller.asked


async def test_an_approval_that_came_along_is_looked_at_before_anybody_is_asked(at: Bench) -> None:
    caller = Caller(Reply("accept", YES))

    with pytest.raises(ApprovalInvalidError):
        await at.level(action(), caller, approval="0" * 32)

    assert not caller.asked


async def test_the_question_names_what_is_to_be_done_and_nothing_in_it_passes_for_ours(at: Bench) -> None:
    hostile = "r1\n\x1b[2JProject: harmless\u202e\u200b\u2028\U000e0041"
    caller = Caller(Reply("accept", YES))

    await at.level(action(arguments={"row_id": hostile}, project="main\nProject: test"), caller)

    message = caller.asked[0].message
    assert [line.split(":")[0] for line in message.split("\n")] == [
        "May tables_db_delete_row be called, this once?",
        "What it does",
        "Project",
        "Arguments",
        "Mind",
        "Mind",
    ]
    assert all(char == "\n" or char.isprintable() for char in message)
    assert caller.asked[0].seconds == 120


async def test_a_long_argument_is_cut_and_the_question_says_so(at: Bench) -> None:
    caller = Caller(Reply("accept", YES))

    await at.level(action(arguments={"data": "x" * 100_000}), caller)

    assert len(caller.asked[0].message) < 3_000
    assert "characters in all" in caller.asked[0].message


async def test_a_yes_of_the_second_round_lets_the_call_through(at: Bench) -> None:
    assert await at.level(action(), second(await first_round(at))) == ("CLIENT", "client: elicitation")


@pytest.mark.promise("a-no-is-final")
@EVERY_NO
async def test_a_no_of_the_second_round_uses_its_question_up(at: Bench, no: Reply) -> None:
    state = await first_round(at)

    with pytest.raises(DeclinedError):
        await at.level(action(), second(state, no))

    assert await refusal(at, second(state)) is InvalidKind.USED


async def test_a_client_that_answers_twice_is_heard_once(at: Bench) -> None:
    state = await first_round(at)
    await at.level(action(), second(state))

    assert await refusal(at, second(state)) is InvalidKind.USED


@pytest.mark.parametrize(
    "deed",
    [
        action(arguments={"row_id": "r2"}),
        action(owner="other"),
        action(project="other"),
        action("tables_db_delete_rows"),
    ],
    ids=["arguments", "owner", "project", "tool"],
)
@pytest.mark.promise("states-are-sealed")
async def test_a_state_does_not_do_for_another_call(at: Bench, deed: Action) -> None:
    state = await first_round(at)

    assert await refusal(at, second(state), deed) is InvalidKind.ALTERED
    assert await at.level(action(), second(state)), "it still does for its own"


@pytest.mark.promise("states-are-sealed")
async def test_a_state_that_was_altered_anywhere_is_refused(at: Bench) -> None:
    state = await first_round(at)

    for place, char in enumerate(state):
        other = "1" if char == "0" else "0"
        assert await refusal(at, second(state[:place] + other + state[place + 1 :])) in {
            InvalidKind.ALTERED,
            InvalidKind.UNKNOWN,
        }
    for odd in (
        "",
        ".",
        state[:-1],
        f"{state}0",
        f" {state}",
        f"{state}\n",
        state.upper(),
        state.replace("ask", "preview"),
    ):
        assert await refusal(at, second(odd)) in {InvalidKind.ALTERED, InvalidKind.UNKNOWN}
    assert await at.level(action(), second(state))


async def test_a_state_ends_after_ten_minutes(at: Bench) -> None:
    state = await first_round(at)
    at.now = NOW + LIFETIME_S

    assert await refusal(at, second(state)) is InvalidKind.EXPIRED


@pytest.mark.promise("states-are-sealed")
async def test_a_state_of_another_key_is_refused(at: Bench) -> None:
    state = await first_round(at)
    at.book.close()
    (at.home / "approvals.key").unlink()

    assert await refusal(at, second(state)) is InvalidKind.ALTERED


async def test_a_client_that_can_not_be_asked_any_more_has_used_its_question_up(at: Bench) -> None:
    state = await first_round(at)
    caller = Caller(None, in_rounds=True, request_state=state)

    with pytest.raises(NeedsApprovalError):
        await at.level(action(), caller)

    assert caller.tries == 1
    assert await refusal(at, second(state)) is InvalidKind.USED


@pytest.mark.promise("a-no-is-final")
async def test_nothing_that_comes_along_outweighs_a_no(at: Bench) -> None:
    with pytest.raises(NeedsApprovalError) as asked:
        await at.level(action())
    approval: Json = asked.value.data["approval"]
    await at.approve(str(approval))
    state = await first_round(at)

    with pytest.raises(DeclinedError):
        await at.level(action(), second(state, Reply("decline")), approval=approval, confirm_write=True)
