"""One filter of a query and how a document meets it. Pure."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from handrail.json_types import Json, JsonMapping

__all__ = ["FILTERS", "NESTED", "NULLS", "RANGES", "SINGLE", "Condition", "Kind", "matches", "rank"]


class Kind(StrEnum):
    """What a field holds, as far as comparing goes."""

    TEXT = "string"
    NUMBER = "number"
    FLAG = "boolean"


@dataclass(frozen=True, slots=True)
class Condition:
    """One filter: `method` over `attribute` and `values`; `and` and `or` hold `parts` instead."""

    method: str
    attribute: str = ""
    values: tuple[Json, ...] = ()
    parts: tuple["Condition", ...] = ()


def rank(value: Json) -> tuple[int, float, str]:
    """A total order over JSON values: null, flags, numbers, text, anything else by its JSON."""
    if value is None:
        return (0, 0, "")
    if isinstance(value, bool):
        return (1, value, "")
    if isinstance(value, int | float):
        return (2, value, "")
    if isinstance(value, str):
        return (3, 0, value)
    return (4, 0, json.dumps(value, sort_keys=True))


def _same(found: Json, wanted: Json) -> bool:
    return rank(found) == rank(wanted)


def _comparable(found: Json, wanted: Json) -> bool:
    return found is not None and rank(found)[0] == rank(wanted)[0]


def _less(found: Json, wanted: Json) -> bool:
    return _comparable(found, wanted) and rank(found) < rank(wanted)


def _greater(found: Json, wanted: Json) -> bool:
    return _comparable(found, wanted) and rank(found) > rank(wanted)


def _at_most(found: Json, wanted: Json) -> bool:
    return _comparable(found, wanted) and rank(found) <= rank(wanted)


def _at_least(found: Json, wanted: Json) -> bool:
    return _comparable(found, wanted) and rank(found) >= rank(wanted)


def _holds(found: Json, wanted: Json) -> bool:
    if isinstance(found, list):
        return any(_same(item, wanted) for item in found)
    return isinstance(found, str) and isinstance(wanted, str) and wanted.casefold() in found.casefold()


def _starts(found: Json, wanted: Json) -> bool:
    return isinstance(found, str) and isinstance(wanted, str) and found.casefold().startswith(wanted.casefold())


def _ends(found: Json, wanted: Json) -> bool:
    return isinstance(found, str) and isinstance(wanted, str) and found.casefold().endswith(wanted.casefold())


def _finds(found: Json, wanted: Json) -> bool:
    """Every searched word is in the text, as a full-text index has it."""
    if not isinstance(found, str) or not isinstance(wanted, str):
        return False
    return set(wanted.casefold().split()) <= set(found.casefold().split())


def _differs(found: Json, wanted: Json) -> bool:
    return found is not None and not _same(found, wanted)


def _not(test: Callable[[Json, Json], bool]) -> Callable[[Json, Json], bool]:
    return lambda found, wanted: not test(found, wanted)


_ANY_OF: Mapping[str, Callable[[Json, Json], bool]] = {
    "equal": _same,
    "contains": _holds,
    "containsAny": _holds,
    "startsWith": _starts,
    "endsWith": _ends,
    "search": _finds,
    "lessThan": _less,
    "lessThanEqual": _at_most,
    "greaterThan": _greater,
    "greaterThanEqual": _at_least,
}
_ALL_OF: Mapping[str, Callable[[Json, Json], bool]] = {
    "notEqual": _differs,
    "containsAll": _holds,
    "notContains": _not(_holds),
    "notStartsWith": _not(_starts),
    "notEndsWith": _not(_ends),
    "notSearch": _not(_finds),
}
SINGLE = frozenset({"notEqual", "lessThan", "lessThanEqual", "greaterThan", "greaterThanEqual", "search"})
"""Filters that take exactly one value."""
RANGES = frozenset({"between", "notBetween"})
"""Filters that take exactly two values."""
NULLS = frozenset({"isNull", "isNotNull"})
"""Filters that take no value."""
NESTED = frozenset({"and", "or"})
"""Filters over other filters."""
FILTERS = frozenset(_ANY_OF) | frozenset(_ALL_OF) | NESTED | RANGES | NULLS
"""Every filter there is here."""


def matches(condition: Condition, doc: JsonMapping) -> bool:
    """Whether one document meets one condition."""
    method, values, found = condition.method, condition.values, doc.get(condition.attribute)
    if method in NESTED:
        met = (matches(part, doc) for part in condition.parts)
        return all(met) if method == "and" else any(met)
    if method in NULLS:
        return (found is None) is (method == "isNull")
    if method in RANGES:
        inside = _at_least(found, values[0]) and _at_most(found, values[1])
        return inside is (method == "between")
    if method in _ANY_OF:
        return any(_ANY_OF[method](found, value) for value in values)
    return all(_ALL_OF[method](found, value) for value in values)
