"""The rules of evidence, in order; the first that matches decides.

A read needs proof from two sides (the verb and the HTTP method). Everything else is destructive until it is proved
additive. An operation that no rule covers is judged by the last one, which promises nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from handrail.hints.effects import Effect, Hints, Operation, Risk
from handrail.hints.names import name_words

__all__ = ["UNPROVEN", "effect_of"]

UNPROVEN: Final = "unproven"
"""The rule of an operation that no other rule covers."""

_READ: Final = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)
_ADDS: Final = Hints(read_only=False, destructive=False, idempotent=False, open_world=True)
_OVERWRITES: Final = Hints(read_only=False, destructive=True, idempotent=True, open_world=True)
_CHANGES: Final = Hints(read_only=False, destructive=True, idempotent=False, open_world=True)

# What a "create" of these does to what is already there, or to the world: it runs, replaces, restores, buys, switches.
_NOT_ADDITIVE: Final = frozenset({
    "archive", "cutover", "execution", "failover", "invalidation", "mutation", "payment", "purchase", "query",
    "restoration", "retry", "rollback", "transfer",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    matches: Callable[[Operation, str], bool]
    hints: Hints
    reason: str
    risks: frozenset[Risk] = frozenset()


def _acts_on_many(operation: Operation) -> bool:
    """A path that ends in a collection, with no id of one member, names them all."""
    return not operation.path.rstrip("/").endswith("}") and "queries" in operation.parameters


def _only_adds(operation: Operation) -> bool:
    return not _NOT_ADDITIVE.intersection(name_words(operation.name))


_RULES: Final = (
    _Rule(
        "read.get",
        lambda op, verb: verb in {"get", "list"} and op.http_method == "GET",
        _READ,
        "the verb says read and GET agrees",
    ),
    _Rule(
        "delete.many",
        lambda op, verb: verb == "delete" and op.http_method == "DELETE" and _acts_on_many(op),
        _CHANGES,
        "DELETE on a collection by query: each repeat may remove more",
        frozenset({Risk.BULK, Risk.IRREVERSIBLE}),
    ),
    _Rule(
        "delete.one",
        lambda op, verb: verb == "delete" and op.http_method == "DELETE",
        _OVERWRITES,
        "DELETE of what the path names; a repeat finds it gone",
        frozenset({Risk.IRREVERSIBLE}),
    ),
    _Rule(
        "update.step",
        lambda _op, verb: verb in {"increment", "decrement"},
        _CHANGES,
        "each repeat changes the value again",
    ),
    _Rule(
        "update.many",
        lambda op, verb: verb in {"update", "upsert"} and op.http_method in {"PUT", "PATCH"} and _acts_on_many(op),
        _CHANGES,
        "overwrites every member that the queries match",
        frozenset({Risk.BULK}),
    ),
    _Rule(
        "update.one",
        lambda op, verb: verb in {"update", "upsert"} and op.http_method in {"PUT", "PATCH"},
        _OVERWRITES,
        "overwrites what is there; a repeat leaves the same",
    ),
    _Rule(
        "create.adds",
        lambda op, verb: verb == "create" and op.http_method == "POST" and _only_adds(op),
        _ADDS,
        "POST that adds something new and leaves the rest as it is",
    ),
)


def effect_of(operation: Operation) -> Effect:
    """What an operation does, by the first rule that matches it.

    Args:
        operation: the evidence.

    Returns:
        The hints, the risks, the rule and the reason. An operation that nothing covers is assumed to be able to
        change anything.
    """
    verb = next(iter(name_words(operation.name)), "")
    for rule in _RULES:
        if rule.matches(operation, verb):
            return Effect(rule.hints, rule.risks, rule.name, rule.reason)
    reason = (
        f"nothing proves what '{verb}' with {operation.http_method or 'no HTTP method'} does: assumed able to change"
    )
    return Effect(_CHANGES, frozenset(), UNPROVEN, reason)
