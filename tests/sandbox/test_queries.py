"""Queries: what they find, how they order and page, and what is refused. Against a plain re-telling in Python."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.json_types import Json, JsonObject
from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.filters import FILTERS, Kind
from handrail.sandbox.queries import check, parse, run

pytestmark = pytest.mark.unit

DOCS: list[JsonObject] = [
    {"$id": "a", "name": "Hammer", "price": 19.5, "stock": 3, "sale": True, "tags": ["steel", "wood"]},
    {"$id": "b", "name": "Saw", "price": 24, "stock": None, "sale": False, "tags": ["steel"]},
    {"$id": "c", "name": "Spade", "price": 32, "stock": 0, "sale": False, "tags": []},
    {"$id": "d", "name": "Garden hose", "price": 19.5, "stock": 8, "sale": True, "tags": ["rubber"]},
]
SCHEMA = {"$id": Kind.TEXT, "name": Kind.TEXT, "price": Kind.NUMBER, "stock": Kind.NUMBER, "sale": Kind.FLAG}


def query(method: str, attribute: str | None = None, *values: Json) -> str:
    named = {} if attribute is None else {"attribute": attribute}
    return json.dumps({"method": method, **named, "values": list(values)})


def found(*queries: str) -> list[str]:
    return [str(doc["$id"]) for doc in run(parse(queries), DOCS).docs]


@pytest.mark.parametrize(
    ("method", "attribute", "values", "ids"),
    [
        ("equal", "name", ["Saw"], "b"),
        ("equal", "name", ["Saw", "Spade"], "bc"),
        ("equal", "sale", [True], "ad"),
        ("equal", "price", [24.0], "b"),
        ("notEqual", "name", ["Saw"], "acd"),
        ("lessThan", "price", [24], "ad"),
        ("lessThanEqual", "price", [24], "abd"),
        ("greaterThan", "stock", [0], "ad"),
        ("greaterThanEqual", "stock", [0], "acd"),
        ("between", "price", [20, 30], "b"),
        ("notBetween", "price", [20, 30], "acd"),
        ("isNull", "stock", [], "b"),
        ("isNotNull", "stock", [], "acd"),
        ("contains", "name", ["a"], "abcd"),
        ("contains", "name", ["hose"], "d"),
        ("contains", "tags", ["steel"], "ab"),
        ("containsAny", "tags", ["wood", "rubber"], "ad"),
        ("containsAll", "tags", ["wood", "steel"], "a"),
        ("notContains", "tags", ["steel"], "cd"),
        ("startsWith", "name", ["S"], "bc"),
        ("notStartsWith", "name", ["S"], "ad"),
        ("endsWith", "name", ["e"], "cd"),
        ("notEndsWith", "name", ["e"], "ab"),
        ("search", "name", ["hose garden"], "d"),
        ("notSearch", "name", ["hose"], "abc"),
    ],
)
def test_a_filter_finds_what_it_says(method: str, attribute: str, values: list[Json], ids: str) -> None:
    assert found(query(method, attribute, *values)) == list(ids)


def test_filters_can_be_joined_and_chosen_from() -> None:
    cheap: Json = {"method": "lessThan", "attribute": "price", "values": [20]}
    saw: Json = {"method": "equal", "attribute": "name", "values": ["Saw"]}
    sold: Json = {"method": "equal", "attribute": "stock", "values": [3]}
    assert found(query("or", None, saw, sold)) == ["a", "b"]
    assert found(query("and", None, cheap, sold)) == ["a"]
    assert found(query("lessThan", "price", 20), query("equal", "stock", 8)) == ["d"]


def test_orders_apply_first_to_last_and_keep_the_natural_order_of_equals() -> None:
    assert found(query("orderDesc", "price")) == ["c", "b", "a", "d"]
    assert found(query("orderAsc", "price"), query("orderDesc", "name")) == ["a", "d", "b", "c"]
    assert found(query("orderDesc", "")) == ["d", "c", "b", "a"]


def test_select_leaves_only_what_is_named_and_the_systems_own() -> None:
    page = run(parse([query("select", None, "name"), query("limit", None, 1)]), DOCS)
    assert page.docs == ({"$id": "a", "name": "Hammer"},)


@pytest.mark.parametrize("cursor", ["cursorAfter", "cursorBefore"])
def test_a_cursor_that_is_gone_is_an_error(cursor: str) -> None:
    with pytest.raises(ApiError) as refused:
        found(query(cursor, None, "zz"))
    assert refused.value.fail is Fail.CURSOR_NOT_FOUND


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nope",
        "[]",
        "NaN",
        '{"method": 3}',
        '{"method": "nope"}',
        '{"method": "equal", "attribute": "name", "values": []}',
        '{"method": "equal", "attribute": 3, "values": ["x"]}',
        '{"method": "equal", "attribute": "name", "values": "x"}',
        '{"method": "lessThan", "attribute": "price", "values": [1, 2]}',
        '{"method": "between", "attribute": "price", "values": [1]}',
        '{"method": "or", "values": [{"method": "isNull", "attribute": "name"}]}',
        '{"method": "limit", "values": [0]}',
        '{"method": "limit", "values": [5001]}',
        '{"method": "limit", "values": [true]}',
        '{"method": "offset", "values": [-1]}',
        '{"method": "offset", "values": ["1"]}',
        '{"method": "cursorAfter", "values": []}',
        '{"method": "select", "values": [1]}',
        '{"method": "x", "pad": "' + "x" * 4096 + '"}',
    ],
)
def test_a_broken_query_is_refused_as_such(text: str) -> None:
    with pytest.raises(ApiError) as refused:
        parse([text])
    assert refused.value.fail is Fail.QUERY_INVALID


def test_a_real_method_that_is_lacked_is_told_from_a_broken_one() -> None:
    with pytest.raises(ApiError) as refused:
        parse([query("regex", "name", "x")])
    assert refused.value.fail is Fail.NOT_IMPLEMENTED


def test_too_many_queries_are_refused() -> None:
    with pytest.raises(ApiError) as refused:
        parse([query("limit", None, 1)] * 101)
    assert refused.value.fail is Fail.QUERY_INVALID


@pytest.mark.parametrize(
    "text",
    [
        query("equal", "colour", "red"),
        query("equal", "price", "cheap"),
        query("equal", "name", 3),
        query("equal", "sale", 1),
        query("orderAsc", "colour"),
        query("select", None, "colour"),
        '{"method": "or", "values": [{"method": "isNull", "attribute": "x"}, {"method": "isNull", "attribute": "y"}]}',
    ],
)
def test_a_query_that_does_not_fit_the_schema_is_refused(text: str) -> None:
    with pytest.raises(ApiError) as refused:
        check(parse([text]), SCHEMA)
    assert refused.value.fail is Fail.QUERY_INVALID


numbered = st.lists(st.none() | st.integers(-3, 3), max_size=30)


@given(values=numbered, limit=st.integers(1, 7), descending=st.booleans())
def test_walking_by_cursor_meets_every_document_once_and_in_order(
    values: list[int | None], limit: int, *, descending: bool
) -> None:
    docs: list[JsonObject] = [{"$id": f"d{place}", "n": value} for place, value in enumerate(values)]
    order = query("orderDesc" if descending else "orderAsc", "n")
    whole = [doc["$id"] for doc in run(parse([order, query("limit", None, 5000)]), docs).docs]
    walked: list[Json] = []
    while True:
        cursor = [query("cursorAfter", None, walked[-1])] if walked else []
        page = run(parse([order, query("limit", None, limit), *cursor]), docs)
        if not page.docs:
            break
        walked += [doc["$id"] for doc in page.docs]
        assert page.total == len(docs)
    assert walked == whole


@given(values=numbered, low=st.integers(-3, 3), high=st.integers(-3, 3))
def test_filters_agree_with_plain_comparisons(values: list[int | None], low: int, high: int) -> None:
    docs: list[JsonObject] = [{"$id": f"d{place}", "n": value} for place, value in enumerate(values)]

    def counted(*queries: str) -> int:
        return run(parse(queries), docs).total

    known = [value for value in values if value is not None]
    assert counted(query("lessThan", "n", low)) == sum(value < low for value in known)
    assert counted(query("greaterThanEqual", "n", low)) == sum(value >= low for value in known)
    assert counted(query("between", "n", low, high)) == sum(low <= value <= high for value in known)
    assert counted(query("equal", "n", low, high)) == sum(value in {low, high} for value in known)
    assert counted(query("isNull", "n")) == len(values) - len(known)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(
    method=st.sampled_from(sorted(FILTERS | {"limit", "offset", "orderAsc", "select", "cursorAfter"})) | st.text(),
    attribute=json_values,
    values=json_values,
)
def test_any_query_is_read_or_refused(method: str, attribute: Json, values: Json) -> None:
    text = json.dumps({"method": method, "attribute": attribute, "values": values})
    fail: Fail | None = None
    try:
        run(parse([text]), DOCS)
    except ApiError as error:
        fail = error.fail
    assert fail in {None, Fail.QUERY_INVALID, Fail.NOT_IMPLEMENTED, Fail.CURSOR_NOT_FOUND}
