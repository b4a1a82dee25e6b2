"""Reviewed exceptions: what no rule can know about an operation. They come after the rules, and never repeat them.

document (TOML or JSON, as read) -> `read_overrides` -> `Judge` -> an `Effect`
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from handrail.hints.effects import Hints, Risk

__all__ = ["Override", "OverrideError", "OverrideProblem", "read_overrides"]

_HINT_NAMES: Final = ("readOnly", "destructive", "idempotent", "openWorld")
_KEYS: Final = ("tools", "does", "reason", "hints", "risks", "without")


class OverrideProblem(StrEnum):
    """What can be wrong with an override."""

    MALFORMED = "malformed"
    MISSPELT = "misspelt"
    STALE = "stale"
    REDUNDANT = "redundant"


class OverrideError(ValueError):
    """An override that cannot stand.

    Attributes:
        tool: the operation that it is about.
        problem: which kind of problem.
        nearest: what was probably meant, or None.
    """

    def __init__(self, tool: str, problem: OverrideProblem, message: str, *, nearest: str | None = None) -> None:
        hint = f" Did you mean '{nearest}'?" if nearest else ""
        super().__init__(f"Override of {tool}: {message}{hint}")
        self.tool = tool
        self.problem = problem
        self.nearest = nearest

    @classmethod
    def misspelt(cls, tool: str, what: str, word: object, known: Iterable[str]) -> "OverrideError":
        """A word that means nothing, with the nearest that does."""
        near = difflib.get_close_matches(str(word), list(known), n=1, cutoff=0.5)
        message = f"there is no {what} '{str(word)[:60]}'."
        return cls(tool, OverrideProblem.MISSPELT, message, nearest=near[0] if near else None)


@dataclass(frozen=True, slots=True)
class Override:
    """A reviewed exception for one operation.

    Attributes:
        tool: its key.
        does: what it really does.
        reason: why the rule alone is wrong, or says too little.
        hints: all four, or None where the rule's stand.
        risks: tags to add.
        without: tags to take away.
    """

    tool: str
    does: str
    reason: str
    hints: Hints | None = None
    risks: frozenset[Risk] = frozenset()
    without: frozenset[Risk] = frozenset()


def read_overrides(entries: object) -> dict[str, Override]:
    """Read overrides strictly.

    Args:
        entries: a list of tables with `tools` (names), `does`, `reason` and at least one of `hints` (all four
            booleans by `readOnly`, `destructive`, `idempotent`, `openWorld`), `risks` and `without` (tags).

    Raises:
        OverrideError: the first that cannot stand, with the nearest right word.
    """
    if not isinstance(entries, list):
        raise OverrideError("(all)", OverrideProblem.MALFORMED, "they are no list of tables.")
    found: dict[str, Override] = {}
    for entry in entries:
        for override in _read_entry(entry):
            if override.tool in found:
                raise OverrideError(override.tool, OverrideProblem.MALFORMED, "it stands there twice.")
            found[override.tool] = override
    return found


def _read_entry(entry: object) -> Iterator[Override]:
    if not isinstance(entry, Mapping):
        raise OverrideError("(one)", OverrideProblem.MALFORMED, "it is no table.")
    tools = _words("(one)", "tools", entry.get("tools"))
    first = tools[0] if tools else "(one)"
    for key in entry:
        if key not in _KEYS:
            raise OverrideError.misspelt(first, "key", key, _KEYS)
    texts = {key: _text(first, key, entry.get(key)) for key in ("does", "reason")}
    hints = _hints(first, entry["hints"]) if "hints" in entry else None
    risks, without = (_risks(first, key, entry.get(key, [])) for key in ("risks", "without"))
    if not tools or (hints is None and not risks and not without):
        raise OverrideError(first, OverrideProblem.MALFORMED, "it names no tool, or overrides nothing.")
    if risks & without:
        raise OverrideError(first, OverrideProblem.MALFORMED, "it adds and takes away the same risk.")
    return (Override(tool, texts["does"], texts["reason"], hints, risks, without) for tool in tools)


def _text(tool: str, key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise OverrideError(tool, OverrideProblem.MALFORMED, f"'{key}' must be a sentence.")
    return value.strip()


def _words(tool: str, key: str, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise OverrideError(tool, OverrideProblem.MALFORMED, f"'{key}' must be a list of words.")
    return value


def _risks(tool: str, key: str, value: object) -> frozenset[Risk]:
    words = _words(tool, key, value)
    for word in words:
        if word not in set(Risk):
            raise OverrideError.misspelt(tool, "risk", word, Risk)
    return frozenset(Risk(word) for word in words)


def _hints(tool: str, value: object) -> Hints:
    if not isinstance(value, Mapping):
        raise OverrideError(tool, OverrideProblem.MALFORMED, "'hints' must be a table.")
    for key in value:
        if key not in _HINT_NAMES:
            raise OverrideError.misspelt(tool, "hint", key, _HINT_NAMES)
    said = [value.get(name) for name in _HINT_NAMES]
    if not all(isinstance(one, bool) for one in said):
        raise OverrideError(tool, OverrideProblem.MALFORMED, "'hints' must give all four as true or false.")
    hints = Hints(*(one is True for one in said))
    if hints.read_only and (hints.destructive or not hints.idempotent):
        raise OverrideError(tool, OverrideProblem.MALFORMED, "a read destroys nothing and can be repeated.")
    if not hints.read_only and not hints.open_world:
        raise OverrideError(tool, OverrideProblem.MALFORMED, "whatever is no read reaches an open world.")
    return hints
