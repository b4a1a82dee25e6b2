"""Finding methods by plain words."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.search import SearchIndex
from handrail.appwrite.tool_search import ToolSearch
from handrail.errors import ArgumentError

pytestmark = pytest.mark.unit


@pytest.fixture(scope="session")
def index(catalog: Catalog) -> SearchIndex:
    return SearchIndex(catalog)


@pytest.fixture(scope="session")
def search(catalog: Catalog) -> ToolSearch:
    return ToolSearch(catalog)


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("list users", "users_list"),
        ("show all users", "users_list"),
        ("add a user", "users_create"),
        ("download a file", "storage_get_file_download"),
        ("change the email of a user", "users_update_email"),
        ("delete a row", "tables_db_delete_row"),
        ("create bucket", "storage_create_bucket"),
        ("upload a file", "storage_create_file"),
        ("add a team membership", "teams_create_membership"),
        ("list tabels", "tables_db_list_tables"),
        ("createRow tablesDB", "tables_db_create_row"),
    ],
)
def test_plain_words_find_the_method(index: SearchIndex, query: str, tool: str) -> None:
    first_hits = [hit.method.tool for hit in index.search(query, limit=3)]  # those that come with their schema

    assert tool in first_hits


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_an_exact_name_comes_first(index: SearchIndex, catalog: Catalog, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(catalog.names()))

    assert index.search(name)[0].method.tool == name


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=200), limit=st.integers(1, 25))
def test_any_text_is_answered_with_at_most_the_hits_asked_for(index: SearchIndex, query: str, limit: int) -> None:
    hits = index.search(query, limit=limit)

    assert len(hits) <= limit
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 < hit.score <= 1 for hit in hits)


@pytest.mark.parametrize("query", ["", "   ", "the of and", "!!!", "🎉", "x" * 10_000])
def test_a_query_without_meaning_finds_nothing_and_breaks_nothing(index: SearchIndex, query: str) -> None:
    assert index.search(query) == []


def test_a_service_narrows_the_search(index: SearchIndex) -> None:
    hits = index.search("list", services={"teams"}, limit=25)

    assert hits
    assert {hit.method.service for hit in hits} == {"teams"}


def test_a_deprecated_twin_comes_below_its_replacement(index: SearchIndex) -> None:
    names = [hit.method.tool for hit in index.search("create a row or a document", limit=100)]

    assert names.index("tables_db_create_row") < names.index("databases_create_document")


def test_a_hit_tells_all_that_is_needed_to_judge_and_call_it(search: ToolSearch) -> None:
    hits = search.find("tables_db_delete_rows", limit=1)["tools"]

    assert isinstance(hits, list)
    hit = hits[0]
    assert isinstance(hit, dict)
    assert (hit["name"], hit["service"], hit["deprecated"]) == ("tables_db_delete_rows", "tables_db", False)
    assert hit["hints"] == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    }
    assert (hit["risks"], hit["required"]) == (["bulk", "irreversible"], ["database_id", "table_id"])
    assert isinstance(hit["arguments"], dict)
    assert set(hit["arguments"]["properties"]) >= {"database_id", "table_id", "queries"}  # type: ignore[arg-type]


def test_an_unknown_service_is_answered_with_the_nearest(search: ToolSearch) -> None:
    with pytest.raises(ArgumentError) as caught:
        search.find("rows", services=["tablesDb"])

    assert caught.value.data["nearest"] == "tables_db"
