"""The rules of evidence, in order; the first that matches decides.

A read needs proof from two sides (the verb and the HTTP method), or the vendor's own word where nothing speaks against
it. Everything else is destructive until it is proved additive. Words and arguments may take a promise away, never
give one: a rule that reads them wrongly errs on the careful side. An operation that no rule covers is judged by the
last one, which promises nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from handrail.hints import words
from handrail.hints.effects import LOCAL_READ, REMOTE_READ, Effect, Hints, Operation
from handrail.hints.evidence import Evidence
from handrail.hints.risks import risks_of
from handrail.hints.verbs import VERBS, Bucket

__all__ = ["UNPROVEN", "effect_of", "rule_names"]

UNPROVEN: Final = "unproven"
"""The rule of an operation that no other rule covers."""

_ADDS: Final = Hints(read_only=False, destructive=False, idempotent=False, open_world=True)
_OVERWRITES: Final = Hints(read_only=False, destructive=True, idempotent=True, open_world=True)
_CHANGES: Final = Hints(read_only=False, destructive=True, idempotent=False, open_world=True)


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    matches: Callable[[Evidence], bool]
    hints: Hints
    reason: str
    says_enough: bool = True  # false: a vendor's word may still promise more


def _is_read(at: Evidence) -> bool:
    return at.verb in {"get", "list"} and at.http_method == "GET"


def _contradicts_itself(at: Evidence) -> bool:
    """The vendor calls it a read, and something else says that it is none."""
    if _is_read(at):
        return at.declares("read_only", value=False) or at.declares("destructive", value=True)
    if not at.declares("read_only", value=True):
        return False
    acts = VERBS.get(at.verb) in {Bucket.WRITE, Bucket.DELETE} and at.verb not in words.NO_WORD_AGAINST
    return acts or at.http_method in {"PUT", "PATCH", "DELETE"} or at.declares("destructive", value=True)


def _does_more(at: Evidence) -> bool:
    """A second verb in the name of a read, or a summary that takes something away or mints a credential."""
    joined = [word for before, word in pairwise(at.words) if before in {"and", "or"}]
    if any(VERBS.get(word) in {Bucket.WRITE, Bucket.DELETE} or word in {"mark", "pop"} for word in joined):
        return True
    mints = not at.says.isdisjoint(words.SAYS_MINT) and at.names(*words.CREDENTIALS)
    return at.names(*words.DOES_MORE) or _takes_away(at) or mints


def _removes(at: Evidence) -> bool:
    return any(VERBS.get(word) is Bucket.DELETE for word in at.words[1:])


def _says_removal(at: Evidence) -> bool:
    return any(VERBS.get(word) is Bucket.DELETE for word in at.says)


def _takes_away(at: Evidence) -> bool:
    return _removes(at) or _says_removal(at)


def _does_it_again(at: Evidence) -> bool:
    again = words.SAYS_AGAIN - {"resend"}  # also the name of a provider of e-mail
    return at.takes(*words.AGAIN_ARGUMENTS) or at.names(*again) or not at.says.isdisjoint(words.SAYS_AGAIN)


def _is_used_up(at: Evidence) -> bool:
    return at.takes(*words.ONE_TIME_ARGUMENTS) or {"secret", "user_id"} <= at.arguments


def _acts(at: Evidence) -> bool:
    known = at.verb in words.ACTS or VERBS.get(at.verb) in {Bucket.WRITE, Bucket.DELETE}
    return known and at.verb not in {"create", "update", "upsert", "delete", "set", "get", "list"}


_RULES: Final = (
    _Rule(
        "declared.conflict",
        _contradicts_itself,
        _CHANGES,
        "what the vendor declares and what the operation looks like contradict each other",
    ),
    _Rule(
        "graphql",
        lambda at: at.is_graphql,
        _CHANGES,
        "the body decides: a query reads, a mutation does whatever the key may do",
    ),
    _Rule(
        "redirect",
        lambda at: at.declares("kind", "redirect"),
        _CHANGES,
        "answers with a redirect that a browser follows: following it may begin something",
    ),
    _Rule(
        "read.doubt",
        lambda at: _is_read(at) and _does_more(at) and not at.declares("read_only", value=True),
        _CHANGES,
        "the verb says read and GET agrees, but its name or summary has a word for something that changes",
    ),
    _Rule(
        "read.fetch",
        lambda at: _is_read(at) and at.takes("url", "endpoint"),
        REMOTE_READ,
        "the verb says read and GET agrees; the server contacts the address that it is given",
    ),
    _Rule("read.get", _is_read, LOCAL_READ, "the verb says read and GET agrees"),
    _Rule(
        "declared.read",
        lambda at: at.declares("read_only", value=True),
        LOCAL_READ,
        "the vendor declares it a read, and nothing speaks against it",
    ),
    _Rule(
        "delete.many",
        lambda at: at.deletes and at.by_query,
        _CHANGES,
        "DELETE on a collection by query: each repeat may remove more",
    ),
    _Rule(
        "delete.all",
        lambda at: at.deletes and at.on_all,
        _OVERWRITES,
        "DELETE of a whole collection; a repeat finds it empty",
    ),
    _Rule("delete.one", lambda at: at.deletes, _OVERWRITES, "DELETE of what the path names; a repeat finds it gone"),
    _Rule(
        "update.step",
        lambda at: at.verb in {"increment", "decrement"},
        _CHANGES,
        "each repeat changes the value again",
    ),
    _Rule(
        "update.many",
        lambda at: at.overwrites and at.by_query,
        _CHANGES,
        "overwrites every member that the queries match",
    ),
    _Rule(
        "upsert.many",
        lambda at: at.verb == "upsert" and at.overwrites and not at.on_one,
        _CHANGES,
        "overwrites or adds many at once; a repeat may change more",
    ),
    _Rule(
        "upsert.one",
        lambda at: at.verb == "upsert" and at.overwrites,
        _CHANGES,
        "overwrites what is there, or adds it; a repeat may change more",
    ),
    _Rule(
        "update.buy",
        lambda at: at.overwrites and at.names("charge", "order", "plan", "purchase", "reward", "transfer"),
        _CHANGES,
        "a step that spends or moves something; a repeat is another step or fails",
    ),
    _Rule(
        "update.once",
        lambda at: at.overwrites and _is_used_up(at),
        _CHANGES,
        "uses up a secret that is good once; a repeat fails",
    ),
    _Rule(
        "update.rotate",
        lambda at: at.overwrites and at.last_word in {"credentials", "password", "secret", "secrets"},
        _CHANGES,
        "replaces a secret; what a repeat does to the new one is not proven",
    ),
    _Rule(
        "update.commit",
        lambda at: at.overwrites and at.takes("commit", "rollback"),
        _CHANGES,
        "carries out or throws away what was staged; a repeat finds nothing to do",
    ),
    _Rule(
        "update.send",
        lambda at: at.overwrites and at.takes("draft"),
        _CHANGES,
        "can turn a draft into something that is sent; a repeat fails",
    ),
    _Rule(
        "update.data",
        lambda at: at.overwrites and at.takes("data"),
        _CHANGES,
        "overwrites what is there; operators in its data make a repeat change more",
    ),
    _Rule(
        "update.trigger",
        lambda at: at.overwrites and bool(at.operation.path) and not at.arguments,
        _CHANGES,
        "sets no value that it is given, so it does something: a repeat may do it again",
    ),
    _Rule(
        "update.again",
        lambda at: at.overwrites and _does_it_again(at),
        _CHANGES,
        "its name, summary or arguments have a word for what each repeat does again",
    ),
    _Rule("update.one", lambda at: at.overwrites, _OVERWRITES, "overwrites what is there; a repeat leaves the same"),
    _Rule(
        "create.run",
        lambda at: (
            at.creates
            and (at.names(*words.RUNS) or at.takes(*words.RUNNING_ARGUMENTS) or not at.says.isdisjoint(words.SAYS_RUN))
        ),
        _CHANGES,
        "starts something that runs, or takes the place of something",
    ),
    _Rule(
        "create.buy",
        lambda at: at.creates and (at.names(*words.BUYS) or at.takes(*words.BUYING_ARGUMENTS)),
        _CHANGES,
        "buys something",
    ),
    _Rule(
        "create.replace",
        lambda at: (
            at.creates and (at.names(*words.REPLACES) or at.takes(*words.REPLACING_ARGUMENTS) or _takes_away(at))
        ),
        _CHANGES,
        "can replace, restore or switch what is there",
    ),
    _Rule(
        "create.in_place",
        lambda at: at.creates and at.on_one,
        _CHANGES,
        "POST to one member of a collection: it may replace what is there",
    ),
    _Rule(
        "create.adds",
        lambda at: at.creates,
        _ADDS,
        "POST that adds something new and leaves the rest as it is",
        says_enough=False,
    ),
    _Rule(
        "acts",
        _acts,
        _CHANGES,
        "the verb says that it does something, and nothing proves that it only adds",
        says_enough=False,
    ),
)


def rule_names() -> tuple[str, ...]:
    """The names of all rules, in the order in which they are tried."""
    return (*(rule.name for rule in _RULES), UNPROVEN)


def effect_of(operation: Operation) -> Effect:
    """What an operation does, by the first rule that matches it.

    Args:
        operation: the evidence.

    Returns:
        The hints, the risks, the rule and the reason. An operation that nothing covers is assumed to be able to
        change anything.
    """
    at = Evidence.of(operation)
    rule = next((rule for rule in _RULES if rule.matches(at)), None) or _unproven(at)
    hints, said = _with_vendor(rule, at)
    return Effect(hints, risks_of(at, hints), rule.name, rule.reason + said)


def _unproven(at: Evidence) -> _Rule:
    reason = f"nothing proves what '{at.verb}' with {at.http_method or 'no HTTP method'} does: assumed able to change"
    return _Rule(UNPROVEN, lambda _at: True, _CHANGES, reason, says_enough=False)


def _with_vendor(rule: _Rule, at: Evidence) -> tuple[Hints, str]:
    """The rule's hints after the vendor's word: it may warn, and promise only where the rule knows too little."""
    hints = rule.hints
    if hints.read_only:
        return hints, ""
    if at.declares("destructive", value=True):
        hints = replace(hints, destructive=True)
    if at.declares("idempotent", value=False):
        hints = replace(hints, idempotent=False)
    if not rule.says_enough:
        removes = VERBS.get(at.verb) is Bucket.DELETE
        if at.declares("destructive", value=False) and at.http_method in {"POST", ""} and not removes:
            hints = replace(hints, destructive=False)
        if at.declares("idempotent", value=True) and at.verb not in words.SAYS_AGAIN:
            hints = replace(hints, idempotent=True)
    return hints, "" if hints == rule.hints else "; the vendor's own word counted too"
