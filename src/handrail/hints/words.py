"""The words that the rules look for. All lists but the last take promises away and give none: they may grow freely."""

from typing import Final

__all__ = [
    "ACTS",
    "AGAIN_ARGUMENTS",
    "BUYING_ARGUMENTS",
    "BUYS",
    "CREDENTIALS",
    "DOES_MORE",
    "NO_WORD_AGAINST",
    "ONE_TIME_ARGUMENTS",
    "REPLACES",
    "REPLACING_ARGUMENTS",
    "RUNNING_ARGUMENTS",
    "RUNS",
    "SAYS_AGAIN",
    "SAYS_MINT",
    "SAYS_RUN",
]

# What a "create" of these does to the world or to what is already there: it runs, replaces, restores, buys, switches.
RUNS: Final = (
    "build", "command", "deployment", "evaluation", "execution", "invocation", "job", "run", "schedule", "script",
    "start", "statement", "trigger",
)  # fmt: skip
REPLACES: Final = (
    "activation", "apply", "archive", "cancellation", "cutover", "deactivation", "deletion", "downgrade", "eviction",
    "failover", "import", "invalidation", "merge", "migration", "move", "mutation", "pause", "promotion", "publication",
    "query", "reboot", "rebuild", "reindex", "release", "removal", "rename", "replace", "replacement", "reset",
    "restart", "restoration", "restore", "retry", "revocation", "rollback", "rollout", "rotation", "shutdown", "stop",
    "suspension", "swap", "switch", "switchover", "sync", "takeover", "termination", "transfer", "truncation", "update",
    "upgrade", "upsert",
)  # fmt: skip
BUYS: Final = (
    "addon", "bid", "charge", "checkout", "deposit", "order", "payment", "payout", "plan", "purchase", "refund",
    "renewal", "subscription", "topup", "withdrawal",
)  # fmt: skip
RUNNING_ARGUMENTS: Final = ("command", "script", "sql", "statement")
REPLACING_ARGUMENTS: Final = ("activate", "force", "on_duplicate", "overwrite", "replace", "upsert")
BUYING_ARGUMENTS: Final = ("billing_plan", "payment_method_id", "specification")
AGAIN_ARGUMENTS: Final = (
    "append", "decrement", "delta", "extend", "increment", "prepend", "regenerate", "resend", "retry", "rotate",
    "toggle",
)  # fmt: skip
ONE_TIME_ARGUMENTS: Final = ("challenge_id", "code", "credential", "old_password", "otp", "user_code")
SAYS_RUN: Final = frozenset({"charge", "execute", "overwrite", "promote", "purchase", "replace", "restore", "run"})
SAYS_AGAIN: Final = frozenset({
    "append", "decrement", "extend", "increment", "refresh", "regenerate", "renew", "resend", "retry", "rotate",
    "toggle",
})  # fmt: skip
# In the name of a GET that calls itself a get or a list: it does something beside reading.
DOES_MORE: Final = (
    "accept", "activate", "approve", "confirm", "consume", "deactivate", "logout", "reject", "signout", "unsubscribe",
    "verify",
)  # fmt: skip
SAYS_MINT: Final = frozenset({"create", "generate", "issue", "mint"})
CREDENTIALS: Final = ("code", "jwt", "key", "password", "secret", "session", "token")
ACTS: Final = frozenset({"confirm", "logout", "promote", "reject", "retry", "validate", "verify"})
# Verbs that a server without names of its own makes from the HTTP method say nothing against a vendor's word.
NO_WORD_AGAINST: Final = frozenset({"post", "generate", "submit"})
