"""Secrets in answers, masked before anybody sees, keeps or searches them. Pure."""

import json
import re
from dataclasses import dataclass, field
from typing import Final

from handrail.appwrite.json_document import json_document
from handrail.appwrite.results.secret_names import SecretNames, Verdict, secret_names
from handrail.appwrite.results.secret_shapes import MASK, Shapes, shapes_in
from handrail.json_types import Json, JsonObject

__all__ = ["Masked", "mask"]

# An environment variable of Appwrite: a name, a value, and whose it is.
_VARIABLE: Final = (frozenset({"key", "value", "resourceType"}), frozenset({"key", "value", "secret"}))
_CHALLENGE: Final = frozenset({"code", "userId", "expire"})  # a second factor that waits for its code
_VARIABLES: Final = frozenset({"variables", "vars"})  # lists of them, whichever of their fields were asked for
_OF_TEMPLATE: Final = frozenset({"placeholder", "required"})  # has a variable whose value is an example for everybody
_OPENS: Final = frozenset("{[")
_CLOSES: Final = frozenset("}]")
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


def mask(document: Json, hidden: frozenset[str] = frozenset()) -> Masked:
    """The document with its secrets masked: by the names of fields, and by the shape of what stands in a text.

    What is null, empty or a flag is no secret, and stays. Keys, order, numbers and everything else stay as they are.

    Args:
        document: the document.
        hidden: names that stand for secrets in this document only.
    """
    masking = _Masking(secret_names(), shapes_in(json.dumps(document, ensure_ascii=False)), hidden)
    return Masked(masking.shown(document, ""), masking.count)


@dataclass(slots=True)
class _Masking:
    names: SecretNames
    shapes: Shapes
    hidden: frozenset[str]
    count: int = 0
    inside: bool = False  # a text that is JSON; one in one is not opened, so that nothing can nest without end
    known: dict[str, Verdict] = field(default_factory=dict)

    def shown(self, value: Json, within: str) -> Json:
        """A value that is no secret itself. `within` is the name of the nearest field around it."""
        match value:
            case str():
                return self._text(value)
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
            if any(kind <= keys for kind in _VARIABLE) or (within in _VARIABLES and not keys & _OF_TEMPLATE):
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
        if not self.inside and text[:1] in _OPENS and text[-1:] in _CLOSES:
            inner = self._json_text(text)
            if inner is not None:
                return inner
        masked, count = self.shapes.mask(text)
        self.count += count
        return masked

    def _json_text(self, text: str) -> str | None:
        """A text that is a JSON document itself names its secrets too. None where it is none, or holds none."""
        try:
            document = json_document(text.encode())
        except ValueError:
            return None
        before, self.inside = self.count, True
        masked = self.shown(document, "")
        self.inside = False
        return json.dumps(masked, ensure_ascii=False, separators=(",", ":")) if self.count > before else None

    def _verdict(self, name: str) -> Verdict:
        verdict = self.known.get(name)
        if verdict is None:
            verdict = Verdict.SECRET if name in self.hidden else self.names.verdict(name)
            self.known[name] = verdict
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
