"""What is typed as an answer, against what is asked."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.cli.runs.answers import AnswerUnclearError, Field, answers_of, fields_of, value_of
from handrail.errors import ArgumentError, UsageError
from handrail.json_types import Json, JsonObject
from handrail.runs import Question

pytestmark = pytest.mark.unit

GO_ON = Question(
    "q1", "Go on?", {"type": "object", "properties": {"go_on": {"type": "boolean"}}, "required": ["go_on"]}
)
BUY = Question(
    "q2",
    "Buy what?",
    {"type": "object", "properties": {"name": {"type": "string"}, "count": {"type": "integer"}, "more": {}}},
)
FLAG = Question("q3", "Yes?", {"type": "boolean"})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        (["go_on=yes"], {"q1": {"go_on": True}}),
        (["go_on=FALSE"], {"q1": {"go_on": False}}),
        (["name=1", "count=3"], {"q2": {"name": "1", "count": 3}}),
        (["q2.name=a=b", "go_on=n"], {"q2": {"name": "a=b"}, "q1": {"go_on": False}}),
        (["more=plain words", "name="], {"q2": {"more": "plain words", "name": ""}}),
        (["more=[1, null]"], {"q2": {"more": [1, None]}}),
        (["q3=y"], {"q3": True}),
        (['{"go_on": true, "name": "x"}'], {"q1": {"go_on": True}, "q2": {"name": "x"}}),
        ([' {"q1": {"go_on": true}, "q3": false}'], {"q1": {"go_on": True}, "q3": False}),
    ],
)
def test_each_value_goes_to_the_question_that_has_its_name(typed: list[str], answers: JsonObject) -> None:
    assert answers_of([GO_ON, BUY, FLAG], typed) == answers


@pytest.mark.parametrize("typed", [["go_on"], ["=yes"], ["gon=yes"], ["yes"], ['{"gon": true}']])
def test_what_answers_no_question_is_refused_with_the_names_there_are(typed: list[str]) -> None:
    with pytest.raises(AnswerUnclearError) as caught:
        answers_of([GO_ON, BUY], typed)

    assert caught.value.data["fields"] == ["q1.go_on", "q2.name", "q2.count", "q2.more"]


def test_a_name_that_two_questions_have_needs_the_question_beside_it() -> None:
    again = Question("q9", "And now?", GO_ON.schema)

    with pytest.raises(AnswerUnclearError):
        answers_of([GO_ON, again], ["go_on=yes"])
    assert answers_of([GO_ON, again], ["q9.go_on=yes"]) == {"q9": {"go_on": True}}


@pytest.mark.parametrize(
    ("kind", "text"),
    [("boolean", "maybe"), ("integer", "three"), ("array", "[1"), ("number", "NaN"), ("object", '{"a": "\\ud800"}')],
)
def test_a_value_of_another_kind_is_refused_by_its_name(kind: str, text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        value_of(Field("q", "name", {"type": kind}), text)

    assert caught.value.argument == "name"


@pytest.mark.parametrize("typed", ["{", '{"a": NaN}', "{}x"])
def test_an_answer_that_is_no_json_is_a_usage_error(typed: str) -> None:
    with pytest.raises(UsageError):
        answers_of([GO_ON], [typed])


@given(st.text())
def test_text_stays_as_it_was_typed(text: str) -> None:
    assert value_of(Field("q", "name", {"type": "string"}), text) == text


@given(JSON.filter(lambda value: value is not None))
def test_any_value_can_be_given_as_json(value: Json) -> None:
    kinds: dict[type, str] = {bool: "boolean", int: "integer", str: "array", list: "array", dict: "object"}
    if not isinstance(value, str):
        assert value_of(Field("q", "name", {"type": kinds[type(value)]}), json.dumps(value)) == value
    assert answers_of([BUY], [json.dumps({"more": value})]) == {"q2": {"more": value}}


@given(st.text(), st.text())
def test_whatever_is_typed_is_an_answer_or_a_usage_error(name: str, value: str) -> None:
    try:
        answers = answers_of([GO_ON, BUY, FLAG], [f"{name}={value}"])
    except UsageError as error:
        assert len(error.message) < 200  # noqa: PT017  (either is right)
    else:
        assert {*answers} <= {"q1", "q2", "q3"}


def test_a_question_about_no_object_has_one_field_of_its_own_name() -> None:
    assert [(field.name, field.whole) for field in fields_of(FLAG)] == [("q3", True)]
    assert [(field.name, field.required) for field in fields_of(BUY)] == [
        ("name", False),
        ("count", False),
        ("more", False),
    ]
