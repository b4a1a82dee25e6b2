"""Errors of Appwrite explained: what a type means, what to do next, which scope is missing, how long to wait. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from handrail.json_types import JsonObject

__all__ = ["MOST_WAIT_S", "explained", "rate_limit"]

MOST_WAIT_S: Final = 86_400
"""Seconds of a wait that an answer may ask for and be believed."""

_TABLE: Final = Path(__file__).with_name("failures.tsv")
_SCOPES: Final = re.compile(r"missing scopes? \(\[(?P<scopes>[^\])]{1,500})\]")
_SCOPE: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_LONGEST_MESSAGE: Final = 2_000  # characters
_LONGEST_TYPE: Final = 64
_LIMITS: Final = ("limit", "remaining", "reset")


@dataclass(frozen=True, slots=True)
class _Explanation:
    meaning: str
    next_step: str


def explained(kind: str, status: int, message: str, headers: Mapping[str, str]) -> JsonObject:
    """An error of Appwrite's as every face shows it.

    Args:
        kind: Appwrite's error type.
        status: the HTTP status.
        message: Appwrite's words.
        headers: of the answer, names in lower case.

    Returns:
        `{type, code, message, meaning, next}` and, where there is some, `data`: `missing_scopes`, `retry_after_s` (in
        seconds), `rate_limit` (`{limit, remaining, reset}`; `reset` in seconds since 1970).
    """
    found = _explanation(kind, status)
    data: JsonObject = {}
    scopes = _missing_scopes(message)
    next_step = found.next_step
    if scopes:
        data["missing_scopes"] = [*scopes]
        next_step = f"Give the API key the scope {' and '.join(scopes)}, or use another key."
    wait = _seconds(headers.get("retry-after", ""))
    if wait is not None:
        data["retry_after_s"] = wait
        next_step = f"Wait {wait} s, then call again."
    limits = rate_limit(headers)
    if limits is not None:
        data["rate_limit"] = limits
    shown: JsonObject = {
        "type": kind[:_LONGEST_TYPE],
        "code": status,
        "message": _short(message),
        "meaning": found.meaning,
        "next": next_step,
    }
    return {**shown, "data": data} if data else shown


def rate_limit(headers: Mapping[str, str]) -> JsonObject | None:
    """`{limit, remaining, reset}` as far as the answer says them in numbers; None where it says nothing of the kind."""
    said = {name: headers.get(f"x-ratelimit-{name}", "").strip() for name in _LIMITS}
    known: JsonObject = {name: int(value) for name, value in said.items() if _NUMBER.fullmatch(value)}
    return known or None


def _seconds(text: str) -> int | None:
    text = text.strip()
    return min(int(text), MOST_WAIT_S) if _NUMBER.fullmatch(text) else None


def _missing_scopes(message: str) -> tuple[str, ...]:
    found = _SCOPES.search(message)
    return tuple(_SCOPE.findall(found["scopes"])) if found else ()


def _short(message: str) -> str:
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}…"


def _explanation(kind: str, status: int) -> _Explanation:
    table = _table()
    words = kind.split("_")
    endings = (f"*_{'_'.join(words[at:])}" for at in range(1, len(words)))
    own = () if kind.isdigit() or kind == "*" else (kind,)
    return next(table[name] for name in (*own, *endings, str(status), "*") if name in table)


@cache
def _table() -> dict[str, _Explanation]:
    """Explanations by type, by `*_ending`, and by status."""
    table: dict[str, _Explanation] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, meaning, next_step = line.split("\t")
            table[name] = _Explanation(meaning, next_step)
    return table
