"""What a vendor declares itself: believed where nothing speaks against it, and always where it warns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hints import Operation, Risk, effect_of

pytestmark = pytest.mark.unit

FLAGS = st.fixed_dictionaries({}, optional={name: st.booleans() for name in ("read_only", "destructive", "idempotent")})
METHODS = st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", ""])
VERBS = st.sampled_from(["get", "list", "describe", "search", "create", "update", "delete", "put", "frobnicate"])


@pytest.mark.parametrize(("name", "http_method"), [("describe_table", "POST"), ("search", "POST"), ("scan", "")])
def test_a_declared_read_is_one_where_nothing_speaks_against_it(name: str, http_method: str) -> None:
    effect = effect_of(Operation(name, http_method, declared={"read_only": True}))

    assert (effect.rule, effect.is_read) == ("declared.read", True)


@pytest.mark.parametrize(
    "operation",
    [
        Operation("delete_table", "POST", declared={"read_only": True}),
        Operation("create_table", "POST", declared={"read_only": True}),
        Operation("describe_table", "DELETE", declared={"read_only": True}),
        Operation("describe_table", "PUT", declared={"read_only": True}),
        Operation("describe_table", "POST", declared={"read_only": True, "destructive": True}),
        Operation("get_table", "GET", declared={"read_only": False}),
        Operation("get_table", "GET", declared={"destructive": True}),
    ],
)
def test_a_contradiction_promises_nothing(operation: Operation) -> None:
    effect = effect_of(operation)

    assert effect.rule == "declared.conflict"
    assert list(effect.hints.as_dict().values()) == [False, True, False, True]


@pytest.mark.parametrize("value", ["true", 1, 1.0, None, [], "yes"])
def test_what_is_no_boolean_declares_nothing(value: object) -> None:
    assert not effect_of(Operation("describe_table", "POST", declared={"read_only": value})).is_read


def test_a_warning_counts_against_every_rule() -> None:
    effect = effect_of(Operation("create_table", "POST", declared={"destructive": True}))
    update = effect_of(Operation("update_table", "PUT", "/tables/{id}", declared={"idempotent": False}))

    assert effect.hints.destructive
    assert not update.hints.idempotent
    assert "vendor" in effect.reason


def test_a_promise_counts_only_where_the_rules_know_too_little() -> None:
    created = effect_of(Operation("create_table", "POST", declared={"idempotent": True}))
    stepped = effect_of(Operation("increment_count", "PATCH", "/counts/{id}", declared={"idempotent": True}))
    overwritten = effect_of(Operation("update_table", "PUT", "/tables/{id}", declared={"destructive": False}))

    revoked = effect_of(Operation("revoke_key", "POST", "/keys/{id}", declared={"destructive": False}))
    resent = effect_of(Operation("retry_job", "POST", "/jobs/{id}", declared={"idempotent": True}))

    assert created.hints.idempotent
    assert revoked.hints.destructive
    assert not resent.hints.idempotent
    assert not stepped.hints.idempotent
    assert overwritten.hints.destructive


def test_an_answer_that_holds_a_secret_says_so_for_a_read_too() -> None:
    operation = Operation("list_keys", "GET", "/keys", declared={"secret_answer": True})

    assert effect_of(operation).is_read
    assert effect_of(operation).risks == {Risk.SECRET}


@given(VERBS, METHODS, FLAGS)
def test_no_declaration_makes_a_delete_or_an_overwrite_harmless(
    verb: str, http_method: str, declared: dict[str, bool]
) -> None:
    hints = effect_of(Operation(f"{verb}_thing", http_method, "/things/{id}", declared=declared)).hints

    assert not (hints.read_only and hints.destructive)
    if http_method in {"PUT", "PATCH", "DELETE"}:
        assert hints.destructive
        assert not hints.read_only
    if verb == "delete":
        assert not hints.read_only
