"""What of a call may be written down: no secret, nothing large, nothing that a reader could trip over."""

import hashlib
import json
import math
from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import quote

from handrail.journal.model import Entry
from handrail.json_types import Json, JsonObject
from handrail.runs.record import masked

__all__ = ["Masking"]

_MASK: Final = "***"
_SHORTEST_SECRET: Final = 8  # characters; to mask a shorter one would mask ordinary words
_VALUE_BYTES: Final = 4096
_WHOLE_BYTES: Final = 32 * 1024  # of all arguments of a call
_WORDS: Final = 512  # characters of a name
_LINE: Final = 2000  # characters of a request line
_LISTED: Final = 64  # hints and risks of a call
_DEEPEST: Final = 32
_NUMBER_BITS: Final = 1024


class Masking:
    """Turns entries into what is kept of them.

    Args:
        secrets: values that must appear nowhere, such as API keys; those of fewer than eight characters are left.
    """

    def __init__(self, secrets: Collection[str]) -> None:
        whole = {one for one in secrets if len(one) >= _SHORTEST_SECRET}
        self._secrets = sorted(whole | {quote(one, safe="") for one in whole}, key=len, reverse=True)

    def kept(self, entry: Entry) -> JsonObject:
        """Everything of an entry but its owner. Safe to be written, sent and shown as JSON, and bounded in size."""
        return {
            "client": self.words(entry.client),
            "surface": self.words(entry.surface),
            "tool": self.words(entry.tool),
            "project": self.words(entry.project),
            "request": self.words(entry.request_line, _LINE),
            "arguments": self.arguments(entry.arguments, secret=entry.secret, plain=entry.plain),
            "hints": {self.words(name): value is True for name, value in list(entry.hints.items())[:_LISTED]},
            "risks": [self.words(risk) for risk in sorted(entry.risks)[:_LISTED]],
            "rule": self.words(entry.rule),
            "level": self.words(entry.level),
            "by": self.words(entry.by),
        }

    def words(self, text: str, limit: int = _WORDS) -> str:
        """A short text; what is longer ends in an ellipsis."""
        shown = self._text(text)
        return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"

    def arguments(
        self, arguments: Mapping[str, object], *, secret: Collection[str] = (), plain: Collection[str] = ()
    ) -> Json:
        """Arguments with their secrets masked and their large values as `{"sha256", "size"}`.

        A digest is of the value as it stands here, so with its secrets masked: nobody can find one by trying. `size`
        is in bytes.
        """
        kept: JsonObject = {}
        for name, value in arguments.items():
            hidden = name in secret or (name not in plain and _sounds_secret(str(name)))
            kept[self.words(str(name))] = _hidden(value) if hidden else self._value(value, 1)
        return _small(kept, _WHOLE_BYTES)

    def _value(self, value: object, depth: int) -> Json:
        match value:
            case Mapping() | list() | tuple() if depth >= _DEEPEST:
                return {"cut": f"nested deeper than {_DEEPEST} levels"}
            case Mapping():
                return _small({self.words(str(name)): self._named(str(name), value[name], depth) for name in value})
            case list() | tuple():
                return _small([self._value(item, depth + 1) for item in value])
            case _:
                return self._single(value)

    def _named(self, name: str, value: object, depth: int) -> Json:
        return _hidden(value) if _sounds_secret(name) else self._value(value, depth + 1)

    def _single(self, value: object) -> Json:
        match value:
            case None | bool():
                return value
            case str():
                return self._long_text(value)
            case int():
                return value if value.bit_length() <= _NUMBER_BITS else self._long_text(hex(value))
            case float():
                return value if math.isfinite(value) else str(value)
            case _:
                return {"cut": f"no JSON: {type(value).__name__}"}

    def _long_text(self, text: str) -> Json:
        shown = self._json_text(text) if text.lstrip()[:1] in {"{", "["} else self._text(text)
        content = shown.encode()
        return shown if len(content) <= _VALUE_BYTES else _digest(content)

    def _json_text(self, text: str) -> str:
        """A text that is a JSON document itself may name its secrets too."""
        try:
            document = json.loads(text)
            shown = masked(document)
        except (ValueError, RecursionError):
            return self._text(text)
        return self._text(text if shown == document else json.dumps(shown, ensure_ascii=False))

    def _text(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _MASK)
        # A surrogate without its other half is no text: no database and no client takes it.
        return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _sounds_secret(name: str) -> bool:
    """As the records of runs judge it."""
    return masked({name: "-"}) != {name: "-"}


def _hidden(value: object) -> Json:
    """What stands for a secret; that there is none may be seen."""
    return None if value is None else "" if value == "" else _MASK


def _small(document: JsonObject | list[Json], limit: int = _VALUE_BYTES) -> Json:
    content = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    return document if len(content) <= limit else _digest(content)


def _digest(content: bytes) -> JsonObject:
    return {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
