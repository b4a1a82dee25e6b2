"""The gate: what each kind of call needs in each mode, and what speaks for it."""

import json

import anyio
import pytest

from handrail.approvals import (
    Action,
    ActionError,
    ApprovalInvalidError,
    ApprovalsUnavailableError,
    ConfirmationMissingError,
    InvalidKind,
    Mode,
    NeedsApprovalError,
    WritesOffError,
)
from handrail.approvals.records import LIFETIME_S
from handrail.errors import UnavailableError
from handrail.hints import Risk
from handrail.json_types import Json, JsonObject
from tests.approvals.callers import NOW, YES, Bench, Caller, Reply, action, plain, read


async def asked_for(at: Bench, deed: Action | None = None) -> str:
    """The id of an approval that a call asks for."""
    with pytest.raises(NeedsApprovalError) as asked:
        await at.level(deed or action())
    return str(asked.value.data["approval"])


async def refusal(at: Bench, deed: Action, approval: Json) -> InvalidKind:
    """Why an approval does not speak for a deed."""
    with pytest.raises(ApprovalInvalidError) as refused:
        await at.level(deed, approval=approval)
    return refused.value.kind


@pytest.mark.parametrize("mode", list(Mode))
async def test_a_read_needs_nobody_in_any_mode(at: Bench, mode: Mode) -> None:
    assert await at.level(read(), gate=at.gate(mode)) == ("NONE", "read")


async def test_a_plain_write_needs_the_models_confirmation(at: Bench) -> None:
    assert await at.level(plain(), confirm_write=True) == ("MODEL", "model: confirm_write")
    assert not list(at.home.iterdir()), "nothing is kept of what needs nobody"


@pytest.mark.parametrize("given", ["true", "True", "false", 1, 1.0, 0, None, [], [True], {}, {"a": True}, "", False])
@pytest.mark.promise("confirmation-is-exactly-true")
async def test_whatever_is_not_true_confirms_nothing(at: Bench, given: Json) -> None:
    with pytest.raises(ConfirmationMissingError) as refused:
        await at.level(plain(), confirm_write=given)

    assert refused.value.data["rule"] == "delete.one"


@pytest.mark.parametrize("deed", [plain(), action()], ids=["plain", "grave"])
async def test_where_writes_are_off_they_are_refused_whatever_comes_along(at: Bench, deed: Action) -> None:
    caller = Caller(Reply("accept", YES))

    with pytest.raises(WritesOffError):
        await at.level(deed, caller, gate=at.gate(Mode.OFF), confirm_write=True)

    assert not caller.asked


async def test_a_read_that_reveals_is_asked_for_also_where_writes_are_off(at: Bench) -> None:
    for mode in (Mode.OFF, Mode.ASK, Mode.CONFIRM):
        with pytest.raises(NeedsApprovalError):
            await at.level(read(reveal=True), gate=at.gate(mode), confirm_write=True)


async def test_where_every_write_is_asked_for_the_models_word_does_not_do(at: Bench) -> None:
    with pytest.raises(NeedsApprovalError):
        await at.level(plain(), gate=at.gate(Mode.ASK, tokens=True), confirm_write=True)

    assert await at.level(plain(), Caller(Reply("accept", YES)), gate=at.gate(Mode.ASK)) == (
        "CLIENT",
        "client: elicitation",
    )


@pytest.mark.parametrize("deed", [plain(), action(), read(reveal=True)], ids=["plain", "grave", "reveal"])
async def test_where_writes_are_allowed_nothing_is_asked_and_the_switch_is_named(at: Bench, deed: Action) -> None:
    assert await at.level(deed, gate=at.gate(Mode.ALLOW)) == ("NONE", "switch: writes=allow")


@pytest.mark.parametrize("risk", sorted({*Risk} - {Risk.SECRET, Risk.PEOPLE, Risk.EXTERNAL}))
@pytest.mark.promise("grave-calls-need-a-person")
async def test_each_grave_risk_needs_more_than_the_models_word(at: Bench, risk: Risk) -> None:
    with pytest.raises(NeedsApprovalError):
        await at.level(action("some_update", risks=[risk]), confirm_write=True)


async def test_a_delete_and_a_write_to_another_project_are_grave_without_any_risk(at: Bench) -> None:
    for deed in (action(risks=()), action("some_update", risks=(), other_project=True)):
        with pytest.raises(NeedsApprovalError):
            await at.level(deed, confirm_write=True)


async def test_what_needs_a_person_says_all_that_is_needed_to_go_on(at: Bench) -> None:
    with pytest.raises(NeedsApprovalError) as asked:
        await at.level(action())

    error = asked.value
    approval = str(error.data["approval"])
    assert len(approval) == 32
    assert error.data["expires_at"] == "2027-01-15T08:10:00Z"
    assert error.data["preview"] == {"before": {"name": "Ada"}, "after": None, "number": 1}
    assert error.data["why"] == ["it deletes", "what is gone or done cannot be brought back by another call"]
    assert error.next_step is not None
    assert f"handrail approve {approval}" in error.next_step
    assert f"approval: {approval}" in error.next_step


async def test_the_same_deed_asked_for_again_has_the_same_approval_and_one_preview(at: Bench) -> None:
    assert await asked_for(at) == await asked_for(at)
    assert at.previews == 1
    assert await asked_for(at, action(owner="other")) != await asked_for(at)


@pytest.mark.promise("an-approval-speaks-once")
async def test_what_a_person_approved_runs_once(at: Bench) -> None:
    approval = await asked_for(at)
    await at.approve(approval)

    assert await at.level(action(), approval=approval) == ("PERSON", f"person: handrail approve {approval}")
    assert await refusal(at, action(), approval) is InvalidKind.USED


async def test_an_approval_that_nobody_gave_yet_is_asked_for_again_under_its_id(at: Bench) -> None:
    approval = await asked_for(at)

    with pytest.raises(NeedsApprovalError) as asked:
        await at.level(action(), approval=approval)

    assert asked.value.data["approval"] == approval


@pytest.mark.parametrize(
    "deed",
    [
        action(arguments={"row_id": "r2"}),
        action(arguments={"row_id": "r1", "more": None}),
        action("tables_db_delete_rows"),
        action(project="other"),
        action(other_project=True),
        action(risks=[Risk.IRREVERSIBLE, Risk.BULK]),
    ],
    ids=["arguments", "more-arguments", "tool", "project", "another-project", "graver"],
)
@pytest.mark.promise("an-approval-is-bound")
async def test_an_approval_does_not_speak_for_another_deed_and_is_not_used_up_by_it(at: Bench, deed: Action) -> None:
    approval = await asked_for(at)
    await at.approve(approval)

    assert await refusal(at, deed, approval) is InvalidKind.ALTERED
    assert (await at.level(action(), approval=approval))[0] == "PERSON"


@pytest.mark.promise("an-approval-is-bound")
async def test_another_callers_approval_looks_like_none(at: Bench) -> None:
    approval = await asked_for(at)
    await at.approve(approval)

    assert await refusal(at, action(owner="other"), approval) is InvalidKind.UNKNOWN
    assert await refusal(at, action(owner="other"), "0" * 32) is InvalidKind.UNKNOWN


@pytest.mark.parametrize("approval", ["", "0" * 32, "x" * 10_000, "\0", "\ud800", "' OR 1=1 --", 5, True, [], {}])
async def test_what_is_no_approval_is_refused(at: Bench, approval: Json) -> None:
    await at.approve(await asked_for(at))

    assert await refusal(at, action(), approval) is InvalidKind.UNKNOWN


@pytest.mark.parametrize("approved", [True, False])
async def test_an_approval_ends_ten_minutes_after_it_was_asked_for_given_or_not(at: Bench, *, approved: bool) -> None:
    approval = await asked_for(at)
    if approved:
        at.now = NOW + LIFETIME_S - 1
        await at.approve(approval)
    at.now = NOW + LIFETIME_S

    assert await refusal(at, action(), approval) is InvalidKind.EXPIRED
    assert not await at.approve(approval)


@pytest.mark.parametrize("after_a_yes", [True, False])
@pytest.mark.promise("a-no-is-final")
async def test_a_declined_approval_can_not_be_given_any_more(at: Bench, *, after_a_yes: bool) -> None:
    approval = await asked_for(at)
    if after_a_yes:
        await at.approve(approval)
    await at.decline(approval)

    assert not await at.approve(approval)
    assert await refusal(at, action(), approval) is InvalidKind.DECLINED


async def test_order_and_type_of_arguments_decide_whether_a_deed_is_the_same(at: Bench) -> None:
    approval = await asked_for(at, action(arguments={"a": 1, "b": {"c": [1.0, True]}}))
    await at.approve(approval)
    others: list[JsonObject] = [
        {"a": 1.0, "b": {"c": [1.0, True]}},
        {"a": True, "b": {"c": [1.0, True]}},
        {"a": 1, "b": {"c": [1, True]}},
        {"a": 1, "b": {"c": [True, 1.0]}},
        {"a": "1", "b": {"c": [1.0, True]}},
    ]

    for other in others:
        assert await refusal(at, action(arguments=other), approval) is InvalidKind.ALTERED
    same: JsonObject = json.loads('{"b": {"c": [1.0, true]}, "a": 1}')
    assert (await at.level(action(arguments=same), approval=approval))[0] == "PERSON"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**64, -(2**63) - 1, "\ud800", {"\udfff": 1}])
async def test_what_can_not_be_bound_is_not_asked_for(at: Bench, value: Json) -> None:
    with pytest.raises(ActionError):
        await at.level(action(arguments={"value": value}), Caller(Reply("accept", YES)))


async def test_a_home_that_can_not_be_used_refuses_grave_calls_with_the_reason_and_no_others(at: Bench) -> None:
    (at.home / "approvals.db").mkdir()
    caller = Caller(Reply("accept", YES))

    with pytest.raises(ApprovalsUnavailableError) as refused:
        await at.level(action(), caller)

    assert "plain file" in refused.value.message
    assert refused.value.next_step
    assert not caller.asked
    assert await at.level(plain(), confirm_write=True)
    assert await at.level(read())
    (at.home / "approvals.db").rmdir()
    assert await at.level(action(), caller), "once it can be used, it is"


async def test_a_home_that_is_no_folder_refuses_grave_calls_with_the_reason(at: Bench) -> None:
    at.home.rmdir()
    at.home.touch()

    with pytest.raises(ApprovalsUnavailableError, match="Not a directory"):
        await at.level(action())

    at.home.unlink()
    with pytest.raises(ApprovalsUnavailableError, match="No such file"):
        await at.level(action())


async def test_a_call_that_is_taken_back_while_its_approval_is_used_is_not_let_through(at: Bench) -> None:
    approval = await asked_for(at)
    await at.approve(approval)
    admitted: list[tuple[str, str]] = []

    with anyio.CancelScope() as scope:
        scope.cancel()
        admitted.append(await at.level(action(), approval=approval))

    assert not admitted
    assert (await at.level(action(), approval=approval))[0] == "PERSON", "it was not used for nothing"


async def test_a_preview_that_fails_leaves_nothing_to_approve(at: Bench) -> None:
    at.backend_is_away = True

    with pytest.raises(UnavailableError, match="The backend is away"):
        await at.level(action())

    assert not await at.book.do(lambda store, _seal: store.waiting(at.now))
