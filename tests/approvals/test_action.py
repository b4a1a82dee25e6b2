"""One digest for one deed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.approvals import ActionError, grave_of
from handrail.approvals.action import GRAVE_RISKS, canonical
from handrail.hints import Risk
from handrail.json_types import Json
from tests.approvals.callers import action, effect, read

pytestmark = pytest.mark.unit

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    ),
    max_leaves=12,
)


def _typed(value: Json) -> object:
    """A document in which each value says its type, and keys have no order."""
    if isinstance(value, dict):
        return frozenset((name, _typed(item)) for name, item in value.items())
    if isinstance(value, list):
        return tuple(_typed(item) for item in value)
    return type(value).__name__, repr(value)


@given(one=DOCUMENTS, other=DOCUMENTS)
def test_two_documents_have_one_form_only_when_they_are_the_same(one: Json, other: Json) -> None:
    assert (canonical(one) == canonical(other)) is (_typed(one) == _typed(other))


@given(DOCUMENTS)
def test_the_form_is_json_that_says_the_same_and_is_its_own_form(document: Json) -> None:
    again = json.loads(canonical(document))

    assert _typed(again) == _typed(document)
    assert canonical(again) == canonical(document)


def test_the_order_of_keys_does_not_matter() -> None:
    one = action(arguments={"a": {"x": 1, "y": 2}, "b": [1, 2]})
    other = action(arguments={"b": [1, 2], "a": {"y": 2, "x": 1}})

    assert one.digest == other.digest
    assert len(one.digest) == 64


def _nested(levels: int) -> Json:
    document: Json = 1
    for _ in range(levels):
        document = [document]
    return document


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (float("nan"), "number"),
        (float("-inf"), "number"),
        (2**64, "integer"),
        (-(2**63) - 1, "integer"),
        pytest.param(10**5_000, "integer", id="long"),
        pytest.param("\ud800", "text", id="half-a-pair"),
        pytest.param({"\udc00": 1}, "text", id="half-a-pair-as-key"),
        (_nested(101), "depth"),
        (_nested(100_000), "depth"),
        ({1: "a"}, "type"),
        ((1, 2), "type"),
        (b"x", "type"),
        ({"a": {1, 2}}, "type"),
    ],
)
def test_what_has_no_one_form_is_refused(document: Json, problem: str) -> None:
    with pytest.raises(ActionError) as refused:
        canonical(document)

    assert refused.value.data == {"problem": problem}


def test_what_lies_a_hundred_levels_deep_still_has_one() -> None:
    assert canonical(_nested(100)) == b"[" * 100 + b"1" + b"]" * 100


@pytest.mark.parametrize("risk", list(Risk))
def test_a_write_is_grave_by_its_risks(risk: Risk) -> None:
    assert grave_of(effect(risk)) == ({risk.value} if risk in GRAVE_RISKS else set())


def test_a_write_is_grave_that_deletes_or_goes_to_another_project() -> None:
    assert grave_of(effect(), deletes=True, other_project=True) == {"delete", "other_project"}
    assert grave_of(effect(), reveal=True) == {"reveal"}
    assert grave_of(effect()) == set()


def test_a_read_is_grave_only_where_it_reveals() -> None:
    assert grave_of(read().effect, deletes=True, other_project=True) == set()
    assert grave_of(read().effect, reveal=True) == {"reveal"}
