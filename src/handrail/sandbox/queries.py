"""Appwrite's query strings: parsing, checking against a schema, ordering and paging. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.filters import FILTERS, NESTED, NULLS, RANGES, SINGLE, Condition, Kind, matches, rank
from handrail.sandbox.params import no_constant

__all__ = ["DEFAULT_LIMIT", "Page", "Plan", "check", "parse", "run"]

DEFAULT_LIMIT = 25
_MAX_LIMIT = 5000
_MAX_QUERIES = 100
_MAX_LENGTH = 4096
_TWO = 2
_NATURAL = "$sequence"
_Placed: TypeAlias = "tuple[int, JsonObject]"


@dataclass(frozen=True, slots=True)
class Plan:
    """All queries of one request, sorted by what they do. `orders` holds (attribute, descending)."""

    conditions: tuple[Condition, ...] = ()
    orders: tuple[tuple[str, bool], ...] = ()
    limit: int | None = None
    offset: int = 0
    after: str | None = None
    before: str | None = None
    select: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """What a list answers: how many match in all, and those of this page."""

    total: int
    docs: tuple[JsonObject, ...]


_ORDERS = {"orderAsc": False, "orderDesc": True}
_LACKED = frozenset(
    """
    orderRandom regex elemMatch exists notExists distinct count countDistinct sum avg min max groupBy having
    relationship on crossJoin intersects notIntersects crosses notCrosses overlaps notOverlaps touches notTouches
    covers notCovers spatialEquals notSpatialEquals distanceEqual distanceNotEqual distanceGreaterThan
    distanceLessThan vectorDot vectorCosine vectorEuclidean bitAnd bitOr bitXor stddev stddevPop stddevSamp
    variance varPop varSamp
    """.split()  # noqa: SIM905  (45 words in a column would bury the rest)
)


def _invalid(reason: str) -> ApiError:
    return ApiError(Fail.QUERY_INVALID, reason)


def _decode(text: str) -> JsonObject:
    if len(text) > _MAX_LENGTH:
        raise _invalid(f"Invalid query: longer than {_MAX_LENGTH} chars")
    try:
        query: Json = json.loads(text, parse_constant=no_constant)
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
    if method not in FILTERS:
        raise _invalid(f"Invalid query method: {method}")
    if not isinstance(attribute, str) or not isinstance(values, list):
        raise _invalid("Invalid query: attribute must be a string and values a list")
    if method in NESTED:
        parts = [_condition(part) for part in values if isinstance(part, dict)]
        if len(parts) != len(values) or len(parts) < _TWO:
            raise _invalid(f"Invalid query: {method.capitalize()} queries require at least two queries")
        return Condition(method, parts=tuple(parts))
    _check_count(method, len(values))
    return Condition(method, attribute, tuple(values))


def _check_count(method: str, count: int) -> None:
    title = method[0].upper() + method[1:]
    if method in RANGES and count != _TWO:
        raise _invalid(f"Invalid query: {title} queries require exactly two values.")
    if method in SINGLE and count != 1:
        raise _invalid(f"Invalid query: {title} queries require exactly one value.")
    if method not in NULLS and not count:
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
    numbers: dict[str, int] = {}
    cursors: dict[str, str] = {}
    select: tuple[str, ...] = ()
    for query in map(_decode, texts):
        match _method(query):
            case "limit" | "offset" as name:
                numbers[name] = _number(query, 1 if name == "limit" else 0, _MAX_LIMIT)
            case "cursorAfter" | "cursorBefore" as name:
                cursors[name] = _word(query)
            case "orderAsc" | "orderDesc" as name:
                orders.append((str(query.get("attribute", "") or _NATURAL), _ORDERS[name]))
            case "select":
                select += _names(query)
            case _:
                conditions.append(_condition(query))
    after, before = cursors.get("cursorAfter"), cursors.get("cursorBefore")
    return Plan(tuple(conditions), tuple(orders), numbers.get("limit"), numbers.get("offset", 0), after, before, select)


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


def _key(name: str, placed: _Placed) -> tuple[int, float, str]:
    """What a document is ordered by; `$sequence` is the natural order itself."""
    place, doc = placed
    return rank(place if name == _NATURAL else doc.get(name))


def _window(plan: Plan, found: list[JsonObject], limit: int, thing: str) -> list[JsonObject]:
    """Cut the page out: cursors first, then offset and limit; `cursorBefore` takes the last ones before it."""
    cursor = plan.after or plan.before
    if cursor is None:
        return found[plan.offset : plan.offset + limit]
    places = [place for place, doc in enumerate(found) if doc["$id"] == cursor]
    if not places:
        raise ApiError(Fail.CURSOR_NOT_FOUND, f"{thing} '{cursor}' for the 'cursor' value not found.")
    if plan.after:
        start = places[0] + 1 + plan.offset
        return found[start : start + limit]
    end = max(places[0] - plan.offset, 0)
    return found[max(end - limit, 0) : end]


def _select(doc: JsonObject, names: tuple[str, ...]) -> JsonObject:
    if not names or "*" in names:
        return doc
    return {name: value for name, value in doc.items() if name in names or name.startswith("$")}


def run(plan: Plan, docs: Iterable[JsonObject], thing: str = "Document", default_limit: int = DEFAULT_LIMIT) -> Page:
    """Filter, order, page and project.

    Args:
        plan: what is asked for.
        docs: all documents in their natural order, each with an `$id`.
        thing: what a document is called in the error for a cursor that is gone.
        default_limit: how many documents a page holds where the plan names no limit.

    Returns:
        The page; documents are shared, not copied.

    Raises:
        ApiError: general_cursor_not_found.
    """
    found = [
        (place, doc) for place, doc in enumerate(docs) if all(matches(condition, doc) for condition in plan.conditions)
    ]
    for name, descending in reversed(plan.orders):
        found.sort(key=partial(_key, name), reverse=descending)
    limit = default_limit if plan.limit is None else plan.limit
    page = _window(plan, [doc for _, doc in found], limit, thing)
    return Page(len(found), tuple(_select(doc, plan.select) for doc in page))
