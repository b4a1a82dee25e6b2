"""Appwrite's query strings: parsing, checking against a schema, and evaluation. Pure."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cmp_to_key

from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.sandbox.errors import ApiError, Fail

__all__ = ["DEFAULT_LIMIT", "Condition", "Kind", "Page", "Plan", "check", "matches", "parse", "run"]

DEFAULT_LIMIT = 25
_MAX_LIMIT = 5000
_MAX_QUERIES = 100
_MAX_LENGTH = 4096
_TWO = 2


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


@dataclass(frozen=True, slots=True)
class Plan:
    """All queries of one request, sorted by what they do. `orders` holds (attribute, descending)."""

    conditions: tuple[Condition, ...] = ()
    orders: tuple[tuple[str, bool], ...] = ()
    limit: int = DEFAULT_LIMIT
    offset: int = 0
    after: str | None = None
    before: str | None = None
    select: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """What a list answers: how many match in all, and those of this page."""

    total: int
    docs: tuple[JsonObject, ...]


def _rank(value: Json) -> tuple[int, float, str]:
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
    return _rank(found) == _rank(wanted)


def _comparable(found: Json, wanted: Json) -> bool:
    return found is not None and _rank(found)[0] == _rank(wanted)[0]


def _less(found: Json, wanted: Json) -> bool:
    return _comparable(found, wanted) and _rank(found) < _rank(wanted)


def _greater(found: Json, wanted: Json) -> bool:
    return _comparable(found, wanted) and _rank(found) > _rank(wanted)


def _at_most(found: Json, wanted: Json) -> bool:
    return _comparable(found, wanted) and _rank(found) <= _rank(wanted)


def _at_least(found: Json, wanted: Json) -> bool:
    return _comparable(found, wanted) and _rank(found) >= _rank(wanted)


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
_SINGLE = frozenset({"notEqual", "lessThan", "lessThanEqual", "greaterThan", "greaterThanEqual", "search"})
_NESTED = frozenset({"and", "or"})
_RANGES = frozenset({"between", "notBetween"})
_NULLS = frozenset({"isNull", "isNotNull"})
_ORDERS = {"orderAsc": False, "orderDesc": True}
_FILTERS = frozenset(_ANY_OF) | frozenset(_ALL_OF) | _NESTED | _RANGES | _NULLS
_LACKED = frozenset(
    "orderRandom regex elemMatch exists notExists distinct count countDistinct sum avg min max groupBy having"
    " relationship on crossJoin intersects notIntersects crosses notCrosses overlaps notOverlaps touches notTouches"
    " covers notCovers spatialEquals notSpatialEquals distanceEqual distanceNotEqual distanceGreaterThan"
    " distanceLessThan vectorDot vectorCosine vectorEuclidean bitAnd bitOr bitXor stddev stddevPop stddevSamp variance"
    " varPop varSamp".split()
)


def _invalid(reason: str) -> ApiError:
    return ApiError(Fail.QUERY_INVALID, reason)


def _decode(text: str) -> JsonObject:
    if len(text) > _MAX_LENGTH:
        raise _invalid(f"Invalid query: longer than {_MAX_LENGTH} chars")
    try:
        query: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _invalid("Invalid query: Syntax error") from error
    if not isinstance(query, dict):
        raise _invalid(f"Invalid query. Must be an array, got {type(query).__name__}")
    return query


def _method(query: JsonMapping) -> str:
    method = query.get("method", "")
    if not isinstance(method, str):
        raise _invalid("Invalid query method. Must be a string")
    if method in _LACKED:
        raise ApiError(Fail.NOT_IMPLEMENTED, f"the query method {method}")
    return method


def _condition(query: JsonMapping) -> Condition:
    method, attribute, values = _method(query), query.get("attribute", ""), query.get("values", [])
    if method not in _FILTERS:
        raise _invalid(f"Invalid query method: {method}")
    if not isinstance(attribute, str) or not isinstance(values, list):
        raise _invalid("Invalid query: attribute must be a string and values a list")
    if method in _NESTED:
        parts = [_condition(part) for part in values if isinstance(part, dict)]
        if len(parts) != len(values) or len(parts) < _TWO:
            raise _invalid(f"Invalid query: {method.capitalize()} queries require at least two queries")
        return Condition(method, parts=tuple(parts))
    _check_count(method, len(values))
    return Condition(method, attribute, tuple(values))


def _check_count(method: str, count: int) -> None:
    title = method[0].upper() + method[1:]
    if method in _RANGES and count != _TWO:
        raise _invalid(f"Invalid query: {title} queries require exactly two values.")
    if method in _SINGLE and count != 1:
        raise _invalid(f"Invalid query: {title} queries require exactly one value.")
    if method not in _NULLS and not count:
        raise _invalid(f"Invalid query: {title} queries require at least one value.")


def _number(query: JsonMapping, low: int, high: int) -> int:
    values = query.get("values")
    value = values[0] if isinstance(values, list) and len(values) == 1 else None
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        rule = f"Value must be a valid range between {low:,} and {high:,}"
        raise _invalid(f"Invalid query: Invalid {query['method']}: {rule}")
    return value


def _word(query: JsonMapping) -> str:
    values = query.get("values")
    value = values[0] if isinstance(values, list) and len(values) == 1 else None
    if not isinstance(value, str) or not value:
        raise _invalid(f"Invalid query: {query['method']} needs one id")
    return value


def _names(query: JsonMapping) -> tuple[str, ...]:
    values = query.get("values")
    names = values if isinstance(values, list) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise _invalid("Invalid query: No attributes selected")
    return tuple(str(name) for name in names)


def parse(texts: Sequence[str]) -> Plan:
    """Read query strings.

    Args:
        texts: one JSON object each, `{"method", "attribute", "values"}`.

    Returns:
        What they ask for.

    Raises:
        ApiError: general_query_invalid for bad ones; general_not_implemented for methods that the stand-in lacks.
    """
    if len(texts) > _MAX_QUERIES:
        raise _invalid(f"Invalid query: more than {_MAX_QUERIES} queries")
    conditions: list[Condition] = []
    orders: list[tuple[str, bool]] = []
    numbers = {"limit": DEFAULT_LIMIT, "offset": 0}
    cursors: dict[str, str] = {}
    select: tuple[str, ...] = ()
    for query in map(_decode, texts):
        match _method(query):
            case "limit" | "offset" as name:
                numbers[name] = _number(query, 1 if name == "limit" else 0, _MAX_LIMIT)
            case "cursorAfter" | "cursorBefore" as name:
                cursors[name] = _word(query)
            case "orderAsc" | "orderDesc" as name:
                orders.append((str(query.get("attribute", "") or "$sequence"), _ORDERS[name]))
            case "select":
                select += _names(query)
            case _:
                conditions.append(_condition(query))
    after, before = cursors.get("cursorAfter"), cursors.get("cursorBefore")
    return Plan(tuple(conditions), tuple(orders), numbers["limit"], numbers["offset"], after, before, select)


def check(plan: Plan, schema: Mapping[str, Kind]) -> None:
    """Refuse attributes that do not exist and values of another type than the attribute's.

    Raises:
        ApiError: general_query_invalid.
    """
    for name in [*(name for name, _ in plan.orders), *(name for name in plan.select if name != "*")]:
        if name not in schema:
            raise _invalid(f"Invalid query: Attribute not found in schema: {name}")
    for condition in plan.conditions:
        _check_condition(condition, schema)


def _check_condition(condition: Condition, schema: Mapping[str, Kind]) -> None:
    for part in condition.parts:
        _check_condition(part, schema)
    if condition.parts:
        return
    kind = schema.get(condition.attribute)
    if kind is None:
        raise _invalid(f"Invalid query: Attribute not found in schema: {condition.attribute}")
    for value in condition.values:
        if _kind(value) is not kind:
            raise _invalid(f'Invalid query: Query value is invalid for attribute "{condition.attribute}"')


def _kind(value: Json) -> Kind | None:
    if isinstance(value, bool):
        return Kind.FLAG
    if isinstance(value, int | float):
        return Kind.NUMBER
    return Kind.TEXT if isinstance(value, str) else None


def matches(condition: Condition, doc: JsonMapping) -> bool:
    """Whether one document meets one condition."""
    method, values, found = condition.method, condition.values, doc.get(condition.attribute)
    if method in _NESTED:
        met = (matches(part, doc) for part in condition.parts)
        return all(met) if method == "and" else any(met)
    if method in _NULLS:
        return (found is None) is (method == "isNull")
    if method in _RANGES:
        inside = _at_least(found, values[0]) and _at_most(found, values[1])
        return inside is (method == "between")
    if method in _ANY_OF:
        return any(_ANY_OF[method](found, value) for value in values)
    return all(_ALL_OF[method](found, value) for value in values)


def _compare(orders: Sequence[tuple[str, bool]], one: JsonMapping, other: JsonMapping) -> int:
    for name, descending in orders:
        left, right = _rank(one.get(name)), _rank(other.get(name))
        if left != right:
            return (-1 if left < right else 1) * (-1 if descending else 1)
    return 0


def _window(plan: Plan, found: list[JsonObject], thing: str) -> list[JsonObject]:
    """Cut the page out: cursors first, then offset and limit; `cursorBefore` takes the last ones before it."""
    cursor = plan.after or plan.before
    if cursor is None:
        return found[plan.offset : plan.offset + plan.limit]
    places = [place for place, doc in enumerate(found) if doc["$id"] == cursor]
    if not places:
        raise ApiError(Fail.CURSOR_NOT_FOUND, f"{thing} '{cursor}' for the 'cursor' value not found.")
    if plan.after:
        start = places[0] + 1 + plan.offset
        return found[start : start + plan.limit]
    end = max(places[0] - plan.offset, 0)
    return found[max(end - plan.limit, 0) : end]


def _select(doc: JsonObject, names: tuple[str, ...]) -> JsonObject:
    if not names or "*" in names:
        return doc
    return {name: value for name, value in doc.items() if name in names or name.startswith("$")}


def run(plan: Plan, docs: Iterable[JsonObject], thing: str = "Document") -> Page:
    """Filter, order, page and project.

    Args:
        plan: what is asked for.
        docs: all documents in their natural order, each with an `$id`.
        thing: what a document is called in the error for a cursor that is gone.

    Returns:
        The page; documents are shared, not copied.

    Raises:
        ApiError: general_cursor_not_found.
    """
    found = [doc for doc in docs if all(matches(condition, doc) for condition in plan.conditions)]
    if plan.orders:
        found.sort(key=cmp_to_key(lambda one, other: _compare(plan.orders, one, other)))
    page = _window(plan, found, thing)
    return Page(len(found), tuple(_select(doc, plan.select) for doc in page))
