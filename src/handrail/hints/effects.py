"""What an operation does, decided by evidence, with the rule that decided and a reason in plain words.

    evidence (an `Operation`) -> the first rule that matches -> an `Effect`

Pure: no I/O, and no knowledge of any vendor.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from mcp_types import ToolAnnotations

__all__ = ["LOCAL_READ", "REMOTE_READ", "Effect", "Hints", "Operation", "Risk"]

_NOTHING: Mapping[str, object] = MappingProxyType({})


class Risk(StrEnum):
    """What four hints cannot say. Shown in `_meta`, in search results and in previews."""

    IRREVERSIBLE = "irreversible"
    MONEY = "money"
    SECRET = "secret"  # noqa: S105  (the name of a tag, not a secret)
    BULK = "bulk"
    CODE = "code"
    PEOPLE = "people"
    ACCESS = "access"
    DOWNTIME = "downtime"
    EXTERNAL = "external"

    @property
    def meaning(self) -> str:
        """What the tag says, in plain words."""
        return _MEANINGS[self]


_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        Risk.IRREVERSIBLE: "what is gone or done cannot be brought back by another call",
        Risk.MONEY: "it costs money, or changes what does",
        Risk.SECRET: "its answer holds the value of a secret, minted or kept",
        Risk.BULK: "it touches many things at once",
        Risk.CODE: "it runs code or SQL, or makes it run",
        Risk.PEOPLE: "it sends a message to somebody",
        Risk.ACCESS: "it changes who may get in: roles, keys, ownership, sign-in, blocking",
        Risk.DOWNTIME: "it can take something offline, or switches live state",
        Risk.EXTERNAL: "the backend contacts third parties for it",
    }
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of any API, as far as its effect can be judged from it.

    Attributes:
        name: its name with the verb in it, without a service prefix: `create_row`.
        http_method: in upper case, or an empty string where there is none.
        path: the path template: `/tablesdb/{databaseId}/tables/{tableId}/rows`.
        summary: its first sentence.
        parameters: the names of its arguments.
        declared: what is stated about it beside its shape; counts as evidence, and other keys count for nothing:

            `read_only`, `destructive`, `idempotent`: booleans of the vendor (an OpenAPI extension, a trait).
            `kind`: `graphql` or `redirect`, where the operation is one.
            `secret_answer`: true where a successful answer holds the value of a secret.
    """

    name: str
    http_method: str = ""
    path: str = ""
    summary: str = ""
    parameters: tuple[str, ...] = ()
    declared: Mapping[str, object] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class Hints:
    """The four hints of MCP, all explicit."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool

    def annotations(self, title: str | None = None) -> ToolAnnotations:
        """The hints as MCP's `ToolAnnotations`, in a fresh object."""
        return ToolAnnotations(
            title=title,
            read_only_hint=self.read_only,
            destructive_hint=self.destructive,
            idempotent_hint=self.idempotent,
            open_world_hint=self.open_world,
        )

    def as_dict(self) -> dict[str, bool]:
        """The hints by their names on the wire."""
        return {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }


LOCAL_READ: Final = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)
"""Changes nothing and asks nobody outside."""

REMOTE_READ: Final = Hints(read_only=True, destructive=False, idempotent=True, open_world=True)
"""Changes nothing, and asks somebody outside to answer."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What an operation does.

    Attributes:
        hints: the four hints.
        risks: what the hints cannot say.
        rule: the name of the rule or override that decided.
        reason: why, in one plain line.
    """

    hints: Hints
    risks: frozenset[Risk]
    rule: str
    reason: str

    @property
    def is_read(self) -> bool:
        """Whether the operation is proven to change nothing."""
        return self.hints.read_only
