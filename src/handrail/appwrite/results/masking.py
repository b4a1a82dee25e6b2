"""Secrets in answers, masked before anybody sees, keeps or searches them. Pure."""

import json
import re
from dataclasses import dataclass, field
from typing import Final

from handrail.appwrite.results.secret_names import SecretNames, Verdict, secret_names
from handrail.appwrite.results.secret_shapes import MASK, Shapes, shapes_in
from handrail.json_types import Json, JsonObject

__all__ = ["Masked", "mask"]

# An environment variable of Appwrite: a name, a value, and whose it is.
_VARIABLE: Final = (frozenset({"key", "value", "resourceType"}), frozenset({"key", "value", "secret"}))
_CHALLENGE: Final = frozenset({"code", "userId", "expire"})  # a second factor that waits for its code
_FOUND_VARIABLE: Final = frozenset({"name", "value"})  # in a `.env` file, as an item of `variables`
_DIGITS: Final = re.compile(r"(?:otp|pin|pass(?:word|code))$", re.IGNORECASE)  # may be numbers and still be secret


@dataclass(frozen=True, slots=True)
class Masked:
    """A document without its secrets.

    Attributes:
        document: the document; every secret in it is `***`.
        count: how many secrets were masked.
    """

    document: Json
    count: int


def mask(document: Json) -> Masked:
    """The document with its secrets masked: by the names of fields, and by the shape of what stands in a text.

    What is null, empty or a flag is no secret, and stays. Keys, order, numbers and everything else stay as they are.
    """
    masking = _Masking(secret_names(), shapes_in(json.dumps(document, ensure_ascii=False)))
    return Masked(masking.shown(document, ""), masking.count)


@dataclass(slots=True)
class _Masking:
    names: SecretNames
    shapes: Shapes
    count: int = 0
    known: dict[str, Verdict] = field(default_factory=dict)

    def shown(self, value: Json, within: str) -> Json:
        """A value that is no secret itself. `within` is the name of the nearest field around it."""
        match value:
            case str():
                return self._text(value) if self.shapes.patterns else value
            case dict():
                return self._object(value, within)
            case list():
                return [self.shown(item, within) for item in value]
            case _:
                return value

    def _object(self, document: JsonObject, within: str) -> JsonObject:
        hidden = self._hidden_by_company(document, within)
        shown: JsonObject = {}
        for name, value in document.items():
            shown[name] = self._field(name, value, Verdict.SECRET if name == hidden else self._verdict(name))
        return shown

    def _hidden_by_company(self, document: JsonObject, within: str) -> str | None:
        """The field that is secret for what stands beside it: an environment variable, a pair whose name says so."""
        keys = document.keys()
        if "value" in document:
            if any(kind <= keys for kind in _VARIABLE) or (within == "variables" and keys == _FOUND_VARIABLE):
                return "value"
            name = document.get("name", document.get("key"))
            return "value" if isinstance(name, str) and self._verdict(name) is not Verdict.SHOWN else None
        return "code" if keys >= _CHALLENGE else None

    def _field(self, name: str, value: Json, verdict: Verdict) -> Json:
        match verdict:
            case Verdict.SHOWN:
                return self.shown(value, name)
            case Verdict.SECRET:
                return self._hidden(name, value)
            case Verdict.WHOLE:
                hidden = _whole(value)
                self.count += hidden != value
                return hidden

    def _hides_value(self, document: JsonObject, within: str) -> bool:
        """Whether the `value` of an object is secret: an environment variable, or a pair whose name says so."""
        keys = document.keys()
        if any(kind <= keys for kind in _VARIABLE) or (within == "variables" and keys == _FOUND_VARIABLE):
            return True
        name = document.get("name", document.get("key"))
        return isinstance(name, str) and self._verdict(name) is not Verdict.SHOWN

    def _hidden(self, name: str, value: Json) -> Json:
        """What has a secret name. Of objects in it only what is secret by its own name."""
        match value:
            case dict():
                return self._object(value, name)
            case list():
                return [self._hidden(name, item) for item in value]
            case bool() | None | "":
                return value
            case int() | float() if not _DIGITS.search(name):
                return value
            case _:
                self.count += 1
                return MASK

    def _text(self, text: str) -> str:
        masked, count = self.shapes.mask(text)
        self.count += count
        return masked

    def _verdict(self, name: str) -> Verdict:
        verdict = self.known.get(name)
        if verdict is None:
            verdict = self.known[name] = self.names.verdict(name)
        return verdict


def _whole(value: Json) -> Json:
    """Everything in it masked but names and flags."""
    match value:
        case dict():
            return {name: _whole(item) for name, item in value.items()}
        case list():
            return [_whole(item) for item in value]
        case bool() | None | "":
            return value
        case _:
            return MASK
