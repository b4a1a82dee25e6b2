"""Which risks an operation has, beside its hints: small rules, each on its own; all that match count.

A tag warns and promises nothing, so a word or an argument is enough for one. The words are those of any API.
"""

from dataclasses import dataclass
from typing import Final

from handrail.hints.effects import Hints, Risk
from handrail.hints.evidence import Evidence

__all__ = ["ACCESS_ARGUMENTS", "risks_of"]

_WRITES: Final = frozenset({"create", "delete", "set", "update", "upsert"})
_SETS: Final = frozenset({"set", "update", "upsert"})
_MAKES: Final = frozenset({"create", "set", "update", "upsert"})
_CREATES: Final = frozenset({"create"})
_DELETES: Final = frozenset({"delete"})
_MAKES_OR_DELETES: Final = frozenset({"create", "delete"})


@dataclass(frozen=True, slots=True)
class _RiskRule:
    """A risk of everything with one of the verbs that has one of the rest.

    Attributes:
        risk: the tag.
        verbs: which verbs; none means any.
        words: in the name.
        arguments: beside those of the path.
        targets: what the path ends in.
        segments: fixed parts of the path.
        within: fixed parts of the path of which one must be there as well; none means anywhere.
        unless: words of the name or fixed parts of the path that speak for something else.
    """

    risk: Risk
    verbs: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()

    def matches(self, at: Evidence) -> bool:
        if (self.verbs and at.verb not in self.verbs) or at.names(*self.unless) or at.passes(*self.unless):
            return False
        if self.within and not at.passes(*self.within):
            return False
        if at.target in self.targets or at.passes(*self.segments):
            return True
        return at.names(*self.words) or at.takes(*self.arguments)


# What comes back by itself, or by the same call again: it holds nothing of its own.
_COMES_BACK: Final = frozenset({"index", "membership", "session", "sessions", "subscriber"})
_LIVE: Final = (
    "app", "branch", "bucket", "collection", "database", "deployment", "domain", "environment", "extension",
    "function", "organization", "project", "provider", "record", "site", "table",
)  # fmt: skip

ACCESS_ARGUMENTS: Final = (
    "execute", "network_ip_allowlist", "permissions", "redirect_uris", "roles", "scopes", "subscribe",
)  # fmt: skip
"""Arguments that say who may get in. A method that takes one has the risk; a call without it does not use it."""

_ACCESS: Final = (
    _RiskRule(
        Risk.ACCESS,
        _WRITES,
        words=(
            "auth", "authenticator", "consent", "credentials", "identity", "impersonator", "installation",
            "jwt", "key", "membership", "mfa", "oauth", "password", "platform", "policy", "recovery", "session",
            "sessions", "team", "token", "tokens", "user",
        ),
        unless=("backup", "backups"),
    ),
    _RiskRule(Risk.ACCESS, words=("approve", "authorize", "grant", "logout", "reject", "revoke")),
    _RiskRule(Risk.ACCESS, _SETS, words=("email", "labels", "phone", "status"), within=("account", "users")),
    _RiskRule(Risk.ACCESS, _SETS, words=("verification",), targets=("token",)),
    _RiskRule(Risk.ACCESS, _MAKES_OR_DELETES, words=("passkey", "secret"), targets=("account", "user", "users")),
    _RiskRule(Risk.ACCESS, _DELETES, targets=("app", "organization", "project", "team", "token")),
    _RiskRule(Risk.ACCESS, _WRITES, segments=("firewall", "waf")),
    _RiskRule(
        Risk.ACCESS,
        _SETS,
        arguments=ACCESS_ARGUMENTS,
    ),
)  # fmt: skip
_MONEY: Final = (
    _RiskRule(
        Risk.MONEY,
        words=(
            "addon", "billing", "budget", "charge", "credit", "invoice", "order", "payment", "payout", "plan",
            "purchase", "refund", "renewal", "reward", "sms", "subscription",
        ),
        unless=("feedback",),
    ),
    _RiskRule(Risk.MONEY, _CREATES, words=("transfer",)),
    _RiskRule(Risk.MONEY, _WRITES, arguments=("billing_plan", "payment_method_id", "specification")),
)  # fmt: skip
_DOWNTIME: Final = (
    _RiskRule(Risk.DOWNTIME, words=("cutover", "failover", "restoration", "switchover", "upgrade")),
    _RiskRule(Risk.DOWNTIME, _SETS, words=("credentials", "maintenance", "nameservers", "pooler", "record", "zone")),
    _RiskRule(Risk.DOWNTIME, _MAKES, words=("deployment",), unless=("status",)),
    _RiskRule(Risk.DOWNTIME, _CREATES, targets=("migrations",)),
    _RiskRule(Risk.DOWNTIME, _SETS, arguments=("enabled", "specification"), unless=("auth", "oauth", "policy")),
    _RiskRule(Risk.DOWNTIME, _MAKES, segments=("firewall", "waf"), unless=("bypass",)),
    _RiskRule(Risk.DOWNTIME, _DELETES, targets=_LIVE),
)
_REST: Final = (
    _RiskRule(Risk.CODE, _MAKES, words=("build", "command", "deployment", "execution", "script"), unless=("status",)),
    _RiskRule(Risk.CODE, _MAKES, words=("deployments",)),
    _RiskRule(Risk.CODE, arguments=("command", "script", "sql", "statement")),
    _RiskRule(Risk.CODE, _SETS, arguments=("build_command", "commands")),
    _RiskRule(Risk.PEOPLE, _MAKES, words=("invitation", "sms"), arguments=("draft", "invites")),
    _RiskRule(
        Risk.PEOPLE,
        _CREATES,
        words=("membership", "newsletter", "notification", "recovery", "verification"),
        unless=("codes", "program"),
    ),
    _RiskRule(Risk.EXTERNAL, words=("nameservers", "purchase", "transfer", "vcs")),
    _RiskRule(Risk.EXTERNAL, _MAKES, words=("oauth",), unless=("server",)),
    _RiskRule(Risk.EXTERNAL, _MAKES, targets=("webhook", "webhooks"), segments=("vcs",)),
    _RiskRule(Risk.EXTERNAL, _SETS, words=("storage",)),
    _RiskRule(Risk.IRREVERSIBLE, words=("cutover", "failover", "import", "promote", "restoration", "upgrade")),
    _RiskRule(Risk.IRREVERSIBLE, _SETS, words=("codes", "credentials", "purchase", "reward", "secret", "transfer")),
    _RiskRule(Risk.IRREVERSIBLE, arguments=("sql",)),
    _RiskRule(Risk.BULK, words=("import", "invalidation"), arguments=("sql",), unless=("policy",)),
)
_RULES: Final = (*_ACCESS, *_MONEY, *_DOWNTIME, *_REST)


def risks_of(at: Evidence, hints: Hints) -> frozenset[Risk]:
    """The risks of an operation whose hints are known.

    Args:
        at: the evidence.
        hints: what was decided from it.
    """
    found = {Risk.SECRET} if at.declares("secret_answer", value=True) else set()
    if hints.read_only:
        return frozenset(found | ({Risk.EXTERNAL} if hints.open_world else set()))
    return frozenset(found | {rule.risk for rule in _RULES if rule.matches(at)} | _of_shape(at))


def _of_shape(at: Evidence) -> set[Risk]:
    """What the shape of the operation says, whatever its words are."""
    if at.deletes:
        many = at.on_all or at.by_query
        risks = {Risk.BULK} if many else set()
        return risks if at.last_word in _COMES_BACK else risks | {Risk.IRREVERSIBLE}
    if at.overwrites:
        if at.takes("commit", "rollback"):
            return {Risk.BULK, Risk.IRREVERSIBLE}
        if at.by_query or (at.verb == "upsert" and not at.on_one):
            return {Risk.BULK}
    if at.is_graphql:
        return set(Risk) - {Risk.MONEY, Risk.EXTERNAL}
    return set()
