"""What is wrong with the hints of somebody else's tools."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import Tool, ToolAnnotations

from handrail.hints import Operation, annotations_for_classification, classify_tool_name
from handrail.hints.lint import LintCode, LintFinding, Severity, lint_operations, lint_tools

pytestmark = pytest.mark.unit

Hints = tuple[bool | None, bool | None, bool | None, bool | None]
READS: Hints = (True, False, True, True)
ADDS: Hints = (False, False, False, True)
DESTROYS: Hints = (False, True, True, True)


def _tool(name: str, hints: Hints | None, description: str = "", title: str | None = "T") -> Tool:
    annotations = None
    if hints is not None:
        read_only, destructive, idempotent, open_world = hints
        annotations = ToolAnnotations(
            read_only_hint=read_only,
            destructive_hint=destructive,
            idempotent_hint=idempotent,
            open_world_hint=open_world,
        )
    return Tool(
        name=name, title=title, description=description, input_schema={"type": "object"}, annotations=annotations
    )


def _codes(findings: list[LintFinding]) -> list[tuple[str, str]]:
    return [(finding.severity.value, finding.code.value) for finding in findings]


@pytest.mark.parametrize(
    ("name", "hints"),
    [
        ("list_users", READS),
        ("get_update_status", READS),
        ("create_user", ADDS),
        ("update_user", DESTROYS),
        ("delete_user", DESTROYS),
        ("frobnicate", ADDS),
        ("increment_counter", (False, True, False, True)),
        ("list_users", (True, None, None, False)),
    ],
)
def test_a_tool_whose_hints_fit_its_name_has_no_finding(name: str, hints: Hints) -> None:
    assert lint_tools([_tool(name, hints)]) == []


@pytest.mark.parametrize(
    ("tool", "codes"),
    [
        (_tool("list_users", None), [("error", "hints-missing")]),
        (_tool("list_users", (None, None, None, None)), [("error", "hints-missing")]),
        (_tool("call", (False, None, False, True)), [("warning", "hint-unset")]),
        (_tool("list_users", (True, None, None, None)), [("warning", "hint-unset")]),
        (_tool("frobnicate", (True, True, True, True)), [("error", "read-and-destructive")]),
        (_tool("delete_user", READS), [("error", "read-doubtful")]),
        (_tool("update_user", READS), [("error", "read-doubtful")]),
        (_tool("delete_user", READS, "Deletes a user."), [("error", "read-doubtful")]),
        (_tool("post_list", READS, "Lists the posts."), [("warning", "read-doubtful")]),
        (_tool("search_all", READS, "Replaces each hit."), [("warning", "read-doubtful")]),
        (_tool("frobnicate", READS, "Removes a user."), [("error", "read-doubtful")]),
        (_tool("list_users", ADDS), [("warning", "read-not-said")]),
        (_tool("delete_user", (False, False, True, True)), [("error", "destructive-denied")]),
        (_tool("users_update", (False, False, True, True)), [("error", "destructive-denied")]),
        (_tool("increment_x", (False, True, True, True)), [("error", "idempotent-doubtful")]),
        (_tool("list_users", READS, title=None), [("warning", "title-missing")]),
        (_tool("delete_x", (True, True, True, True)), [("error", "read-and-destructive"), ("error", "read-doubtful")]),
    ],
)
def test_each_thing_that_can_be_wrong_is_one_finding(tool: Tool, codes: list[tuple[str, str]]) -> None:
    assert _codes(lint_tools([tool])) == codes


def test_a_title_among_the_annotations_is_a_title() -> None:
    tool = _tool("list_users", READS, title=None)
    assert tool.annotations is not None

    named = tool.model_copy(update={"annotations": tool.annotations.model_copy(update={"title": "List users"})})

    assert lint_tools([named]) == []


@given(st.text(max_size=30), st.text(max_size=30))
def test_hints_made_from_the_name_never_call_a_change_a_read(name: str, description: str) -> None:
    bucket = classify_tool_name(name)
    tool = Tool(
        name=name,
        title="T",
        description=description,
        input_schema={"type": "object"},
        annotations=annotations_for_classification(bucket),
    )

    errors = [finding.code for finding in lint_tools([tool]) if finding.severity is Severity.ERROR]

    assert set(errors) <= {LintCode.DESTRUCTIVE_DENIED}  # the name-only helper cannot see that an update overwrites


def _operation(name: str, method: str, summary: str = "Something.", **declared: bool) -> Operation:
    return Operation(name, http_method=method, path="/x", summary=summary, declared=declared)


@pytest.mark.parametrize(
    ("operation", "codes"),
    [
        (_operation("list_x", "GET", read_only=True), []),
        (_operation("describe_x", "POST", read_only=True), []),
        (_operation("delete_x", "DELETE", destructive=True), []),
        (_operation("watch_daemon_set", "GET", read_only=True), []),
        (_operation("delete_x", "DELETE", read_only=True), [("error", "read-doubtful")]),
        (_operation("thing", "PATCH", read_only=True), [("error", "read-doubtful")]),
        (_operation("search_x", "PUT", read_only=True), [("warning", "read-doubtful")]),
        (_operation("thing", "PUT", destructive=False), [("error", "destructive-denied")]),
        (_operation("list_x", "GET", read_only=False), [("warning", "read-not-said")]),
        (_operation("thing", "GET", read_only=True, destructive=True), [("error", "read-and-destructive")]),
        (_operation("list_x", "GET", summary="", read_only=True), [("warning", "title-missing")]),
    ],
)
def test_what_an_api_declares_is_held_against_its_methods(operation: Operation, codes: list[tuple[str, str]]) -> None:
    assert _codes(lint_operations([operation])) == codes


def test_an_api_that_declares_nothing_is_told_once_and_what_the_evidence_does_not_cover_is_named() -> None:
    findings = lint_operations([_operation("list_x", "GET"), _operation("frobnicate", "POST")])

    assert [(finding.tool, finding.code) for finding in findings] == [
        ("*", LintCode.UNDECLARED),
        ("POST /x (frobnicate)", LintCode.UNDECLARED),
    ]


def test_an_operation_that_declares_nothing_among_others_that_do_is_named() -> None:
    findings = lint_operations([_operation("get_x", "GET", read_only=True), _operation("list_x", "GET")])

    assert [(finding.tool, finding.code) for finding in findings] == [("GET /x (list_x)", LintCode.UNDECLARED)]


def test_nothing_to_look_at_has_no_finding() -> None:
    assert (lint_tools([]), lint_operations([])) == ([], [])


def test_an_operation_without_a_name_is_looked_at_all_the_same() -> None:
    assert _codes(lint_operations([_operation("", "DELETE", read_only=True)])) == [("error", "read-doubtful")]
