"""What is kept of a call: no secret, nothing large, nothing that a reader trips over."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.journal.masking import Masking
from handrail.json_types import Json, JsonObject
from tests.journal.places import entry

pytestmark = pytest.mark.unit

KEY = "canary/secret key"


def _kept(arguments: dict[str, Any], **options: frozenset[str]) -> Json:
    return Masking({KEY}).arguments(arguments, **options)


@pytest.mark.promise("journal-no-secret")
@pytest.mark.parametrize(
    "arguments",
    [
        {"password": KEY},
        {"user": {"api_key": "other-secret-1", "deep": [{"sessionToken": {"a": "other-secret-1"}}]}},
        {"name": f"before {KEY} after"},
        {KEY: 1},
        {"nested": {KEY: [KEY]}},
        {"url": "https://host/?key=canary%2Fsecret%20key"},
        {"body": '{"password": "other-secret-1", "n": 1}'},
        {"list": ['[{"client_secret": "other-secret-1"}]']},
        {"large": KEY + "x" * 5000},
    ],
)
def test_no_secret_is_kept_of_arguments(arguments: dict[str, Any]) -> None:
    shown = json.dumps(_kept(arguments))

    assert KEY not in shown
    assert "canary%2Fsecret%20key" not in shown
    assert "other-secret-1" not in shown
    assert arguments != _kept(arguments)


def test_no_text_of_an_entry_holds_a_known_secret() -> None:
    asked = entry(request_line=f"GET /v1/{KEY}")

    kept = Masking({KEY, "tables_db_update_row", "model: confirm_write"}).kept(asked)

    assert kept["request"] == "GET /v1/***"
    assert kept["tool"] == "***"
    assert kept["by"] == "***"


def test_a_caller_says_which_arguments_are_secret_and_which_are_not() -> None:
    kept = _kept({"key": "title", "value": "s3cret", "other": 1}, secret=frozenset({"value"}), plain=frozenset({"key"}))

    assert kept == {"key": "title", "value": "***", "other": 1}


def test_that_a_secret_is_empty_or_missing_is_kept() -> None:
    assert _kept({"password": None, "token": "", "secret": 0}) == {"password": None, "token": "", "secret": "***"}


def test_a_value_over_four_kilobytes_is_kept_as_its_digest() -> None:
    text = "ä" * 2049

    assert _kept({"data": {"title": "x", "body": text}}) == {
        "data": {"title": "x", "body": {"sha256": hashlib.sha256(text.encode()).hexdigest(), "size": 4098}}
    }
    assert _kept({"text": "x" * 4096}) == {"text": "x" * 4096}


def test_many_small_values_that_are_large_together_are_kept_as_a_digest() -> None:
    kept = _kept({"rows": [{"n": number} for number in range(1000)]})

    assert isinstance(kept, dict)
    assert isinstance(kept["rows"], dict)
    assert set(kept["rows"]) == {"sha256", "size"}


def test_the_digest_of_a_value_does_not_depend_on_its_secrets() -> None:
    first, second = (_kept({"data": {"password": word, "rest": list(range(2000))}}) for word in ("guess-1", "guess-2"))

    assert first == second


def test_an_entry_of_any_size_takes_a_bounded_place() -> None:
    many: JsonObject = {f"a{number}" * 100: "x" * 4000 for number in range(500)}

    kept = Masking(()).kept(entry(arguments=many, request_line="x" * 1_000_000))

    assert len(json.dumps(kept)) < 40_000


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
        ("\ud800x\0", "\\ud800x\0"),
        (2**200, 2**200),
        (b"bytes", {"cut": "no JSON: bytes"}),
        (True, True),
        (1, 1),
        (1.0, 1.0),
    ],
)
def test_odd_values_do_no_harm(value: object, kept: Json) -> None:
    assert _kept({"value": value}) == {"value": kept}
    assert json.loads(json.dumps(_kept({"value": value}), allow_nan=False).encode()) == {"value": kept}


def test_a_number_of_thousands_of_digits_and_a_deep_nest_do_no_harm() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]

    shown = json.dumps(_kept({"number": 10**20_000, "deep": deep, "text": "[" * 4000}))

    assert len(shown) < 10_000
    assert "nested deeper than 32 levels" in shown


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.just(KEY) | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.just(KEY), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), _JSON, max_size=4))
@pytest.mark.promise("journal-no-secret")
def test_whatever_comes_is_kept_as_bounded_json_without_the_secret(arguments: dict[str, Any]) -> None:
    kept = _kept(arguments)

    text = json.dumps(kept, ensure_ascii=False, allow_nan=False)
    text.encode()
    assert KEY not in text
    assert len(text) < 33_000
    assert json.loads(text) == kept
