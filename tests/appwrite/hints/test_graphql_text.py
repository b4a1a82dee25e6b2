"""A GraphQL text is proven to hold queries only, or it is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.appwrite.graphql_text import only_queries
from handrail.json_types import Json

pytestmark = pytest.mark.unit

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)
FIELDS = st.sampled_from(
    ["usersList", "total", "mutation", "subscription", "query", "a: usersList", 'x(id: "mutation")']
)


@pytest.mark.parametrize(
    "text",
    [
        "{ usersList { total } }",
        "query { usersList { total } }",
        "query Named($limit: Int = 5, $in: Filter = {a: [1, 2]}) @cached(ttl: 5) { users(limit: $limit) { total } }",
        "# mutation { usersDelete }\nquery { a: usersList { total } }",
        'query { users(name: "} mutation { usersDelete") { total } }',
        'query { users(note: """block } " mutation { \\""" """) { total } }',
        "fragment F on User { name } query { user { ...F ... on User @include(if: true) { email } } }",
        "query A { x } query B { y }",
        "query mutation { y }",
        "query @a @b(c: 1) { y }",
        "\ufeffquery,{,x,}",
        "{ mutation { subscription } }",
    ],
)
def test_pure_queries_are_proven(text: str) -> None:
    assert only_queries({"query": text})
    assert only_queries([{"query": text, "variables": {"mutation": 1}, "operationName": None}])


@pytest.mark.parametrize(
    "text",
    [
        'mutation { usersDelete(userId: "u") { status } }',
        "query { x } mutation { y }",
        "{ x } mutation M { y }",
        "subscription { x }",
        "# query\nmutation { y }",
        "#\r mutation { y }",
        "fragment F on User { name }",
        "fragment F on User { name } mutation { y }",
        '{ x(a: "unclosed) } mutation { y }',
        "{ x } } mutation { y }",
        "{ x",
        "query (",
        "query",
        "{ x(a: [1) ] }",
        "",
        "  # only a comment",
        "type Query { x: Int }",
        "extend type Query { x: Int }",
        "{ x } \u2028 mutation { y }",
        "{ x; y }",
        "query { x }" + " " * 100_000,
        "query a mutation { y }",
        "query @ { y }",
        "query (a) (b) { y }",
        "query [a] { y }",
        "fragment on on User { a } { x }",
        "fragment F User { a } { x }",
    ],
)
def test_whatever_else_is_not_proven(text: str) -> None:
    assert not only_queries({"query": text})


@pytest.mark.parametrize(
    "body",
    [
        None, [], {}, "query { x }", {"query": None}, {"query": ["{ x }"]}, {"mutation": "{ x }"},
        {"query": "{ x }", "extensions": {"persistedQuery": {}}}, [{"query": "{ x }"}, {"query": "mutation { y }"}],
        [{"query": "{ x }"}, "mutation { y }"], [[{"query": "{ x }"}]], {"0": {"query": "{ x }"}},
    ],
)  # fmt: skip
def test_a_body_of_another_shape_is_not_proven(body: Json) -> None:
    assert not only_queries(body)


@given(st.lists(FIELDS, min_size=1, max_size=4), st.sampled_from(["", "query", "mutation", "subscription"]))
def test_the_word_before_the_selection_decides(fields: list[str], kind: str) -> None:
    assert only_queries({"query": f"{kind} {{ {' '.join(fields)} }}"}) == (kind in {"", "query"})


@given(JSON)
def test_any_body_is_answered(body: Json) -> None:
    assert only_queries(body) in {True, False}


@given(st.text(alphabet='{}()[]"\\ \n,:$@!.|&=aq-0', max_size=60))
def test_a_mutation_behind_any_text_is_never_proven(text: str) -> None:
    assert not only_queries({"query": f"{text} mutation {{ y }}"})


@given(st.text(alphabet='{}()[]"\\ \n,:$@!.|&=aq-0', max_size=60))
def test_a_mutation_before_any_text_is_never_proven(text: str) -> None:
    assert not only_queries({"query": f"query {{ x }} mutation {{ y }} {text}"})
