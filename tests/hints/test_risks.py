"""Risk tags: small rules that only warn."""

import pytest

from handrail.hints import Operation, Risk, effect_of

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("operation", "risks"),
    [
        (Operation("create_key", "POST", "/keys"), {Risk.ACCESS}),
        (Operation("update_email", "PATCH", "/users/{id}/email", parameters=("id", "email")), {Risk.ACCESS}),
        (Operation("update_email_template", "PATCH", "/templates/email", parameters=("html",)), set()),
        (Operation("delete_session", "DELETE", "/sessions/{sessionId}"), {Risk.ACCESS}),
        (Operation("delete_sessions", "DELETE", "/sessions"), {Risk.ACCESS, Risk.BULK}),
        (Operation("delete", "DELETE", "/databases/{databaseId}"), {Risk.IRREVERSIBLE, Risk.DOWNTIME}),
        (Operation("delete_index", "DELETE", "/indexes/{key}"), set()),
        (Operation("delete_note", "DELETE", "/notes/{noteId}"), {Risk.IRREVERSIBLE}),
        (Operation("update_budget", "PATCH", "/budget", parameters=("budget",)), {Risk.MONEY}),
        (Operation("create_failover", "POST", "/failovers"), {Risk.DOWNTIME, Risk.IRREVERSIBLE}),
        (Operation("update", "PUT", "/sites/{siteId}", parameters=("site_id", "enabled")), {Risk.DOWNTIME}),
        (Operation("create_execution", "POST", "/executions"), {Risk.CODE}),
        (Operation("create_membership", "POST", "/memberships"), {Risk.PEOPLE, Risk.ACCESS}),
        (Operation("create_deny_rule", "POST", "/waf/rules/deny"), {Risk.ACCESS, Risk.DOWNTIME}),
        (Operation("update", "PUT", "/webhooks/{webhookId}", parameters=("url",)), {Risk.EXTERNAL}),
        (Operation("get_image", "GET", "/image", parameters=("url",)), {Risk.EXTERNAL}),
        (Operation("list_keys", "GET", "/keys"), set()),
    ],
)
def test_shape_words_and_arguments_give_the_tags(operation: Operation, risks: set[Risk]) -> None:
    assert effect_of(operation).risks == risks


def test_graphql_may_do_whatever_the_key_may_do() -> None:
    risks = effect_of(Operation("mutation", "POST", "/graphql/mutation")).risks

    assert risks >= {Risk.IRREVERSIBLE, Risk.ACCESS, Risk.CODE, Risk.PEOPLE, Risk.BULK, Risk.SECRET, Risk.DOWNTIME}


@pytest.mark.parametrize("risk", list(Risk))
def test_every_tag_says_what_it_means(risk: Risk) -> None:
    assert len(risk.meaning.split()) > 3
