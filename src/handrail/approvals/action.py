"""What is about to be done, as it is approved: one digest for one deed. Pure."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from handrail.approvals.errors import ActionError
from handrail.hints import Effect, Risk
from handrail.json_types import Json, JsonObject

__all__ = ["DELETE", "GRAVE_RISKS", "OTHER_PROJECT", "REASONS", "REVEAL", "Action", "Mode", "canonical", "grave_of"]

DELETE: Final = "delete"
OTHER_PROJECT: Final = "other_project"
REVEAL: Final = "reveal"
GRAVE_RISKS: Final = frozenset({Risk.BULK, Risk.MONEY, Risk.IRREVERSIBLE, Risk.ACCESS, Risk.CODE, Risk.DOWNTIME})
REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{risk.value: risk.meaning for risk in Risk},
        DELETE: "it deletes",
        OTHER_PROJECT: "it goes to a project that is not the default one",
        REVEAL: "it shows secrets that are masked otherwise",
    }
)
"""What makes a call grave or risky, and what that means."""

_DEEPEST: Final = 100
_INTEGERS: Final = range(-(2**63), 2**64)  # what a backend can hold; beyond it readers differ in what they read


class Mode(StrEnum):
    """The switch `--writes`.

    Attributes:
        OFF: every write is refused.
        ASK: every write needs a client's or a person's word.
        CONFIRM: plain writes need the model's `confirm_write: true`, grave calls a client's or a person's word.
        ALLOW: nothing is asked. For scripts.
    """

    OFF = "off"
    ASK = "ask"
    CONFIRM = "confirm"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One call, as it is judged and approved.

    Attributes:
        tool: the method's tool name.
        service: the service it belongs to, which rules may name.
        arguments: all of them, as they would be sent.
        project: where it goes.
        endpoint: whose project that is: another backend may have one of the same id.
        owner: who calls.
        effect: what it does.
        grave: why it is grave (`grave_of`); empty where it is not.
        summary: what it does, in one line for people.
    """

    tool: str
    service: str
    arguments: JsonObject
    project: str
    owner: str
    effect: Effect
    grave: frozenset[str]
    summary: str
    endpoint: str = ""

    @property
    def is_write(self) -> bool:
        """Whether it is not proven to change nothing."""
        return not self.effect.is_read

    @property
    def digest(self) -> str:
        """What an approval is bound to: SHA-256 (hex) of what is done, where, by whom, and why it is grave.

        The order of keys does not matter; 1, 1.0 and true are three things.

        Raises:
            ActionError: an argument cannot be said in one way only.
        """
        bound: JsonObject = {
            "tool": self.tool,
            "arguments": self.arguments,
            "project": self.project,
            "endpoint": self.endpoint,
            "owner": self.owner,
            "grave": [*sorted(self.grave)],
        }
        return hashlib.sha256(canonical(bound)).hexdigest()


def grave_of(
    effect: Effect, *, deletes: bool = False, other_project: bool = False, reveal: bool = False
) -> frozenset[str]:
    """Why a call is grave; empty where it is not.

    Args:
        effect: what it does.
        deletes: its verb is delete, or its HTTP method is DELETE.
        other_project: it goes to a project that is not the default one; counts for writes.
        reveal: it asks for secrets in the open; counts for reads as well.
    """
    found = {REVEAL} if reveal else set()
    if not effect.is_read:
        found |= {risk.value for risk in effect.risks & GRAVE_RISKS}
        found |= {DELETE} if deletes else set()
        found |= {OTHER_PROJECT} if other_project else set()
    return frozenset(found)


def canonical(document: Json) -> bytes:
    """JSON that says one document in one way: keys in order, no blanks, each number in the type that it has.

    Raises:
        ActionError: it holds what has no one such form: half a surrogate pair, NaN, a number beyond 64 bits, too many
            levels.
    """
    _check(document, 0)
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ActionError("An argument holds a character that is none.", problem="text") from error


def _check(value: object, depth: int) -> None:
    if depth > _DEEPEST:
        raise ActionError("The arguments are nested too deeply.", problem="depth")
    if isinstance(value, dict):
        for name, item in value.items():
            if not isinstance(name, str):
                raise ActionError("An argument has a key that is no text.", problem="type")
            _check(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check(item, depth + 1)
    else:
        _check_scalar(value)


def _check_scalar(value: object) -> None:
    if value is None or isinstance(value, bool | str):
        return
    if isinstance(value, int):
        if value not in _INTEGERS:
            raise ActionError("An argument holds an integer of more than 64 bits.", problem="integer")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ActionError("An argument holds a number that is none.", problem="number")
    else:
        raise ActionError("An argument is of no type that JSON has.", problem="type")
