"""Reviewed exceptions: strict, after the rules, and never a repetition of them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hints import (
    OVERRIDE,
    Judge,
    Operation,
    OverrideError,
    OverrideProblem,
    Risk,
    read_overrides,
)

pytestmark = pytest.mark.unit

READ = {"readOnly": True, "destructive": False, "idempotent": True, "openWorld": False}
CHANGES = {"readOnly": False, "destructive": True, "idempotent": False, "openWorld": True}
QUOTE = Operation("estimate_plan", "PATCH", "/plans/estimates")
PLAIN = Operation("create_row", "POST", "/rows")
WORDS: dict[str, object] = {"does": "It quotes.", "reason": "nothing is stored"}


def judge(**entry: object) -> Judge:
    return Judge(read_overrides([{"tools": ["a_tool"], **WORDS, **entry}]))


def test_an_exception_decides_over_the_rules() -> None:
    effect = judge(hints=READ, risks=["secret"]).judge("a_tool", QUOTE)

    assert (effect.is_read, effect.rule, effect.reason) == (True, OVERRIDE, "nothing is stored")
    assert effect.risks == {Risk.SECRET}


def test_an_exception_that_only_warns_leaves_the_rule_in_charge() -> None:
    effect = judge(risks=["money"]).judge("a_tool", PLAIN)

    assert effect.rule == "create.adds"
    assert effect.risks == {Risk.MONEY}
    assert "nothing is stored" in effect.reason


def test_an_exception_takes_a_wrong_tag_away() -> None:
    operation = Operation("create_installation", "POST", "/installations")

    assert judge(without=["access"]).judge("a_tool", operation).risks == set()


def test_an_exception_is_for_its_own_operation_only() -> None:
    assert not judge(hints=READ).judge("another_tool", QUOTE).is_read


@pytest.mark.promise("overrides-are-strict")
@pytest.mark.parametrize(
    ("entry", "nearest"),
    [
        ({"hints": READ, "risk": ["money"]}, "risks"),
        ({"risks": ["moneyy"]}, "money"),
        ({"without": ["acess"]}, "access"),
        ({"hints": {**READ, "readonly": True}}, "readOnly"),
    ],
)
def test_a_misspelt_word_is_refused_with_the_nearest(entry: dict[str, object], nearest: str) -> None:
    with pytest.raises(OverrideError) as caught:
        judge(**entry)

    assert (caught.value.tool, caught.value.problem) == ("a_tool", OverrideProblem.MISSPELT)
    assert caught.value.nearest == nearest
    assert "a_tool" in str(caught.value)
    assert nearest in str(caught.value)


@pytest.mark.promise("overrides-are-strict")
@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"risks": []},
        {"hints": {"readOnly": True}},
        {"hints": {**READ, "idempotent": 1}},
        {"hints": {**READ, "destructive": True}},
        {"hints": {**CHANGES, "openWorld": False}},
        {"hints": "read"},
        {"risks": "money"},
        {"risks": ["money"], "without": ["money"]},
        {"risks": ["money"], "reason": ""},
        {"risks": ["money"], "does": 7},
        {"risks": ["money"], "tools": []},
        {"risks": ["money"], "tools": ["a", "a"]},
    ],
)
def test_a_malformed_exception_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(OverrideError):
        judge(**entry)


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_other_document_is_refused_or_holds_nothing(document: object) -> None:
    found: object = {}
    with suppress(OverrideError):
        found = read_overrides(document)

    assert found == {}


@pytest.mark.promise("overrides-are-strict")
def test_an_exception_for_nothing_is_stale_and_names_the_nearest() -> None:
    (error,) = judge(hints=READ).problems({"a_tol": QUOTE}, elsewhere=frozenset())

    assert (error.problem, error.tool, error.nearest) == (OverrideProblem.STALE, "a_tool", "a_tol")


def test_an_exception_for_what_is_only_not_installed_is_not_stale() -> None:
    assert not list(judge(hints=READ).problems({}, elsewhere=frozenset({"a_tool"})))


@pytest.mark.promise("overrides-are-strict")
@pytest.mark.parametrize(
    ("entry", "operation"),
    [
        ({"hints": READ}, Operation("get_row", "GET", "/rows/{id}")),
        ({"hints": CHANGES, "risks": ["money"]}, Operation("create_failover", "POST", "/failovers")),
        ({"risks": ["access"]}, Operation("create_key", "POST", "/keys")),
        ({"without": ["money"]}, PLAIN),
    ],
)
def test_an_exception_that_a_rule_covers_is_redundant(entry: dict[str, object], operation: Operation) -> None:
    (error,) = judge(**entry).problems({"a_tool": operation}, elsewhere=frozenset())

    assert (error.problem, error.tool) == (OverrideProblem.REDUNDANT, "a_tool")


def test_a_person_may_confirm_what_no_rule_covers() -> None:
    confirmed = judge(hints=CHANGES)

    assert not list(confirmed.problems({"a_tool": QUOTE}, elsewhere=frozenset()))
    assert confirmed.judge("a_tool", QUOTE).rule == OVERRIDE
