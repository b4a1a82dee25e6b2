"""Findings about somebody else's tools: hints that are missing, or that the evidence or another hint contradicts.

    findings = lint_tools((await client.list_tools()).tools)
    findings = lint_operations(operations_of(document))

Pure, and nothing is called. A tool of an MCP server is judged by its name and the first word of its description, an
operation of an API by its HTTP method as well. An error is a hint that lets a host do something unasked that it should
ask for, or that no host can use; a warning is everything else.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from mcp_types import Tool, ToolAnnotations

from handrail.hints.effects import Operation
from handrail.hints.names import name_words
from handrail.hints.rules import UNPROVEN, effect_of
from handrail.hints.sentences import said_verb
from handrail.hints.verbs import VERBS, Bucket

__all__ = ["LintCode", "LintFinding", "Severity", "lint_operations", "lint_tools"]

# Of the verbs that write: those that put something in the place of what was there, and those that add up.
_OVERWRITES: Final = frozenset({
    "apply", "change", "configure", "edit", "merge", "modify", "move", "patch", "put", "rename", "replace", "reset",
    "restore", "rotate", "set", "update", "upsert",
})  # fmt: skip
_ADDS_UP: Final = frozenset({"append", "decrement", "increment", "push"})
_CHANGES: Final = frozenset({Bucket.WRITE, Bucket.DELETE})
_CHANGING_METHODS: Final = frozenset({"DELETE", "PATCH", "PUT"})


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"


class LintCode(StrEnum):
    """What a finding is about."""

    HINTS_MISSING = "hints-missing"
    HINT_UNSET = "hint-unset"
    UNDECLARED = "undeclared"
    READ_AND_DESTRUCTIVE = "read-and-destructive"
    READ_DOUBTFUL = "read-doubtful"
    READ_NOT_SAID = "read-not-said"
    DESTRUCTIVE_DENIED = "destructive-denied"
    IDEMPOTENT_DOUBTFUL = "idempotent-doubtful"
    TITLE_MISSING = "title-missing"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that is wrong with one tool.

    Attributes:
        tool: the tool's name, or an operation's method and path; "*" for the whole document.
        severity: error or warning.
        code: what it is about.
        message: one plain line. It may hold words of the server under test: clean it before showing it.
    """

    tool: str
    severity: Severity
    code: LintCode
    message: str


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is claimed of a tool, and the evidence about it."""

    tool: str
    verb: str  # the verb of its name, or a word that is none
    said: str  # the verb that its description begins with
    http_method: str
    read_only: bool | None
    destructive: bool | None
    idempotent: bool | None
    is_read: bool  # the evidence says that it reads

    def bucket(self) -> Bucket:
        return VERBS.get(self.verb, Bucket.UNKNOWN)

    def said_bucket(self) -> Bucket:
        return VERBS.get(self.said, Bucket.UNKNOWN)

    def finding(self, severity: Severity, code: LintCode, message: str) -> LintFinding:
        return LintFinding(self.tool, severity, code, message)


def lint_tools(tools: Iterable[Tool]) -> list[LintFinding]:
    """What is wrong with the hints of an MCP server's tools.

    Args:
        tools: as `tools/list` gives them.

    Returns:
        The findings, in the order of the tools.
    """
    return [finding for tool in tools for finding in _of_tool(tool)]


def lint_operations(operations: Sequence[Operation]) -> list[LintFinding]:
    """What is wrong with what an API declares about its operations.

    Where no operation declares anything, that is one finding; the evidence decides each, and only those are named that
    it does not cover.
    """
    some = any(operation.declared for operation in operations)
    found = [finding for operation in operations for finding in _of_operation(operation, some_declare=some)]
    if operations and not some:
        text = f"none of {len(operations)} operations states its effect; x-mcp-annotations would"
        found.insert(0, LintFinding("*", Severity.WARNING, LintCode.UNDECLARED, text))
    return found


def _of_tool(tool: Tool) -> Iterator[LintFinding]:
    hints = tool.annotations or ToolAnnotations()
    verb, said = _name_verb(tool.name), said_verb(tool.description or "")
    subject = _Subject(
        tool=tool.name,
        verb=verb,
        said=said,
        http_method="",
        read_only=hints.read_only_hint,
        destructive=hints.destructive_hint,
        idempotent=hints.idempotent_hint,
        is_read=VERBS.get(verb) is Bucket.READ and VERBS.get(said, Bucket.READ) is Bucket.READ,
    )
    yield from _missing_hints(subject, hints)
    yield from _contradictions(subject)
    if not (tool.title or hints.title):
        yield subject.finding(Severity.WARNING, LintCode.TITLE_MISSING, "has no title")


def _of_operation(operation: Operation, *, some_declare: bool) -> Iterator[LintFinding]:
    claims = {key: value for key, value in operation.declared.items() if isinstance(value, bool)}
    evidence = effect_of(replace(operation, declared={}))
    subject = _Subject(
        tool=f"{operation.http_method} {operation.path} ({operation.name})",
        verb=next(iter(name_words(operation.name)), ""),  # the reader puts it first; "set" in "daemon set" is none
        said=said_verb(operation.summary),
        http_method=operation.http_method,
        read_only=claims.get("read_only"),
        destructive=claims.get("destructive"),
        idempotent=claims.get("idempotent"),
        is_read=evidence.is_read,
    )
    if not claims and (some_declare or evidence.rule == UNPROVEN):
        text = f"states nothing about its effect; by evidence: {evidence.reason}"
        yield subject.finding(Severity.WARNING, LintCode.UNDECLARED, text)
    yield from _contradictions(subject)
    if not operation.summary:
        yield subject.finding(Severity.WARNING, LintCode.TITLE_MISSING, "has neither summary nor description")


def _missing_hints(subject: _Subject, hints: ToolAnnotations) -> Iterator[LintFinding]:
    values = {
        "readOnlyHint": subject.read_only,
        "destructiveHint": subject.destructive,
        "idempotentHint": subject.idempotent,
        "openWorldHint": hints.open_world_hint,
    }
    unset = [name for name, value in values.items() if value is None]
    if subject.read_only:  # the other two mean something for a write only
        unset = [name for name in unset if name == "openWorldHint"]
    if len(unset) == len(values):
        text = "has no hints: every host must take it for a destructive write"
        yield subject.finding(Severity.ERROR, LintCode.HINTS_MISSING, text)
    elif unset:
        yield subject.finding(Severity.WARNING, LintCode.HINT_UNSET, f"leaves {', '.join(unset)} unset")


def _contradictions(subject: _Subject) -> Iterator[LintFinding]:
    for check in _CHECKS:
        found = check(subject)
        if found is not None:
            yield found


def _read_and_destructive(subject: _Subject) -> LintFinding | None:
    if not (subject.read_only and subject.destructive):
        return None
    text = "says both read-only and destructive; some hosts go by the first and run it unasked"
    return subject.finding(Severity.ERROR, LintCode.READ_AND_DESTRUCTIVE, text)


def _read_doubtful(subject: _Subject) -> LintFinding | None:
    """Read-only against a verb that changes: an error unless the description or the HTTP method takes its side."""
    if not subject.read_only:
        return None
    against = [
        *([f"its name says '{subject.verb}'"] if subject.bucket() in _CHANGES else []),
        *([f"its description begins with '{subject.said}'"] if subject.said_bucket() in _CHANGES else []),
        *([f"it is sent as {subject.http_method}"] if subject.http_method in _CHANGING_METHODS else []),
    ]
    if not against:
        return None
    a_side = subject.said_bucket() is Bucket.READ or (subject.bucket() is Bucket.READ and len(against) == 1)
    severity = Severity.WARNING if a_side else Severity.ERROR
    return subject.finding(severity, LintCode.READ_DOUBTFUL, f"says read-only, but {' and '.join(against)}")


def _read_not_said(subject: _Subject) -> LintFinding | None:
    if subject.read_only is not False or not subject.is_read:
        return None
    text = "says that it is not read-only, but the evidence says that it reads: hosts will ask for each call"
    return subject.finding(Severity.WARNING, LintCode.READ_NOT_SAID, text)


def _destructive_denied(subject: _Subject) -> LintFinding | None:
    if subject.destructive is not False or subject.read_only:
        return None
    if subject.bucket() is Bucket.DELETE or subject.verb in _OVERWRITES:
        why = f"its name says '{subject.verb}'"
    elif subject.http_method in _CHANGING_METHODS:
        why = f"it is sent as {subject.http_method}"
    else:
        return None
    text = f"says that it is not destructive, but {why}: only what adds and leaves the rest alone is not"
    return subject.finding(Severity.ERROR, LintCode.DESTRUCTIVE_DENIED, text)


def _idempotent_doubtful(subject: _Subject) -> LintFinding | None:
    if not subject.idempotent or subject.read_only:
        return None
    if subject.verb in _ADDS_UP:
        text = f"says that a repeat changes nothing, but its name says '{subject.verb}'"
        return subject.finding(Severity.ERROR, LintCode.IDEMPOTENT_DOUBTFUL, text)
    return None


_CHECKS: Final[tuple[Callable[[_Subject], LintFinding | None], ...]] = (
    _read_and_destructive,
    _read_doubtful,
    _read_not_said,
    _destructive_denied,
    _idempotent_doubtful,
)


def _name_verb(name: str) -> str:
    """The verb that `classify_tool_name` goes by: the first, wherever it stands."""
    return next((word for word in name_words(name) if word in VERBS), "")
