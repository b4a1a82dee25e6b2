"""Asking the one who calls: what is shown, and what counts as a yes."""

import json
import unicodedata
from collections.abc import Iterable
from typing import Final, Protocol

from handrail.approvals.action import REASONS, Action
from handrail.json_types import JsonMapping, JsonObject

__all__ = ["ASK_KEY", "ASK_SCHEMA", "Answer", "Asker", "agrees", "question", "reasons", "shown"]

ASK_KEY: Final = "approval"
"""What the question is called on the wire."""
_FIELD: Final = "approve"
ASK_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {
        _FIELD: {
            "type": "boolean",
            "title": "Do it",
            "description": "Whether this call may be made, this once.",
            "default": False,
        }
    },
    "required": [_FIELD],
}
_ARGUMENTS_SHOWN: Final = 1_500
_LINE_SHOWN: Final = 300
# Beside what Unicode calls control, format, half a pair, private, line end: blanks that look like nothing.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")


class Answer(Protocol):
    """What came back to a question."""

    @property
    def action(self) -> str:
        """`accept`, `decline` or `cancel`."""

    @property
    def content(self) -> JsonMapping:
        """What was filled in."""

    @property
    def by_person(self) -> bool:
        """Whether this process itself saw a person answer; else it is the client's word that one did."""


class Asker(Protocol):
    """The call at hand, as far as it can be asked something."""

    @property
    def request_state(self) -> str | None:
        """What a question of an earlier round left with the client, and it sent back; None in a first round."""

    async def elicit(self, key: str, message: str, schema: JsonObject, *, state: str, seconds: float) -> Answer | None:
        """Ask; None where the client cannot. May end the call with a question instead of returning."""


def agrees(answer: Answer) -> bool:
    """Whether an answer is a yes: accepted, and the one field exactly true. Whatever else it holds is not looked at."""
    return answer.action == "accept" and answer.content.get(_FIELD) is True


def question(action: Action, why: Iterable[str]) -> str:
    """What a person is asked, so that nothing in it can pass for a line of ours."""
    arguments = shown(json.dumps(action.arguments, ensure_ascii=False, sort_keys=True))
    if len(arguments) > _ARGUMENTS_SHOWN:
        arguments = f"{arguments[:_ARGUMENTS_SHOWN]}... ({len(arguments)} characters in all)"
    lines = [
        f"May {shown(action.tool)} be called, this once?",
        f"What it does: {shown(action.summary)[:_LINE_SHOWN]}",
        f"Project: {shown(action.project)[:_LINE_SHOWN]}",
        f"Arguments: {arguments}",
        *(f"Mind: {shown(reason)}" for reason in why),
    ]
    return "\n".join(lines)


def shown(text: str) -> str:
    """A text on one line, in which each control, invisible and direction-changing character is its own escape."""
    return "".join(_escape(char) if _is_hidden(char) else char for char in text)


def _is_hidden(char: str) -> bool:
    return char in _BLANK or unicodedata.category(char) in _HIDDEN


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii") if not char.isascii() or not char.isprintable() else char


def reasons(action: Action) -> tuple[str, ...]:
    """Why an action is grave, in plain words."""
    return tuple(REASONS.get(reason, reason) for reason in sorted(action.grave))
