"""Secrets that can be told by their own shape, wherever in a text they stand. Every pattern is linear."""

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["MASK", "Shapes", "shapes_in"]

MASK: Final = "***"

_WHOLE: Final = (
    r"\b(?:standard|account|organization|dynamic|ephemeral)_[0-9a-f]{64,}",  # keys of Appwrite
    r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{8,}",  # JWT
    r"\$(?:argon2(?:id|i|d)|2[aby]|scrypt|pbkdf2[a-z0-9-]*|[156y])\$[^\s\"'<>]{20,}",  # hashes of passwords
    r"-----BEGIN (?:[A-Z]{1,12} ){0,2}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z)",
    r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}",
    r"\bgh[pousr]_[A-Za-z0-9]{30,}",
    r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    r"\bAKIA[0-9A-Z]{16}\b",
    r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"\bAIza[A-Za-z0-9_-]{35}",
)
# The parts of an address that are secret; what is a hole of a template, as in `?token={token}`, is none.
_IN_QUERY: Final = (
    r"(?<=[?&])(?P<code>code)=[A-Za-z0-9._~-]{16,}|"
    r"(?i:(?<=[?&;])(?P<name>(?:client_?)?secret|(?:access_?|refresh_?|id_?|auth_?)?token|jwt|password|api_?key)=)"
    r"(?![{<$\[*])[^&\s\"'<>#\\]+"
)
_IN_LOGIN: Final = r"(?P<login>://[^\s/:@\"'<>]{0,256}:)(?![{<$\[*])[^\s/@\"'<>]{1,256}(?=@)"
_SHAPE_OF_QUERY: Final = re.compile(_IN_QUERY)
_SHAPE_OF_LOGIN: Final = re.compile(_IN_LOGIN)
_WHOLE_SHAPE: Final = re.compile("|".join(_WHOLE))
# Quick to look for in a whole document: without one of these there is no secret of such a shape in it.
_MARKS: Final = (
    "eyJ", "$argon2", "$2", "$scrypt", "$pbkdf2", "$1$", "$5$", "$6$", "$y$", "PRIVATE KEY", "standard_", "account_",
    "organization_", "dynamic_", "ephemeral_", "k_live_", "k_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xox",
    "AKIA", "SG.", "AIza",
)  # fmt: skip
_QUERY_MARK: Final = re.compile(r"(?i)[?&;](?:code|[a-z_]{0,8}(?:secret|token|jwt|password|key))=")
_LOGIN_MARK: Final = re.compile(r"://[^\s/:@\"'<>]{0,256}:")


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes that a document may have in it."""

    patterns: tuple[re.Pattern[str], ...]

    def mask(self, text: str) -> tuple[str, int]:
        """The text with every secret of these shapes masked, and how many there were."""
        total = 0
        for pattern in self.patterns:
            text, count = pattern.subn(_masked, text)
            total += count
        return text, total


def shapes_in(text: str) -> Shapes:
    """The shapes that may be in a text, or in the texts of a document that is given as JSON."""
    patterns = []
    if any(mark in text for mark in _MARKS):
        patterns.append(_WHOLE_SHAPE)
    if _QUERY_MARK.search(text):
        patterns.append(_SHAPE_OF_QUERY)
    if _LOGIN_MARK.search(text):
        patterns.append(_SHAPE_OF_LOGIN)
    return Shapes(tuple(patterns))


def _masked(found: re.Match[str]) -> str:
    groups = found.groupdict()
    if (name := groups.get("name") or groups.get("code")) is not None:
        return f"{name}={MASK}"
    return f"{groups['login']}{MASK}" if groups.get("login") is not None else MASK
