"""Effects by evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hints import UNPROVEN, Operation, Risk, effect_of

pytestmark = pytest.mark.unit

METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", ""])
NAMES = st.from_regex(r"[a-z]{1,8}(_[a-z]{1,8}){0,3}", fullmatch=True)
OPERATIONS = st.builds(
    Operation,
    name=NAMES
    | st.builds("{}_{}".format, st.sampled_from(["get", "list", "create", "update", "upsert", "delete"]), NAMES),
    http_method=METHODS,
    path=st.sampled_from(["/things", "/things/{id}", "/things/{id}/parts"]),
    parameters=st.sampled_from([(), ("queries",), ("thing_id", "data")]),
)


@pytest.mark.promise("reads-are-get")
@given(OPERATIONS)
def test_only_a_get_or_list_by_get_is_a_read(operation: Operation) -> None:
    verb = operation.name.split("_")[0]

    assert effect_of(operation).is_read == (verb in {"get", "list"} and operation.http_method == "GET")


@pytest.mark.promise("overwriting-is-destructive")
@given(OPERATIONS)
def test_whatever_is_neither_a_read_nor_a_plain_create_is_destructive(operation: Operation) -> None:
    effect = effect_of(operation)

    assert effect.hints.destructive == (effect.rule not in {"read.get", "create.adds"})


@given(OPERATIONS)
def test_nothing_is_both_read_only_and_destructive(operation: Operation) -> None:
    hints = effect_of(operation).hints

    assert not (hints.read_only and hints.destructive)


@given(OPERATIONS)
def test_whatever_is_not_a_read_reaches_an_open_world(operation: Operation) -> None:
    hints = effect_of(operation).hints

    assert hints.open_world != hints.read_only


@pytest.mark.promise("uncovered-is-dangerous")
@pytest.mark.parametrize("name", ["estimation_delete_organization", "frobnicate", "approve", ""])
def test_what_no_rule_covers_is_taken_to_be_able_to_change_anything(name: str) -> None:
    effect = effect_of(Operation(name, http_method="PATCH", path="/things/{id}"))

    assert effect.rule == UNPROVEN
    assert effect.hints.as_dict() == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    }


@pytest.mark.parametrize(
    ("operation", "rule"),
    [
        (Operation("list_rows", "GET", "/tables/{id}/rows", parameters=("queries",)), "read.get"),
        (Operation("delete_row", "DELETE", "/tables/{id}/rows/{row}"), "delete.one"),
        (Operation("delete_rows", "DELETE", "/tables/{id}/rows", parameters=("queries",)), "delete.many"),
        (Operation("delete_sessions", "DELETE", "/users/{id}/sessions"), "delete.one"),
        (Operation("increment_row_column", "PATCH", "/rows/{id}/{column}/increment"), "update.step"),
        (Operation("update_rows", "PATCH", "/tables/{id}/rows", parameters=("data", "queries")), "update.many"),
        (Operation("upsert_row", "PUT", "/tables/{id}/rows/{row}", parameters=("data",)), "update.one"),
        (Operation("create_row", "POST", "/tables/{id}/rows"), "create.adds"),
        (Operation("create_execution", "POST", "/functions/{id}/executions"), UNPROVEN),
        (Operation("create_o_auth2_token", "GET", "/account/tokens/oauth2/{provider}"), UNPROVEN),
        (Operation("query", "POST", "/graphql"), UNPROVEN),
    ],
)
def test_the_rule_that_decides_is_named(operation: Operation, rule: str) -> None:
    assert effect_of(operation).rule == rule


def test_a_bulk_delete_says_that_it_is_one() -> None:
    effect = effect_of(Operation("delete_rows", "DELETE", "/tables/{id}/rows", parameters=("queries",)))

    assert effect.risks == {Risk.BULK, Risk.IRREVERSIBLE}
    assert not effect.hints.idempotent
