"""The one table of verbs. Everything that reads a verb from a tool's name reads it from here."""

from enum import StrEnum
from typing import Final

__all__ = ["VERBS", "Bucket"]


class Bucket(StrEnum):
    """What a name alone suggests."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    UNKNOWN = "unknown"


_READ: Final = (
    "browse", "check", "compare", "count", "describe", "download", "exists", "explain", "export", "fetch", "find",
    "get", "inspect", "list", "lookup", "peek", "preview", "query", "read", "retrieve", "scan", "search", "show",
    "stat", "status", "summarize", "view",
)  # fmt: skip
_WRITE: Final = (
    "activate", "add", "append", "apply", "approve", "archive", "assign", "cancel", "change", "clone", "commit",
    "configure", "copy", "create", "deploy", "decrement", "disable", "duplicate", "edit", "enable", "execute",
    "generate", "grant", "import", "increment", "insert", "invite", "merge", "modify", "move", "patch", "post",
    "publish", "push", "put", "register", "rename", "replace", "reset", "restore", "rotate", "run", "save",
    "schedule", "send", "set", "start", "stop", "submit", "subscribe", "sync", "transfer", "trigger", "update",
    "upload", "upsert", "write",
)  # fmt: skip
_DELETE: Final = (
    "clear", "delete", "destroy", "discard", "drop", "erase", "flush", "kill", "prune", "purge", "remove", "revoke",
    "terminate", "truncate", "uninstall", "wipe",
)  # fmt: skip

VERBS: Final[dict[str, Bucket]] = {
    **dict.fromkeys(_READ, Bucket.READ),
    **dict.fromkeys(_WRITE, Bucket.WRITE),
    **dict.fromkeys(_DELETE, Bucket.DELETE),
}
