"""Arguments against their schema: one short error that names the nearest right thing."""

import contextlib
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.arguments import ArgumentChecker, nearest, number
from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonObject

pytestmark = pytest.mark.unit

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "user_id": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1},
        "confirm_write": {"type": "boolean"},
        "theme": {"enum": ["light", "dark"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "name": {"type": ["string", "null"]},
    },
    "required": ["user_id"],
    "additionalProperties": False,
}
CHECKER = ArgumentChecker(SCHEMA)


def _error(arguments: JsonObject) -> ArgumentError:
    with pytest.raises(ArgumentError) as caught:
        CHECKER.check(arguments)
    return caught.value


def test_right_arguments_pass() -> None:
    CHECKER.check({"user_id": "u", "limit": 3, "confirm_write": True, "theme": "dark", "tags": ["a"], "name": None})


@pytest.mark.parametrize("misspelt", ["userId", "UserId", "user-id", "user_ids", "USER_ID", "usr_id"])
def test_an_unknown_name_is_answered_with_the_right_one(misspelt: str) -> None:
    error = _error({misspelt: "u"})

    assert (error.argument, error.data["nearest"], error.next_step) == (misspelt, "user_id", "Use 'user_id'.")


def test_an_unknown_name_that_is_near_nothing_is_answered_with_all_names() -> None:
    error = _error({"user_id": "u", "zzzzzz": 1})

    assert error.next_step == "Use one of: confirm_write, limit, name, tags, theme, user_id."


def test_a_missing_name_is_named_with_its_type() -> None:
    error = _error({})

    assert (error.message, error.next_step) == ("Missing argument 'user_id'.", "Add 'user_id' (a string).")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("limit", "3", "'limit' must be an integer, not a string ('3')."),
        ("limit", True, "'limit' must be an integer, not a boolean (True)."),
        ("confirm_write", "true", "'confirm_write' must be a boolean, not a string ('true')."),
        ("confirm_write", 1, "'confirm_write' must be a boolean, not an integer (1)."),
        ("confirm_write", None, "'confirm_write' must be a boolean, not null (None)."),
        ("tags", ["a", 1], "'tags[1]' must be a string, not an integer (1)."),
        ("name", {}, "'name' must be a string or null, not an object ({})."),
        ("limit", 0, "'limit' must be at least 1, not 0."),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected(name: str, value: Json, sentence: str) -> None:
    assert _error({"user_id": "u", name: value}).message == sentence


def test_a_value_outside_an_enum_is_answered_with_the_nearest() -> None:
    assert _error({"user_id": "u", "theme": "drak"}).next_step == "Use 'dark'."


def test_a_value_far_from_an_enum_is_answered_with_all_of_them() -> None:
    assert _error({"user_id": "u", "theme": "x"}).next_step == "Use one of: light, dark."


def test_a_huge_value_is_shown_shortened() -> None:
    assert len(_error({"user_id": "u", "limit": "x" * 10_000}).message) < 200


@given(st.dictionaries(st.text(max_size=12), st.none() | st.booleans() | st.integers() | st.text(max_size=5)))
def test_whatever_comes_either_passes_or_is_an_argument_error(arguments: JsonObject) -> None:
    passes = isinstance(arguments.get("user_id"), str) and set(arguments) == {"user_id"}
    expectation = contextlib.nullcontext() if passes else pytest.raises(ArgumentError, match=r".+")

    with expectation:
        CHECKER.check(arguments)


@given(st.sampled_from(["user_id", "database_id", "row_id"]))
def test_the_right_name_is_nearest_to_itself(name: str) -> None:
    assert nearest(name, ["user_id", "database_id", "row_id"]) == name


def test_nothing_is_near_among_nothing() -> None:
    assert nearest("x", []) is None


@pytest.mark.promise("checks-are-bounded")
def test_a_check_takes_no_more_memory_the_more_is_wrong() -> None:
    wrong: list[Json] = [1] * 20_000
    tracemalloc.start()
    try:
        error = _error({"user_id": "u", "tags": wrong})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert error.argument == "tags[0]"
    assert peak < 5_000_000


def test_a_misspelt_name_is_told_before_all_that_is_wrong_inside_the_others() -> None:
    wrong: list[Json] = [1] * 1_000

    assert _error({"userId": "u", "tags": wrong}).data["nearest"] == "user_id"


class _Compared(str):
    __slots__ = ()
    times = 0

    def __eq__(self, other: object) -> bool:
        type(self).times += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)


@pytest.mark.promise("checks-are-bounded")
def test_what_is_too_large_is_not_looked_at_any_further() -> None:
    checker = ArgumentChecker(
        {"properties": {"keys": {"uniqueItems": True, "items": {"type": "string"}, "maxItems": 9}}}
    )
    keys: list[Json] = [key for n in range(200) for key in (n, _Compared(n))]

    with pytest.raises(ArgumentError, match="at most 9 entries"):
        checker.check({"keys": keys})

    assert _Compared.times == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"x" * 3_000_000: 1},
        {"user_id": "u", "theme": "x" * 3_000_000},
        {"user_id": "u", "limit": "x" * 3_000_000},
        {"user_id": "u", "any": {"x" * 3_000_000: 1}},
        {"user_id": "u", "names": {"x" * 3_000_000: "y"}},
    ],
    ids=["unknown name", "enum", "type", "a name on the way", "a name as such"],
)
@pytest.mark.promise("errors-are-small")
def test_no_part_of_an_error_repeats_more_than_the_beginning_of_what_was_given(arguments: JsonObject) -> None:
    properties: JsonObject = {
        "any": {"additionalProperties": {"type": "string"}},
        "names": {"propertyNames": {"maxLength": 64}},
    }
    known = SCHEMA["properties"]
    assert isinstance(known, dict)

    with pytest.raises(ArgumentError) as caught:
        ArgumentChecker({**SCHEMA, "properties": {**known, **properties}}).check(arguments)

    assert len(json.dumps(caught.value.as_json())) < 1_500


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"n": 2}, 2.0),
        ({"n": 0.5}, 0.5),
        ({}, None),
        ({"n": None}, None),
        ({"n": True}, None),
        ({"n": "2"}, None),
        ({"n": 10**400}, None),
        ({"n": float("nan")}, None),
        ({"n": float("-inf")}, None),
    ],
)
def test_a_number_is_finite_or_none(given: JsonObject, expected: float | None) -> None:
    assert number(given, "n") == expected
