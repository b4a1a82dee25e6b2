"""Secrets that a GraphQL query gives other names."""

import pytest

from handrail.appwrite.evidence import judge
from handrail.appwrite.outcome import CallResult, Outcome
from handrail.appwrite.results.graphql_names import aliased_secrets
from handrail.appwrite.results.shaper import result_shaper
from handrail.json_types import Json, JsonObject
from tests.appwrite.samples import method

pytestmark = pytest.mark.unit

QUERY = method("query", "POST", returns="")
GRAPHQL = type(QUERY)(**{name: getattr(QUERY, name) for name in QUERY.__slots__} | {"service": "graphql"})


@pytest.mark.promise("secrets-are-masked")
@pytest.mark.parametrize(
    ("query", "hidden"),
    [
        ('mutation { usersCreateSession(userId:"u") { x: secret _id } }', {"x"}),
        ("{ usersGet(userId: $u) { a,:,password name } }", {"a"}),
        ('{ f(a: "#") { x # : y\n : secret } }', {"x"}),
        ('{ f(a: """ "quoted" # """) { x:secret } }', {"x"}),
        ('{ f(a: "\\"#") { x:secret } }', {"x"}),
        ('{ f(a: """ \\\\""" """) { x: secret } }', {"x"}),
        ('{ f(a: """ \\""" """) { x: secret } }', {"x"}),
        ("{ v: functionsGetVariable { w: value } }", {"value", "w"}),
        ("{ functionsListVariables { variables { value } } }", {"value"}),
        ("{ c: usersGetMfaChallenge { code } }", {"code"}),
        ('{ tablesDBListRows(databaseId: "d") { total rows { data } t: total } }', set()),
        ('{ f(a: "x: secret") { b } # y: secret\n }', set()),
    ],
)  # fmt: skip
def test_an_alias_of_a_secret_is_found(query: str, hidden: set[str]) -> None:
    assert aliased_secrets({"query": {"query": query}}) == hidden
    assert aliased_secrets({"query": [{"query": query}]}) == hidden


@pytest.mark.parametrize("text", ['"' * 100_000, '"""' * 50_000, "a:" * 100_000, "a," * 100_000, '"\\' * 100_000])
def test_a_long_query_is_read_in_a_moment(text: str) -> None:
    assert aliased_secrets({"query": text}) == frozenset()


@pytest.mark.promise("secrets-are-masked")
async def test_an_aliased_secret_is_masked_and_without_the_query_nothing_is_shown() -> None:
    answer: Json = {"data": {"s": {"x": "s3cret", "_id": "1"}}}
    arguments: JsonObject = {"query": {"query": "mutation { s: usersCreateSession { x: secret _id } }"}}
    result = CallResult("graphql_query", Outcome.DONE, 200, answer)
    shaper = result_shaper(None)

    known = await shaper.shape(result, method=GRAPHQL, effect=judge(GRAPHQL), owner="me", arguments=arguments)
    unknown = await shaper.shape(result, method=GRAPHQL, effect=judge(GRAPHQL), owner="me")

    assert known.result == {"data": {"s": {"x": "***", "_id": "1"}}}
    assert unknown.result == "***"
