"""Which names of fields stand for secrets: a reviewed table first, then the words of the name."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["SecretNames", "Verdict", "secret_names"]

_TABLE: Final = Path(__file__).with_name("secret_names.tsv")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_LONGEST: Final = 128  # characters; a name that is longer is a text

# The last word says what a thing is: `accessToken` is a token, `tokenCount` is a count.
_LAST: Final = frozenset({
    "accesskey", "accesstoken", "apikey", "authkey", "authtoken", "authorization", "bearer", "connectionstring",
    "cookie", "credential", "credentials", "cvc", "cvv", "dsn", "jwt", "otp", "passcode", "passphrase", "passwd",
    "password", "passwords", "privatekey", "pwd", "refreshtoken", "salt", "secret", "secretkey", "secrets", "token",
    "tokens",
})  # fmt: skip
_LAST_TWO: Final = frozenset({
    "access:key", "account:key", "admin:key", "api:key", "api:keys", "appwrite:key", "appwrite:session", "auth:code",
    "auth:key", "backup:code", "backup:codes", "connection:string", "connection:uri", "database:url",
    "encryption:key", "http:pass", "license:key", "master:key", "mongo:uri", "otp:code", "password:hash",
    "password:salt", "password:plain", "plain:text:password", "private:key", "recovery:code", "recovery:codes",
    "redis:url", "secret:hash", "secret:key", "secret:plaintext", "secret:value", "server:key", "service:key",
    "session:key", "shared:key", "signature:key", "signer:key", "signing:key", "smtp:pass", "ssh:key", "token:hash",
    "token:value", "verification:code",
})  # fmt: skip
_POSITIONS: Final = frozenset({"continuation", "cursor", "next", "page", "prev", "previous", "resume", "start", "sync"})


class Verdict(StrEnum):
    """What is to be done with a field of that name."""

    SECRET = "secret"  # noqa: S105  (a verdict)
    WHOLE = "whole"
    SHOWN = "shown"


@dataclass(frozen=True, slots=True)
class SecretNames:
    """Judges names of fields.

    Attributes:
        table: verdicts by name, in lower case without separators.
    """

    table: dict[str, Verdict]

    def verdict(self, name: str) -> Verdict:
        """What is to be done with a field of that name."""
        if len(name) > _LONGEST:
            return Verdict.SHOWN
        words = [word.lower() for word in _WORD.findall(name)]
        known = self.table.get("".join(words))
        return known or (Verdict.SECRET if _sounds_secret(words) else Verdict.SHOWN)

    def is_secret(self, name: str) -> bool:
        """Whether what has that name is not to be shown."""
        return self.verdict(name) is not Verdict.SHOWN


def _sounds_secret(words: list[str]) -> bool:
    if not words:
        return False
    if words[-1] in {"token", "tokens"} and words[-2:-1] and words[-2] in _POSITIONS:
        return False
    return words[-1] in _LAST or ":".join(words[-2:]) in _LAST_TWO


@cache
def secret_names() -> SecretNames:
    """The table of this package."""
    table: dict[str, Verdict] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, verdict, _where, _why = line.split("\t")
            table[name] = Verdict(verdict)
    return SecretNames(table)
