"""The name-only helper."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hints import (
    annotations_for_classification,
    annotations_for_gateway,
    classify_tool_name,
)
from handrail.hints.names import name_words
from handrail.hints.verbs import VERBS, Bucket

pytestmark = pytest.mark.unit

ALL_VERBS = sorted(VERBS)


def _of(bucket: Bucket) -> list[str]:
    return [verb for verb, found in VERBS.items() if found is bucket]


def test_there_are_enough_verbs_of_every_kind() -> None:
    assert (len(_of(Bucket.READ)) >= 19, len(_of(Bucket.WRITE)) >= 19, len(_of(Bucket.DELETE)) >= 10) == (True,) * 3


@pytest.mark.parametrize("verb", ALL_VERBS)
@pytest.mark.parametrize(
    "pattern",
    [
        "{0}",
        "{0}_thing",
        "thing_{0}",
        "big_thing_{0}_now",
        "{0}-thing",
        "things.{0}",
        "{1}",
        "{2}_THING",
        "thing{1}Now",
    ],
)
def test_a_verb_decides_wherever_it_stands_and_however_it_is_written(verb: str, pattern: str) -> None:
    name = pattern.format(verb, verb.capitalize(), verb.upper())

    assert classify_tool_name(name) == VERBS[verb].value


@pytest.mark.parametrize("name", ["", "thing", "_", "123", "listing", "deleted", "übung", "presets"])
def test_a_name_without_a_verb_is_unknown(name: str) -> None:
    assert classify_tool_name(name) == "unknown"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tables_db_list_rows", "read"),
        ("users_create", "write"),
        ("storageDeleteFile", "delete"),
        ("get_update_status", "read"),
        ("HTTPGetThing", "read"),
    ],
)
def test_the_first_verb_counts(name: str, expected: str) -> None:
    assert classify_tool_name(name) == expected


@given(st.text())
def test_any_text_falls_into_one_of_four_buckets(name: str) -> None:
    assert classify_tool_name(name) in {"read", "write", "delete", "unknown"}


@given(st.lists(st.from_regex(r"[a-z]+", fullmatch=True), min_size=1))
def test_snake_case_splits_into_its_words(words: list[str]) -> None:
    assert name_words("_".join(words)) == words


@pytest.mark.parametrize(
    ("bucket", "hints"),
    [
        ("read", (True, False, True, True)),
        ("write", (False, False, False, True)),
        ("delete", (False, True, True, True)),
        ("unknown", (False, False, False, True)),
        ("nonsense", (False, False, False, True)),
        ("", (False, False, False, True)),
    ],
)
def test_every_bucket_has_all_four_hints(bucket: str, hints: tuple[bool, ...]) -> None:
    found = annotations_for_classification(bucket)

    assert hints == (found.read_only_hint, found.destructive_hint, found.idempotent_hint, found.open_world_hint)


def test_annotations_are_a_fresh_object_at_each_call() -> None:
    assert annotations_for_classification("read") is not annotations_for_classification("read")
    assert annotations_for_gateway() is not annotations_for_gateway()


def test_a_gateway_leaves_its_destructive_hint_and_title_unset() -> None:
    shown = annotations_for_gateway().model_dump(by_alias=True, exclude_none=True)

    assert shown == {"readOnlyHint": False, "idempotentHint": False, "openWorldHint": True}
