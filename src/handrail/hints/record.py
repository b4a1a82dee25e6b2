"""The record of what was decided: one line an operation, so that every change shows in a diff and is looked at.

tool <tab> sources <tab> readOnly destructive idempotent openWorld as T or F <tab> risks <tab> rule
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from handrail.hints.effects import Effect, Hints, Risk

__all__ = ["RecordError", "RecordRow", "changes", "read_record", "write_record"]

_HEADER: Final = "# tool\tsources\treadOnly destructive idempotent openWorld\trisks\trule"
_COLUMNS: Final = 5


class RecordError(ValueError):
    """A line of a record that cannot be read. `line` is its number, from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"Line {line} of the record: {message}")
        self.line = line


@dataclass(frozen=True, slots=True)
class RecordRow:
    """What was decided about one operation.

    Attributes:
        tool: its key.
        sources: where it was found, such as the names of the SDKs that have it.
        hints: the four hints.
        risks: the tags.
        rule: what decided.
    """

    tool: str
    sources: frozenset[str]
    hints: Hints
    risks: frozenset[Risk]
    rule: str

    @classmethod
    def of(cls, tool: str, sources: Iterable[str], effect: Effect) -> "RecordRow":
        """The row of a judgement."""
        return cls(tool, frozenset(sources), effect.hints, effect.risks, effect.rule)

    def line(self) -> str:
        """The row as one line without its end."""
        sources, risks = ",".join(sorted(self.sources)), ",".join(sorted(self.risks))
        return f"{self.tool}\t{sources}\t{_letters(self.hints)}\t{risks}\t{self.rule}"


def write_record(rows: Iterable[RecordRow]) -> str:
    """A record as text, in order of its tools."""
    lines = (row.line() for row in sorted(rows, key=lambda row: row.tool))
    return "\n".join((_HEADER, *lines, ""))


def read_record(text: str) -> dict[str, RecordRow]:
    """A record by tool.

    Raises:
        RecordError: a line is not shaped as one, or a tool stands there twice.
    """
    rows: dict[str, RecordRow] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            row = _row(number, line)
            if row.tool in rows:
                raise RecordError(number, f"{row.tool} stands there twice.")
            rows[row.tool] = row
    return rows


def changes(before: RecordRow, after: RecordRow) -> Iterator[str]:
    """What changed about an operation, old and new; where it was found does not count."""
    for name, old in before.hints.as_dict().items():
        new = after.hints.as_dict()[name]
        if old != new:
            yield f"{name}: {str(old).lower()} -> {str(new).lower()}"
    if before.risks != after.risks:
        yield f"risks: {_words(before.risks)} -> {_words(after.risks)}"
    if before.rule != after.rule:
        yield f"rule: {before.rule} -> {after.rule}"


def _words(risks: frozenset[Risk]) -> str:
    return ", ".join(sorted(risks)) or "none"


def _letters(hints: Hints) -> str:
    return "".join("T" if said else "F" for said in hints.as_dict().values())


def _row(number: int, line: str) -> RecordRow:
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        raise RecordError(number, f"it has {len(cells)} columns, not {_COLUMNS}.")
    tool, sources, letters, risks, rule = cells
    if len(letters) != len(Hints.__slots__) or not set(letters) <= {"T", "F"}:
        raise RecordError(number, f"'{letters[:20]}' are no four letters T or F.")
    known = {risk.value: risk for risk in Risk}
    unknown = [word for word in risks.split(",") if word and word not in known]
    if unknown:
        raise RecordError(number, f"there is no risk '{unknown[0][:20]}'.")
    tags = frozenset(known[word] for word in risks.split(",") if word)
    return RecordRow(tool, frozenset(sources.split(",")), Hints(*(letter == "T" for letter in letters)), tags, rule)
