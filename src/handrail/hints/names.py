"""The name-only helper: what a tool's name suggests, for hosts and servers that have nothing but names.

What Handrail itself says about an SDK method comes from evidence (`handrail.hints.effects`), which is stricter: an
update that overwrites is destructive there, while a name can only say that it writes.
"""

import re
from typing import Final, Literal

from mcp_types import ToolAnnotations

from handrail.hints.verbs import VERBS, Bucket

__all__ = [
    "Classification",
    "annotations_for_classification",
    "annotations_for_gateway",
    "classify_tool_name",
    "name_words",
]

Classification = Literal["read", "write", "delete", "unknown"]

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HINTS: Final[dict[str, tuple[bool, bool, bool, bool]]] = {
    Bucket.READ: (True, False, True, True),
    Bucket.WRITE: (False, False, False, True),
    Bucket.DELETE: (False, True, True, True),
    Bucket.UNKNOWN: (False, False, False, True),
}


def name_words(name: str) -> list[str]:
    """The words of a tool name in lower case; snake_case, kebab-case, dots and camelCase are all split."""
    return [word.lower() for word in _WORD.findall(name)]


def classify_tool_name(name: str) -> Classification:
    """What a tool's name suggests that it does.

    The first verb counts, wherever it stands, in any case: `tables_db_list_rows` is a read.

    Args:
        name: the tool's name, in any common spelling.

    Returns:
        `"read"`, `"write"`, `"delete"`, or `"unknown"` where no word is a known verb.
    """
    for word in name_words(name):
        bucket = VERBS.get(word)
        if bucket is not None:
            return bucket.value
    return Bucket.UNKNOWN.value


def annotations_for_classification(bucket: str) -> ToolAnnotations:
    """All four hints for a bucket of `classify_tool_name`, in a fresh object.

    Args:
        bucket: a classification; whatever is not recognised counts as `"unknown"`.
    """
    read_only, destructive, idempotent, open_world = _HINTS.get(bucket, _HINTS[Bucket.UNKNOWN])
    return ToolAnnotations(
        read_only_hint=read_only,
        destructive_hint=destructive,
        idempotent_hint=idempotent,
        open_world_hint=open_world,
    )


def annotations_for_gateway() -> ToolAnnotations:
    """Hints for a dispatcher whose target is chosen at call time, in a fresh object.

    `destructiveHint` and `title` stay unset: it can promise neither, and a conforming client reads an unset
    destructive hint as true.
    """
    return ToolAnnotations(read_only_hint=False, idempotent_hint=False, open_world_hint=True)
