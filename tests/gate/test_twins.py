"""Which read shows what a write is about to change, over every method of the SDKs; and the difference that is told."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.evidence import judge
from handrail.appwrite.planner import plan_request
from handrail.appwrite.preview.difference import MOST_FIELDS, bounded, changes_of
from handrail.appwrite.preview.twins import ReadTwin, ReadTwins
from handrail.arguments import ArgumentChecker
from handrail.json_types import Json, JsonObject
from tests.appwrite.hints.conduct import arguments

pytestmark = pytest.mark.unit

_PATHS = frozenset({"row_id"})
_VALUES: st.SearchStrategy[Json] = st.one_of(st.none(), st.booleans(), st.integers(), st.text())


@pytest.fixture(scope="module")
def twins(catalog: Catalog) -> dict[str, ReadTwin]:
    """The twin of a call of each method that has one."""
    finder = ReadTwins(catalog)
    found = {method.tool: finder.of(method, arguments(method)) for method in catalog if not judge(method).is_read}
    return {tool: twin for tool, twin in found.items() if twin is not None}


@pytest.mark.promise("twins-are-reads-that-fit")
def test_every_twin_is_a_read_whose_arguments_fit_its_schema_and_can_be_sent(twins: dict[str, ReadTwin]) -> None:
    for tool, twin in twins.items():
        assert judge(twin.method).is_read, tool
        assert twin.method.http_method == "GET", tool
        ArgumentChecker(twin.method.input_schema()).check(twin.arguments)
        plan_request(twin.method, twin.arguments, config={"project": "p"})


def test_a_twin_reads_the_very_thing_that_the_write_names(catalog: Catalog, twins: dict[str, ReadTwin]) -> None:
    for tool, twin in twins.items():
        method = catalog.get(tool)
        if twin.counts or method.http_method not in {"PUT", "PATCH", "DELETE"}:
            continue
        read = plan_request(twin.method, twin.arguments, config={"project": "p"}).path.split("/")
        write = plan_request(method, arguments(method), config={"project": "p"}).path.split("/")
        assert [part for part in read if part not in write] == [], tool


def test_how_many_writes_have_a_twin(catalog: Catalog, twins: dict[str, ReadTwin]) -> None:
    def share(wanted: Callable[[Method], bool]) -> tuple[int, int]:
        among = [method.tool for method in catalog if not judge(method).is_read and wanted(method)]
        return sum(tool in twins for tool in among), len(among)

    assert len(catalog.names()) == 1045
    assert {
        "all": share(lambda _method: True),
        "DELETE": share(lambda method: method.http_method == "DELETE"),
        "PUT": share(lambda method: method.http_method == "PUT"),
        "PATCH": share(lambda method: method.http_method == "PATCH"),
        "POST": share(lambda method: method.http_method == "POST"),
        "counting": (sum(twin.counts for twin in twins.values()), len(twins)),
    } == {
        "all": (383, 686),
        "DELETE": (101, 114),
        "PUT": (73, 75),
        "PATCH": (209, 227),
        "POST": (0, 266),
        "counting": (8, 383),
    }


@pytest.mark.parametrize(
    ("tool", "read"),
    [
        ("tables_db_update_row", "tables_db_get_row"),
        ("tables_db_upsert_row", "tables_db_get_row"),
        ("tables_db_delete_row", "tables_db_get_row"),
        ("tables_db_delete_rows", "tables_db_list_rows"),
        ("tables_db_update_rows", "tables_db_list_rows"),
        ("tables_db_increment_row_column", "tables_db_get_row"),
        ("tables_db_update_boolean_column", "tables_db_get_column"),
        ("users_update_email", "users_get"),
        ("users_delete", "users_get"),
        ("teams_delete", "teams_get"),
        ("storage_delete_file", "storage_get_file"),
        ("functions_update", "functions_get"),
        ("users_create", None),
        ("tables_db_create_row", None),
        ("messaging_create_email", None),
    ],
)
def test_the_twins_of_well_known_writes(twins: dict[str, ReadTwin], tool: str, read: str | None) -> None:
    assert (twins[tool].method.tool if tool in twins else None) == read


def test_a_count_keeps_the_conditions_and_asks_for_one_row(catalog: Catalog) -> None:
    mine = '{"method":"equal","attribute":"a","values":[1]}'
    given_arguments: JsonObject = {"database_id": "d", "table_id": "t", "queries": [mine]}

    twin = ReadTwins(catalog).of(catalog.get("tables_db_delete_rows"), given_arguments)

    assert twin is not None
    assert twin.arguments == {
        "database_id": "d",
        "table_id": "t",
        "queries": [mine, '{"method":"limit","values":[1]}'],
    }


@pytest.mark.parametrize(
    ("wanted", "current", "expected"),
    [
        ({"data": {"price": 2}}, {"price": 1}, [("price", 1, 2, True)]),
        ({"data": {"price": 1}}, {"price": 1}, []),
        ({"data": {"on": 1}}, {"on": True}, [("on", True, 1, True)]),
        ({"row_security": True}, {"rowSecurity": False}, [("row_security", False, True, True)]),
        ({"permissions": ["x"]}, {"$permissions": ["x"]}, []),
        ({"row_id": "r", "name": None}, {"$id": "q", "name": "n"}, []),
        ({"fresh": "x"}, {}, [("fresh", None, "x", False)]),
        ({"data": "text"}, {}, [("data", None, "text", False)]),
    ],
)
def test_the_difference(wanted: JsonObject, current: JsonObject, expected: list[tuple[str, Json, Json, bool]]) -> None:
    named = [(one["field"], one["before"], one["after"], one["known"]) for one in changes_of(wanted, _PATHS, current)]

    assert named == expected


@given(st.dictionaries(st.text("abcdefg", min_size=1, max_size=8), _VALUES, max_size=80))
def test_what_is_as_it_was_is_no_difference_and_a_difference_is_bounded(thing: JsonObject) -> None:
    others: JsonObject = {name: [value] for name, value in thing.items()}

    assert changes_of({"data": thing}, _PATHS, thing) == []
    assert len(changes_of({"data": others}, _PATHS, thing)) == min(len(others), MOST_FIELDS)


def test_long_values_are_cut_whatever_they_are() -> None:
    long: JsonObject = {"text": "x" * 10_000, "list": ["y" * 10_000], "number": 7}

    shown = bounded(long)

    assert shown["number"] == 7
    assert all(len(str(value)) < 600 for value in shown.values())
    assert bounded({"text": "short"}) == {"text": "short"}
    (change,) = changes_of({"list": ["z" * 10_000]}, _PATHS, {"list": []})
    assert len(str(change["after"])) < 600
