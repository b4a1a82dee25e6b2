"""Finding methods by plain words: what an index finds, with and without the encoder."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from benchmarks.search import read_requests, recall
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.search import Ranking, SearchIndex
from handrail.appwrite.search.spelling import Spelling, slips_between
from handrail.appwrite.search.words import Deed, deed_asked
from handrail.encoder import Encoder, EncoderDataError

pytestmark = pytest.mark.unit


@pytest.fixture(scope="session")
def index(catalog: Catalog) -> SearchIndex:
    return SearchIndex(catalog)


@pytest.fixture(scope="session")
def word_index(catalog: Catalog) -> SearchIndex:
    """An index whose encoder cannot be loaded."""

    def broken() -> Encoder:
        raise EncoderDataError("The encoder's data cannot be used: it is broken.", file="here")

    return SearchIndex(catalog, load=broken)


def _names(index: SearchIndex, query: str, limit: int = 8) -> list[str]:
    return [hit.method.tool for hit in index.search(query, limit=limit).hits]


_EVERYDAY = [
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
]


@pytest.mark.parametrize(("query", "tool"), _EVERYDAY)
def test_plain_words_find_the_method_first(index: SearchIndex, query: str, tool: str) -> None:
    assert _names(index, query)[0] == tool


@pytest.mark.parametrize(("query", "tool"), _EVERYDAY)
def test_words_alone_find_the_method_among_the_first(word_index: SearchIndex, query: str, tool: str) -> None:
    found = word_index.search(query, limit=3)

    assert tool in [hit.method.tool for hit in found.hits]
    assert found.ranking is Ranking.WORDS
    assert all(hit.why.startswith("words: ") for hit in found.hits)


@pytest.mark.promise("search-finds-first")
@pytest.mark.parametrize("half", ["search_score.tsv", "search_tune.tsv", "search_spread.tsv"])
def test_labelled_requests_find_a_right_tool(index: SearchIndex, half: str) -> None:
    found = recall(partial(_names, index), read_requests(half))

    assert found[1] >= 0.8
    assert found[5] >= 0.93
    assert found[8] >= 0.95


def test_every_label_names_a_tool(catalog: Catalog) -> None:
    for half in ("search_score.tsv", "search_tune.tsv", "search_spread.tsv"):
        for request in read_requests(half):
            assert all(tool in catalog for tool in request.right), request


def test_no_request_is_in_two_sets() -> None:
    halves = [{request.ask for request in read_requests(f"search_{half}.tsv")} for half in ("score", "tune", "spread")]

    assert len(set().union(*halves)) == sum(map(len, halves))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_an_exact_name_comes_first(index: SearchIndex, catalog: Catalog, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(catalog.names()))

    found = index.search(f" {name} ")

    assert (found.hits[0].method.tool, found.hits[0].score, found.ranking) == (name, 1.0, Ranking.NAME)


@pytest.mark.parametrize(
    "written", ["tablesDB.createRow", "tables-db create-row", "Tables DB: create row", "tablesDb_createRow"]
)
def test_a_name_in_another_spelling_comes_first_too(index: SearchIndex, written: str) -> None:
    found = index.search(written)

    assert (found.hits[0].method.tool, found.ranking) == ("tables_db_create_row", Ranking.NAME)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=200), limit=st.integers(1, 25))
def test_any_text_is_answered_with_at_most_the_hits_asked_for(index: SearchIndex, query: str, limit: int) -> None:
    hits = index.search(query, limit=limit).hits

    assert len(hits) <= limit
    assert len({hit.method.tool for hit in hits}) == len(hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 < hit.score <= 1 for hit in hits)


@pytest.mark.parametrize("query", ["", "   ", "the of and", "!!!", "🎉"])
def test_a_query_without_meaning_finds_nothing(index: SearchIndex, query: str) -> None:
    assert index.search(query).hits == ()


def test_a_service_narrows_the_search(index: SearchIndex) -> None:
    hits = index.search("list", services={"teams"}, limit=25).hits

    assert hits
    assert {hit.method.service for hit in hits} == {"teams"}


@pytest.mark.parametrize("query", ["create a row or a document", "create a document", "list documents in a collection"])
def test_a_deprecated_twin_comes_below_its_replacement(index: SearchIndex, query: str) -> None:
    hits = index.search(query, limit=25).hits
    names = [hit.method.tool for hit in hits]

    old = [hit.method for hit in hits if hit.method.deprecation and hit.method.deprecation.replacement]
    assert old
    for method in old:
        assert method.deprecation is not None
        assert names.index(str(method.deprecation.replacement)) < names.index(method.tool)


@pytest.mark.promise("search-hides-no-write")
def test_writes_are_found_beside_reads_whatever_is_asked(index: SearchIndex) -> None:
    assert "users_delete" in _names(index, "I only want to read users, delete nothing", limit=25)


def test_a_slip_is_mended_and_told(index: SearchIndex) -> None:
    found = index.search("list al bukets")

    assert (found.hits[0].method.tool, found.read_as) == ("storage_list_buckets", "list al buckets")
    assert index.search("list buckets").read_as is None


def test_a_hit_says_what_it_was_found_by(index: SearchIndex) -> None:
    assert index.search("ban a user").hits[0].why == "said as: ban a user"
    assert index.search("users_list").hits[0].why == "its name"


def test_many_threads_may_search_at_once(index: SearchIndex) -> None:
    queries = [request.ask for request in read_requests("search_tune.tsv")[:24]]

    with ThreadPoolExecutor(6) as threads:
        assert [*threads.map(partial(_names, index), queries)] == [_names(index, query) for query in queries]


@pytest.mark.parametrize(
    ("said", "deed"),
    [
        ("get rid of a user", Deed.DELETE),
        ("throw away the backup", Deed.DELETE),
        ("set up a bucket", Deed.CREATE),
        ("set the name", Deed.UPDATE),
        ("make a table", Deed.CREATE),
        ("make the file public", Deed.UPDATE),
        ("show users", Deed.LIST),
        ("show the user", Deed.GET),
        ("renaming a team", Deed.UPDATE),
        ("colourless green ideas", None),
        ("", None),
    ],
)
def test_the_verb_of_a_request_says_what_is_to_be_done(said: str, deed: Deed | None) -> None:
    assert deed_asked(said) is deed


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("delte the buckt", "delete the bucket"),
        ("bukcet", "bucket"),
        ("Delete the bucket", None),
        ("dlt", None),
        ("zzzzzzzz", None),
        ("bucket123", None),
        ("", None),
    ],
)
def test_slips_are_mended_against_the_known_words(written: str, mended: str | None) -> None:
    assert Spelling({"delete": 9, "the": 9, "bucket": 5}).mended(written) == mended


@given(word=st.text("abcdef", min_size=1, max_size=8), other=st.text("abcdef", min_size=1, max_size=8))
def test_slips_count_the_same_from_both_sides(word: str, other: str) -> None:
    assert slips_between(word, other, 20) == slips_between(other, word, 20)
    assert (slips_between(word, other, 20) == 0) == (word == other)
