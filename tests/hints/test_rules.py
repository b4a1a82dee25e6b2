"""Effects by evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hints import UNPROVEN, Operation, Risk, effect_of, rule_names

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
    effect = effect_of(operation)

    assert (effect.is_read or effect.rule == "read.doubt") == (
        verb in {"get", "list"} and operation.http_method == "GET"
    )


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
@pytest.mark.parametrize("name", ["estimation_delete_organization", "frobnicate", "authorize", ""])
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
        (Operation("delete_rows", "DELETE", "/tables/{id}/rows", parameters=("where",)), "delete.many"),
        (Operation("delete_sessions", "DELETE", "/users/{id}/sessions"), "delete.all"),
        (Operation("delete_billing_address", "DELETE", "/account/billing-address"), "delete.one"),
        (Operation("increment_row_column", "PATCH", "/rows/{id}/{column}/increment"), "update.step"),
        (Operation("update_rows", "PATCH", "/tables/{id}/rows", parameters=("data", "queries")), "update.many"),
        (Operation("upsert_row", "PUT", "/tables/{id}/rows/{row}", parameters=("data",)), "upsert.one"),
        (Operation("upsert_rows", "PUT", "/tables/{id}/rows", parameters=("id", "rows")), "upsert.many"),
        (Operation("update_name", "PATCH", "/users/{id}/name", parameters=("id", "name")), "update.one"),
        (Operation("update_row", "PATCH", "/rows/{id}", parameters=("id", "data")), "update.data"),
        (Operation("update_transaction", "PATCH", "/transactions/{id}", parameters=("id", "commit")), "update.commit"),
        (Operation("update_email", "PATCH", "/messages/{id}", parameters=("id", "draft")), "update.send"),
        (Operation("update_mfa_challenge", "PUT", "/challenges", parameters=("challenge_id", "otp")), "update.once"),
        (Operation("update_recovery", "PUT", "/recovery", parameters=("user_id", "secret")), "update.once"),
        (Operation("update_credentials", "PATCH", "/databases/{id}/credentials", parameters=("id",)), "update.rotate"),
        (Operation("update_rule_status", "PATCH", "/rules/{id}/status", parameters=("id",)), "update.trigger"),
        (Operation("update_plan", "PATCH", "/organizations/{id}/plan", parameters=("id", "plan")), "update.buy"),
        (Operation("update_lease", "PATCH", "/l/{id}", "Extends the lease.", ("id", "note")), "update.again"),
        (Operation("set_email", "PATCH", "/organizations/{id}/email", parameters=("id", "email")), "update.one"),
        (Operation("create_row", "POST", "/tables/{id}/rows"), "create.adds"),
        (Operation("create_execution", "POST", "/functions/{id}/executions"), "create.run"),
        (Operation("create_report", "POST", "/reports", parameters=("sql",)), "create.run"),
        (Operation("create_failover", "POST", "/databases/{id}/failovers"), "create.replace"),
        (Operation("create_import", "POST", "/imports"), "create.replace"),
        (Operation("create_copy", "POST", "/copies", parameters=("overwrite",)), "create.replace"),
        (Operation("create_gap", "POST", "/gaps", "Deletes what is between."), "create.replace"),
        (Operation("create_purchase", "POST", "/domains/purchases"), "create.buy"),
        (Operation("create_seat", "POST", "/seats", parameters=("payment_method_id",)), "create.buy"),
        (Operation("create_authenticator", "POST", "/authenticators/{type}"), "create.in_place"),
        (Operation("list_gone", "GET", "/gone", "Deletes what expired and lists it."), "read.doubt"),
        (Operation("get_image", "GET", "/image", parameters=("url",)), "read.fetch"),
        (Operation("approve", "POST", "/grants/{id}/approve"), "acts"),
        (Operation("promote_restoration", "POST", "/restorations/{id}/promotions"), "acts"),
        (Operation("create_token", "GET", "/tokens/{provider}", declared={"kind": "redirect"}), "redirect"),
        (Operation("get_link", "GET", "/link", declared={"kind": "redirect"}), "redirect"),
        (Operation("create_o_auth2_token", "GET", "/account/tokens/oauth2/{provider}"), UNPROVEN),
        (Operation("query", "POST", "/graphql"), "graphql"),
        (Operation("list_all", "GET", "/v1/graphql"), "graphql"),
        (Operation("ask", "POST", "/ask", declared={"kind": "graphql"}), "graphql"),
    ],
)
def test_the_rule_that_decides_is_named(operation: Operation, rule: str) -> None:
    assert effect_of(operation).rule == rule


def test_a_bulk_delete_says_that_it_is_one() -> None:
    effect = effect_of(Operation("delete_rows", "DELETE", "/tables/{id}/rows", parameters=("queries",)))

    assert effect.risks == {Risk.BULK, Risk.IRREVERSIBLE}
    assert not effect.hints.idempotent


@given(OPERATIONS)
def test_a_rule_that_decides_is_one_of_the_rules(operation: Operation) -> None:
    assert effect_of(operation).rule in rule_names()


@pytest.mark.parametrize("verb", ["approve", "promote", "retry", "confirm", "cancel", "purge"])
def test_a_verb_that_acts_promises_nothing(verb: str) -> None:
    effect = effect_of(Operation(f"{verb}_thing", "POST", "/things/{id}"))

    assert effect.rule == "acts"
    assert list(effect.hints.as_dict().values()) == [False, True, False, True]


@given(OPERATIONS, st.text(max_size=60), st.sets(st.sampled_from(["url", "draft", "otp", "sql", "activate", "data"])))
def test_words_and_arguments_never_give_a_promise(operation: Operation, summary: str, arguments: set[str]) -> None:
    bare = effect_of(operation).hints
    parameters = (*operation.parameters, *sorted(arguments))
    more = effect_of(Operation(operation.name, operation.http_method, operation.path, summary, parameters)).hints

    assert bare.read_only >= more.read_only
    assert more.destructive >= bare.destructive
    # "It takes no value" is the one promise that arguments lift: an update that is given values may set them.
    assert bare.idempotent or not more.idempotent or effect_of(operation).rule == "update.trigger"


@pytest.mark.promise("reads-are-get")
@pytest.mark.parametrize(
    "operation",
    [
        Operation("get_and_delete_message", "GET", "/messages/{id}"),
        Operation("get_or_create_session", "GET", "/session"),
        Operation("list_and_mark_read", "GET", "/messages"),
        Operation("get_logout", "GET", "/logout"),
        Operation("get_verify_email", "GET", "/verify"),
        Operation("get_purge_all", "GET", "/purge"),
        Operation("get_token", "GET", "/token", "Generates a new token."),
        Operation("list_things", "GET", "/things", "Removes what expired."),
    ],
)
def test_a_get_that_says_that_it_does_more_is_no_read(operation: Operation) -> None:
    effect = effect_of(operation)

    assert effect.rule == "read.doubt"
    assert list(effect.hints.as_dict().values()) == [False, True, False, True]


@pytest.mark.promise("overwriting-is-destructive")
@pytest.mark.parametrize(
    "name",
    [
        "create_activation", "create_cancellation", "create_checkout", "create_deletion", "create_downgrade",
        "create_invocation", "create_or_replace_row", "create_or_update_row", "create_purge", "create_restart",
        "create_revocation", "create_rotation", "create_suspension", "create_swap", "create_switch", "create_takeover",
        "create_termination", "create_topup", "create_truncation", "create_upsert", "create_vm_start", "create_wipe",
    ],
)  # fmt: skip
def test_a_create_of_something_that_changes_the_rest_is_destructive(name: str) -> None:
    hints = effect_of(Operation(name, "POST", "/things")).hints

    assert (hints.destructive, hints.idempotent) == (True, False)


@pytest.mark.parametrize(
    "operation",
    [
        Operation("update_counter", "PATCH", "/counters/{id}", parameters=("id", "delta")),
        Operation("update_list", "PATCH", "/lists/{id}", parameters=("id", "append")),
        Operation("update_key", "PATCH", "/keys/{id}", parameters=("id", "regenerate")),
        Operation("update_rotate_key", "PATCH", "/keys/{id}", parameters=("id", "name")),
        Operation("update_mail", "PATCH", "/mails/{id}", "Resends the mail.", ("id", "name")),
    ],
)
def test_an_update_that_says_that_it_does_something_again_is_not_repeatable(operation: Operation) -> None:
    assert effect_of(operation).rule == "update.again"
    assert not effect_of(operation).hints.idempotent


def test_a_vendor_that_declares_a_doubtful_get_a_read_is_believed() -> None:
    operation = Operation("get_delete_marker", "GET", "/markers/{id}", declared={"read_only": True})

    assert effect_of(operation).rule == "read.get"
