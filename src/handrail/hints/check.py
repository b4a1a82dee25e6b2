"""Whether a catalog of operations, its overrides and its record fit together. Pure.

What a new release brings must not slip through: whatever is new, changed, uncovered or contradictory is a finding
that names the operation.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from handrail.hints.effects import Effect, Operation
from handrail.hints.judge import Judge
from handrail.hints.overrides import OverrideProblem
from handrail.hints.record import RecordRow, changes
from handrail.hints.rules import UNPROVEN
from handrail.hints.text import suspicious

__all__ = ["Finding", "FindingKind", "Subject", "check_operations", "record_of"]


class FindingKind(StrEnum):
    """What can be found."""

    UNCOVERED = "uncovered"
    CONTRADICTION = "contradiction"
    DISAGREEMENT = "disagreement"
    TEXT = "text"
    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"
    OVERRIDE_STALE = "override_stale"
    OVERRIDE_REDUNDANT = "override_redundant"


_OF_OVERRIDE = {
    OverrideProblem.STALE: FindingKind.OVERRIDE_STALE,
    OverrideProblem.REDUNDANT: FindingKind.OVERRIDE_REDUNDANT,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a person must look at.

    Attributes:
        kind: what kind of thing.
        tool: the operation.
        message: what was found, in one line.
    """

    kind: FindingKind
    tool: str
    message: str


@dataclass(frozen=True, slots=True)
class Subject:
    """One operation as one source has it.

    Attributes:
        tool: its key.
        source: where it was found, such as the name of an SDK.
        operation: the evidence.
        texts: what the source says about it, as it was found.
    """

    tool: str
    source: str
    operation: Operation
    texts: tuple[str, ...] = ()


def check_operations(
    subjects: Iterable[Subject], judge: Judge, record: Mapping[str, RecordRow], sources: frozenset[str]
) -> list[Finding]:
    """Everything about the subjects that a person must look at.

    Args:
        subjects: every operation of every source that is there.
        judge: the rules and overrides.
        record: what was decided before.
        sources: the sources that are there; what the record knows only from others is not missed.

    Returns:
        The findings, in order of kind and tool; none where all is well.
    """
    found = list(subjects)
    grouped: dict[str, list[Subject]] = {}
    for subject in found:
        grouped.setdefault(subject.tool, []).append(subject)
    elsewhere = frozenset(tool for tool, row in record.items() if not row.sources & sources)
    operations = {tool: group[0].operation for tool, group in grouped.items()}
    findings = [finding for subject in found for finding in _of_subject(subject, judge)]
    findings += [finding for group in grouped.values() for finding in _disagreements(group, judge)]
    findings += [
        Finding(_OF_OVERRIDE[error.problem], error.tool, str(error))
        for error in judge.problems(operations, elsewhere=elsewhere)
    ]
    findings += _against_record(record_of(found, judge), record, elsewhere)
    order = list(FindingKind)
    return sorted(set(findings), key=lambda finding: (order.index(finding.kind), finding.tool, finding.message))


def record_of(subjects: Iterable[Subject], judge: Judge) -> dict[str, RecordRow]:
    """What is decided now, by tool. Where several sources have a tool, the first one's operation is judged."""
    rows: dict[str, RecordRow] = {}
    for subject in subjects:
        known = rows.get(subject.tool)
        if known is None:
            effect = judge.judge(subject.tool, subject.operation)
            rows[subject.tool] = RecordRow.of(subject.tool, {subject.source}, effect)
        else:
            rows[subject.tool] = RecordRow(
                known.tool, known.sources | {subject.source}, known.hints, known.risks, known.rule
            )
    return rows


def _of_subject(subject: Subject, judge: Judge) -> Iterator[Finding]:
    effect = judge.judge(subject.tool, subject.operation)
    if effect.rule == UNPROVEN:
        yield Finding(FindingKind.UNCOVERED, subject.tool, f"no rule and no override covers it: {effect.reason}")
    if effect.hints.read_only and effect.hints.destructive:
        yield Finding(FindingKind.CONTRADICTION, subject.tool, "it is both a read and destructive")
    for text in subject.texts:
        for what in suspicious(text):
            yield Finding(FindingKind.TEXT, subject.tool, f"its text in {subject.source} was cleaned: {what}")


def _disagreements(group: list[Subject], judge: Judge) -> Iterator[Finding]:
    first = group[0]
    for other in group[1:]:
        one, two = (_shape(subject, judge.judge(subject.tool, subject.operation)) for subject in (first, other))
        if one != two:
            message = f"{first.source} says {one}, {other.source} says {two}"
            yield Finding(FindingKind.DISAGREEMENT, first.tool, message)


def _shape(subject: Subject, effect: Effect) -> str:
    yes = [name for name, said in effect.hints.as_dict().items() if said]
    risks = ", ".join(sorted(effect.risks)) or "no risks"
    return f"{subject.operation.http_method} {subject.operation.path} ({', '.join(yes)}; {risks})"


def _against_record(
    now: Mapping[str, RecordRow], record: Mapping[str, RecordRow], elsewhere: frozenset[str]
) -> Iterator[Finding]:
    for tool, row in now.items():
        known = record.get(tool)
        if known is None:
            yield Finding(FindingKind.NEW, tool, f"nobody has looked at it yet: {row.line()}")
            continue
        for change in changes(known, row):
            yield Finding(FindingKind.CHANGED, tool, change)
    for tool in record.keys() - now.keys() - elsewhere:
        yield Finding(FindingKind.GONE, tool, "the record knows it, and no source has it any more")
