"""`--grave token`: proof that a preview was shown, and nothing more."""

import pytest

from handrail.approvals import ApprovalInvalidError, InvalidKind, Mode, NeedsApprovalError, Policy
from handrail.approvals.records import LIFETIME_S
from handrail.approvals.rules import Rule, RuleEffect
from handrail.approvals.sealing import Purpose
from tests.approvals.callers import NOW, YES, Bench, Caller, Reply, RoundOverError, action


async def token(at: Bench) -> str:
    given = await at.gate(tokens=True).preview_token(action())
    assert given is not None
    return given


async def refusal(at: Bench, text: str, **changes: str) -> InvalidKind:
    with pytest.raises(ApprovalInvalidError) as refused:
        await at.level(action(**changes), gate=at.gate(tokens=True), token=text)  # type: ignore[arg-type]  # (texts only)
    return refused.value.kind


async def test_there_is_no_token_unless_the_setting_wants_one(at: Bench) -> None:
    assert await at.gate().preview_token(action()) is None


async def test_a_token_does_for_its_deed_once_and_is_the_models_word(at: Bench) -> None:
    shown = await token(at)

    assert await at.level(action(), gate=at.gate(tokens=True), token=shown) == ("MODEL", "model: token of a preview")
    assert await refusal(at, shown) is InvalidKind.USED


@pytest.mark.promise("a-token-is-no-approval")
async def test_a_token_counts_for_nothing_where_the_setting_is_off(at: Bench) -> None:
    shown = await token(at)

    with pytest.raises(NeedsApprovalError):
        await at.level(action(), token=shown, confirm_write=True)


async def test_a_token_does_for_nothing_else_and_nobody_else(at: Bench) -> None:
    shown = await token(at)

    assert await refusal(at, shown, owner="other") is InvalidKind.ALTERED
    assert await refusal(at, shown, project="other") is InvalidKind.ALTERED
    assert await refusal(at, shown, tool="tables_db_delete_rows") is InvalidKind.ALTERED
    assert await refusal(at, f"{shown}x") is InvalidKind.UNKNOWN
    at.now = NOW + LIFETIME_S
    assert await refusal(at, shown) is InvalidKind.EXPIRED


async def test_the_state_of_a_question_is_no_token(at: Bench) -> None:
    with pytest.raises(RoundOverError) as over:
        await at.level(action(), Caller(Reply("accept", YES), in_rounds=True))

    assert over.value.state.startswith(Purpose.ASK)
    assert await refusal(at, over.value.state) is InvalidKind.UNKNOWN
    assert await refusal(at, over.value.state.replace(Purpose.ASK, Purpose.PREVIEW)) is InvalidKind.ALTERED


async def test_where_a_person_or_the_client_was_asked_for_a_token_does_not_do(at: Bench) -> None:
    shown = await token(at)
    asking = Policy((Rule(name="ask", effect=RuleEffect.ASK, tools=("*",)),))

    for gate in (at.gate(Mode.ASK, tokens=True), at.gate(tokens=True, policy=asking)):
        with pytest.raises(NeedsApprovalError):
            await at.level(action(), gate=gate, token=shown)
