"""The effect of one call: what its arguments add, and never less than its method's."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.appwrite.call_effects import effect_of_call
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.evidence import judge
from handrail.hints import Effect, Risk
from handrail.json_types import JsonObject

INCREMENT = json.dumps({"method": "increment", "values": [1]}, separators=(",", ":"))
FILTER = json.dumps({"method": "equal", "attribute": "a", "values": [1]})
LIMIT = json.dumps({"method": "limit", "values": [5]})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "any", INCREMENT, FILTER, 'read("any")', "large"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "$id", "query"]), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from([
    "activate", "commit", "data", "documents", "draft", "enabled", "execute", "on_duplicate", "permissions",
    "provider_repository_id", "queries", "query", "replicas", "roles", "rows", "runtime_specification",
    "specification", "transaction_id",
])  # fmt: skip


def _is_never_lower(call: Effect, method: Effect) -> bool:
    return (
        call.hints.read_only <= method.hints.read_only
        and call.hints.destructive >= method.hints.destructive
        and call.hints.idempotent <= method.hints.idempotent
        and call.hints.open_world >= method.hints.open_world
        and call.risks >= method.risks
        and not (call.hints.read_only and call.hints.destructive)
    )


@pytest.mark.promise("call-never-lower")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=st.dictionaries(NAMES, VALUES, max_size=5))
def test_the_call_of_any_method_is_never_lower_than_the_method(catalog: Catalog, arguments: JsonObject) -> None:
    assert all(_is_never_lower(effect_of_call(method, arguments), judge(method)) for method in catalog)


@pytest.mark.promise("call-never-lower")
def test_a_call_without_arguments_of_a_read_is_the_read(catalog: Catalog) -> None:
    for method in catalog:
        if judge(method).is_read:
            assert effect_of_call(method, {"queries": [], "data": {"a": {}}}) == judge(method)


@pytest.mark.parametrize("tool", ["tables_db_delete_rows", "databases_update_documents"])
@pytest.mark.parametrize("queries", [None, [], [LIMIT], ["not a query"], "text", [7]])
def test_a_bulk_call_that_nothing_narrows_means_every_member(catalog: Catalog, tool: str, queries: object) -> None:
    arguments: JsonObject = {} if queries is None else {"queries": queries}  # type: ignore[dict-item]  # any JSON
    effect = effect_of_call(catalog.get(tool), arguments)

    assert "every member" in effect.reason
    assert effect.risks >= {Risk.BULK, Risk.IRREVERSIBLE}


def test_a_bulk_call_with_a_condition_does_not_mean_every_member(catalog: Catalog) -> None:
    method = catalog.get("tables_db_update_rows")

    assert effect_of_call(method, {"queries": [LIMIT, FILTER]}) == judge(method)


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"query": "{ usersList { total } }"}, "queries only"),
        ({"query": "mutation { x }"}, "not proven"),
        ({}, "not proven"),
    ],
)
def test_a_graphql_call_says_what_its_text_is_and_stays_a_write(catalog: Catalog, query: JsonObject, word: str) -> None:
    method = catalog.get("graphql_query")
    effect = effect_of_call(method, {"query": query})

    assert word in effect.reason
    assert effect.hints == judge(method).hints


@pytest.mark.parametrize(
    "arguments",
    [{"data": {"views": INCREMENT}}, {"data": {"deep": [{"views": INCREMENT}]}}, {"rows": [{"views": INCREMENT}]}],
)
def test_operators_in_data_take_repeatability_away(catalog: Catalog, arguments: JsonObject) -> None:
    effect = effect_of_call(catalog.get("tables_db_upsert_rows"), arguments)

    assert "operators" in effect.reason
    assert not effect.hints.idempotent


def test_what_is_staged_in_a_transaction_cannot_be_repeated(catalog: Catalog) -> None:
    method = catalog.get("tables_db_delete_row")
    effect = effect_of_call(method, {"transaction_id": "t1"})

    assert judge(method).hints.idempotent
    assert (effect.hints.idempotent, effect.rule) == (False, "call.staged")


@pytest.mark.parametrize(
    ("tool", "data", "destructive"),
    [
        ("tables_db_create_row", {"name": "x", "owner": {"$id": "o", "name": "y"}}, True),
        ("tables_db_create_row", {"owners": [{"name": "y"}]}, True),
        ("databases_create_document", {"owner": {}}, True),
        ("tables_db_create_row", {"name": "x", "tags": ["a"], "place": [1.5, 2]}, False),
        ("tables_db_create_row", {"$permissions": [{}]}, False),
        ("documents_db_create_document", {"plain": {"nested": 1}}, False),
        ("messaging_create_push", {"plain": {"nested": 1}}, False),
    ],
)
def test_nested_objects_make_a_plain_create_destructive_where_they_are_related_rows(
    catalog: Catalog, tool: str, data: JsonObject, *, destructive: bool
) -> None:
    assert effect_of_call(catalog.get(tool), {"data": data}).hints.destructive is destructive


def test_many_new_rows_are_looked_at_one_by_one(catalog: Catalog) -> None:
    method = catalog.get("tables_db_create_rows")

    assert not effect_of_call(method, {"rows": [{"a": 1}, {"a": 2}]}).hints.destructive
    assert effect_of_call(method, {"rows": [{"a": 1}, {"a": {"b": 2}}]}).hints.destructive


@pytest.mark.parametrize("tool", ["tables_db_create", "documents_db_create", "vectors_db_create"])
@pytest.mark.parametrize(
    ("arguments", "paid"),
    [
        ({}, False),
        ({"specification": None}, False),
        ({"specification": "serverless", "replicas": 0}, False),
        ({"specification": "s-2vcpu-2gb"}, True),
        ({"replicas": 1}, True),
    ],
)
def test_dedicated_compute_is_told_where_a_create_may_be_free_or_paid(
    catalog: Catalog, tool: str, arguments: JsonObject, *, paid: bool
) -> None:
    effect = effect_of_call(catalog.get(tool), {"database_id": "d", "name": "n", **arguments})

    assert ("dedicated compute, which is billed" in effect.reason) is paid
    assert effect.hints.destructive, "it can spend, so it never promises to be harmless"
    assert Risk.MONEY in effect.risks


def test_a_size_of_compute_for_a_new_function_costs_money(catalog: Catalog) -> None:
    method = catalog.get("functions_create")

    assert Risk.MONEY not in effect_of_call(method, {}).risks
    assert Risk.MONEY in effect_of_call(method, {"runtime_specification": "s-1vcpu-1gb"}).risks


@pytest.mark.parametrize(
    ("tool", "arguments", "sent"),
    [
        ("messaging_create_email", {}, True),
        ("messaging_create_email", {"draft": False}, True),
        ("messaging_create_email", {"draft": True}, False),
        ("messaging_update_push", {}, False),
        ("messaging_update_push", {"draft": False}, True),
    ],
)
def test_a_message_that_is_no_draft_is_sent(catalog: Catalog, tool: str, arguments: JsonObject, *, sent: bool) -> None:
    effect = effect_of_call(catalog.get(tool), arguments)

    assert ("cannot be unsent" in effect.reason) is sent
    assert Risk.PEOPLE in effect.risks


@pytest.mark.parametrize(("activate", "live"), [(True, True), (False, False), (None, False)])
def test_a_deployment_that_is_activated_goes_live(catalog: Catalog, *, activate: bool | None, live: bool) -> None:
    effect = effect_of_call(catalog.get("sites_create_deployment"), {"activate": activate})

    assert ("goes live" in effect.reason) is live


@pytest.mark.parametrize("tool", ["functions_create", "sites_create"])
def test_what_is_connected_to_a_repository_runs_code(catalog: Catalog, tool: str) -> None:
    method = catalog.get(tool)
    effect = effect_of_call(method, {"installation_id": "i", "provider_repository_id": "r"})

    assert "provider_repository_id" in {parameter.name for parameter in method.parameters}
    assert not judge(method).hints.destructive
    assert (effect.hints.destructive, effect.rule) == (True, "call.connects")
    assert effect.risks >= {Risk.CODE, Risk.EXTERNAL}


@pytest.mark.parametrize(
    ("permissions", "word"),
    [
        (['read("any")'], "everybody"),
        (['update("users")'], "everybody"),
        (['read("user:u1")'], "who may get in"),
        ([], None),
    ],
)
def test_permissions_say_who_gets_in(catalog: Catalog, permissions: list[str], word: str | None) -> None:
    effect = effect_of_call(catalog.get("storage_create_bucket"), {"permissions": [*permissions]})

    assert (Risk.ACCESS in effect.risks) is (word is not None)
    assert word is None or word in effect.reason


def test_what_is_switched_off_goes_offline(catalog: Catalog) -> None:
    effect = effect_of_call(catalog.get("functions_update"), {"enabled": False})

    assert "switched off" in effect.reason
    assert Risk.DOWNTIME in effect.risks


@pytest.mark.parametrize(("on_duplicate", "said"), [("overwrite", True), ("skip", False), (None, False)])
def test_an_import_that_overwrites_says_so(catalog: Catalog, on_duplicate: str | None, *, said: bool) -> None:
    effect = effect_of_call(catalog.get("migrations_create_csv_import"), {"on_duplicate": on_duplicate})

    assert ("overwritten" in effect.reason) is said
