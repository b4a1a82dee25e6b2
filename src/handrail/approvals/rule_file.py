"""Reads `policy.toml`, strictly: a file that says something else than its writer meant is worse than none."""

import os
import re
import stat
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from handrail.approvals.errors import PolicyError
from handrail.approvals.rules import Pattern, Policy, Rule
from handrail.arguments import nearest

__all__ = ["POLICY_FILE", "load_policy", "read_policy"]

POLICY_FILE: Final = "policy.toml"
_MOST_BYTES: Final = 256 * 1024
_HEADER: Final = re.compile(r"^\s*\[\[\s*rule\s*\]\]")
# What is said of each kind of value that an argument could have been and is not.
_VAGUE: Final = frozenset({"string_type", "bool_type", "int_type", "float_type", "model_type"})
_KINDS: Final = frozenset({"str", "bool", "int", "float", Pattern.__name__})
_LINE: Final = re.compile(r"at line (\d+)")


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: tuple[Rule, ...] = Field(default=(), max_length=1_000)


def load_policy(path: Path, *, required: bool, now: float | None = None) -> Policy:
    """The rules of a file that belongs to its user alone.

    Args:
        path: the file.
        required: whether it must be there (somebody named it); else a missing one holds no rules.
        now: seconds since 1970.

    Raises:
        PolicyError: it cannot be used as it is.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        if not required and not path.is_symlink():
            return Policy()
        _refuse(path, "it does not exist")
    except OSError as error:
        _refuse(path, f"it cannot be read: {error.strerror}")
    try:
        _require_private(path, os.fstat(handle))
        content = os.read(handle, _MOST_BYTES + 1)
    finally:
        os.close(handle)
    if len(content) > _MOST_BYTES:
        _refuse(path, f"it is larger than {_MOST_BYTES} bytes")
    return read_policy(content, path, now=now)


def read_policy(content: bytes, path: Path, *, now: float | None = None) -> Policy:
    """The rules of a file's content.

    Args:
        content: TOML.
        path: where it is from, for errors.
        now: seconds since 1970.

    Raises:
        PolicyError: it is not what it must be; the error says where.
    """
    import tomllib  # noqa: PLC0415  (most servers have no file to read)

    try:
        text = content.decode()
        document = tomllib.loads(text)
    except UnicodeDecodeError:
        _refuse(path, "it is not UTF-8")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _LINE.search(str(error))
        _refuse(path, f"it is no TOML: {error}", int(found[1]) if found else None)
    try:
        rules = _File.model_validate(document).rule
    except ValidationError as error:
        worst = min(error.errors(include_url=False, include_context=False), key=lambda found: found["type"] in _VAGUE)
        _refuse(path, _problem(worst["loc"], worst["type"], worst["msg"]), _line_of(text, worst["loc"]))
    _require_sense(path, text, rules, time.time() if now is None else now)
    return Policy(rules)


def _require_private(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        _refuse(path, "it is no plain file")
    if found.st_uid != os.geteuid():
        _refuse(path, "it belongs to another user")
    if stat.S_IMODE(found.st_mode) & 0o077:
        _refuse(path, f"others may read or write it (mode {stat.S_IMODE(found.st_mode):04o}); chmod 600 mends that")


def _require_sense(path: Path, text: str, rules: Sequence[Rule], now: float) -> None:
    """What only shows over all rules, or at a moment."""
    names: set[str] = set()
    for number, rule in enumerate(rules):
        if rule.name in names:
            _refuse(path, f"two rules are called '{rule.name}'", _line_of(text, ("rule", number, "name")))
        names.add(rule.name)
        if rule.until is not None and rule.until <= datetime.fromtimestamp(now, UTC):
            _refuse(
                path, f"rule '{rule.name}' ended at {rule.until.isoformat()}", _line_of(text, ("rule", number, "until"))
            )


def _problem(place: tuple[int | str, ...], kind: str, words: str) -> str:
    named = [part for part in place if part not in _KINDS]
    where = ".".join(str(part + 1) if isinstance(part, int) else part for part in named)
    if kind == "extra_forbidden":
        owner: type[BaseModel] = Pattern if Pattern.__name__ in place else Rule if len(place) > 1 else _File
        guess = nearest(str(place[-1]), owner.model_fields)
        return f"there is no key '{where}'" + (f"; '{guess}' is one" if guess else "")
    return f"{where or 'the file'}: {words.removeprefix('Value error, ')}"


def _line_of(text: str, place: tuple[int | str, ...]) -> int | None:
    """The line of a key, or of the rule that it belongs to; None where neither is found."""
    rule = next((part for part in place if isinstance(part, int)), None)
    keys = [part for part in place if isinstance(part, str) and part != "rule"]
    at: int | None = None
    seen = -1
    for number, line in enumerate(text.splitlines(), 1):
        if _HEADER.match(line):
            seen += 1
            at = number if seen == rule else at
        if seen == (-1 if rule is None else rule) and keys and re.match(rf'\s*"?{re.escape(keys[0])}"?\s*[=.]', line):
            return number
        if keys[1:] and seen == rule and re.match(rf'\s*"?{re.escape(keys[1])}"?\s*=', line):
            return number
    return at


def _refuse(path: Path, problem: str, line: int | None = None) -> NoReturn:
    place = f"{path}, line {line}" if line else f"{path}"
    raise PolicyError(
        f"The policy file cannot be used ({place}): {problem}.",
        next_step="Mend it, or move it aside; `handrail approvals --policy-example` shows one.",
        path=str(path),
        line=line,
    )
