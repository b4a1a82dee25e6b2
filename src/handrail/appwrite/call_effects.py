"""What one call does: the effect of its method, and what its arguments add to it. Pure, and never lower.

A read stays one only if nothing was added; what was destructive, risky or not repeatable stays so.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from handrail.appwrite.catalog.model import Method
from handrail.appwrite.evidence import judge
from handrail.appwrite.graphql_text import only_queries
from handrail.hints import Effect, Risk
from handrail.hints.risks import ACCESS_ARGUMENTS
from handrail.json_types import Json, JsonMapping

__all__ = ["effect_of_call", "means_every_member", "risks_used"]

_BY_QUERY: Final = frozenset({"delete.many", "update.many"})
_ROWS: Final = ("data", "documents", "rows")
_NARROWING_NOTHING: Final = frozenset({
    "cursorAfter", "cursorBefore", "limit", "offset", "orderAsc", "orderDesc", "orderRandom", "select",
})  # fmt: skip
_ROW_WORDS: Final = frozenset({"document", "documents", "row", "rows"})
_WITHOUT_RELATIONS: Final = frozenset({"documents_db", "vectors_db"})  # a nested object is plain data there
_PUBLIC: Final = ('("any")', '("guests")', '("users")', '("users/')
_FREE: Final = frozenset({"", "serverless"})
_MOST_VALUES: Final = 100_000  # of one call's data; beyond it everything is thought possible


@dataclass(frozen=True, slots=True)
class _Added:
    """What arguments add: why, risks, and promises that they take away."""

    reason: str
    risks: frozenset[Risk] = frozenset()
    destructive: bool = False
    not_repeatable: bool = False


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as the rules look at it, with the effect of its method."""

    method: Method
    effect: Effect
    arguments: JsonMapping

    def get(self, name: str) -> Json:
        return self.arguments.get(name)

    def takes(self, name: str) -> bool:
        return any(parameter.name == name for parameter in self.method.parameters)


_Rule = Callable[[_Call], _Added | None]


def effect_of_call(method: Method, arguments: JsonMapping) -> Effect:
    """What a call of a method does with these arguments.

    Args:
        method: from the catalog.
        arguments: by their SDK names; checked against the schema or not.

    Returns:
        The method's own effect, or one that promises less and warns more. A read takes nothing that could change
        that, so it stays as it is.

    Raises:
        OverridesError: the reviewed exceptions cannot be used.
    """
    effect = judge(method)
    if effect.is_read:
        return effect
    call = _Call(method, effect, arguments)
    for name, rule in _RULES.items():
        added = rule(call)
        if added is not None:
            effect = _raised(effect, name, added)
    return effect


def risks_used(method: Method, effect: Effect, arguments: JsonMapping) -> frozenset[Risk]:
    """The risks of a call that count when it is asked who must agree to it.

    A method that takes `permissions` changes who may get in only when they are given: a call that leaves them out, and
    has the risk for no other reason, is a plain one.
    """
    opening = [one for one in method.parameters if one.name in ACCESS_ARGUMENTS]
    if Risk.ACCESS not in effect.risks or not opening:
        return effect.risks
    if any(arguments.get(one.name) is not None for one in opening):
        return effect.risks
    closed = replace(method, parameters=tuple(one for one in method.parameters if one not in opening))
    return effect.risks if Risk.ACCESS in judge(closed).risks else effect.risks - {Risk.ACCESS}


def means_every_member(method: Method, arguments: JsonMapping) -> bool:
    """Whether a call is a bulk one that nothing narrows, so that every member is meant."""
    return _every_member(_Call(method, judge(method), arguments)) is not None


def _raised(effect: Effect, name: str, added: _Added) -> Effect:
    hints = replace(
        effect.hints,
        destructive=effect.hints.destructive or added.destructive,
        idempotent=effect.hints.idempotent and not added.not_repeatable,
    )
    return Effect(
        hints=hints,
        risks=effect.risks | added.risks,
        rule=effect.rule if hints == effect.hints else f"call.{name}",
        reason=f"{effect.reason}; in this call {added.reason}",
    )


def _every_member(call: _Call) -> _Added | None:
    if call.effect.rule not in _BY_QUERY or _narrows(call.get("queries")):
        return None
    return _Added("nothing narrows it: every member is meant", frozenset({Risk.BULK, Risk.IRREVERSIBLE}))


def _narrows(queries: Json) -> bool:
    """Whether one of the queries is a condition. What is not understood is no condition."""
    if not isinstance(queries, list):
        return False
    read = (_object_in(query) for query in queries)
    methods = (query.get("method") for query in read if query is not None)
    return any(isinstance(method, str) and method not in _NARROWING_NOTHING for method in methods)


def _graphql(call: _Call) -> _Added | None:
    if call.effect.rule != "graphql":
        return None
    if only_queries(call.get("query")):
        return _Added("the text holds queries only, though the method could do more")
    return _Added("the text is not proven to hold queries only")


def _operators(call: _Call) -> _Added | None:
    if not any(_is_operator(value) for value in _values(call.arguments, _ROWS)):
        return None
    return _Added("operators in the data make each repeat change more", not_repeatable=True)


def _related(call: _Call) -> _Added | None:
    if call.method.service in _WITHOUT_RELATIONS or not _ROW_WORDS.intersection(call.method.name.split("_")):
        return None
    rows = [row for key in _ROWS for row in _rows(call.get(key))]
    if not any(_holds_object(value) for row in rows for key, value in row.items() if not key.startswith("$")):
        return None
    return _Added("nested objects may overwrite related rows that exist", frozenset({Risk.BULK}), destructive=True)


def _staged(call: _Call) -> _Added | None:
    if not call.get("transaction_id"):
        return None
    return _Added("it is staged in a transaction: a repeat stages it again", not_repeatable=True)


def _activates(call: _Call) -> _Added | None:
    if call.get("activate") in (None, False):
        return None
    return _Added("it goes live when it is built", frozenset({Risk.DOWNTIME, Risk.CODE}), destructive=True)


def _connects(call: _Call) -> _Added | None:
    if not call.get("provider_repository_id"):
        return None
    risks = frozenset({Risk.CODE, Risk.EXTERNAL})
    return _Added("a connected repository is fetched, built and deployed", risks, destructive=True)


def _sends(call: _Call) -> _Added | None:
    """A new message is sent unless it is a draft; an old one is sent when it no longer is."""
    draft = call.get("draft")
    if not call.takes("draft") or draft is True or (draft is None and call.method.http_method != "POST"):
        return None
    return _Added("it is no draft: it is sent and cannot be unsent", frozenset({Risk.IRREVERSIBLE, Risk.PEOPLE}))


def _costs(call: _Call) -> _Added | None:
    specification = call.get("specification")
    dedicated = specification is not None and not (isinstance(specification, str) and specification in _FREE)
    replicas = call.get("replicas")
    if dedicated or replicas not in (None, 0):
        return _Added("it asks for dedicated compute, which is billed", frozenset({Risk.MONEY}), destructive=True)
    if call.get("build_specification") or call.get("runtime_specification"):
        return _Added("it asks for a size of compute, whose use is billed", frozenset({Risk.MONEY}))
    return None


def _opens(call: _Call) -> _Added | None:
    granted = [one for key in ("execute", "permissions", "roles") for one in _texts(call.get(key))]
    if not granted:
        return None
    if any(one in {"any", "guests", "users"} or any(role in one for role in _PUBLIC) for one in granted):
        return _Added("it lets everybody in, or every signed-in user", frozenset({Risk.ACCESS}))
    return _Added("it says who may get in", frozenset({Risk.ACCESS}))


def _disables(call: _Call) -> _Added | None:
    if call.get("enabled") is not False or not call.effect.hints.destructive:
        return None
    return _Added("it is switched off", frozenset({Risk.DOWNTIME}))


def _overwrites(call: _Call) -> _Added | None:
    if call.get("on_duplicate") in (None, "fail", "skip"):
        return None
    risks = frozenset({Risk.BULK, Risk.IRREVERSIBLE})
    return _Added("what has the same id already is overwritten", risks, destructive=True)


_RULES: Final[dict[str, _Rule]] = {
    "every": _every_member,
    "graphql": _graphql,
    "operators": _operators,
    "related": _related,
    "staged": _staged,
    "activates": _activates,
    "connects": _connects,
    "sends": _sends,
    "costs": _costs,
    "opens": _opens,
    "disables": _disables,
    "overwrites": _overwrites,
}


def _is_operator(value: Json) -> bool:
    """Whether a value is what the SDK's `Operator` makes: `{"method":"increment","values":[1]}` as text."""
    found = _object_in(value)
    return found is not None and isinstance(found.get("method"), str)


def _object_in(value: Json) -> JsonMapping | None:
    """The JSON object with a `method` that a text holds, or None."""
    if not isinstance(value, str) or '"method"' not in value:
        return None
    try:
        found: Json = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _rows(value: Json) -> Iterator[JsonMapping]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            yield one


def _holds_object(value: Json) -> bool:
    if isinstance(value, list):
        return any(isinstance(one, dict) for one in value)
    return isinstance(value, dict)


def _texts(value: Json) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _values(arguments: JsonMapping, keys: tuple[str, ...]) -> Iterator[Json]:
    """Every value below some arguments, however deep; of more than a bound only the first ones."""
    waiting: list[Json] = [arguments[key] for key in keys if key in arguments]
    seen = 0
    while waiting and seen < _MOST_VALUES:
        seen += 1
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        else:
            yield value
