"""The PIN that a person may set, so that `handrail approve` needs more than a terminal. Blocks the thread."""

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from handrail.approvals.errors import ApprovalsUnavailableError
from handrail.approvals.records import iso
from handrail.approvals.store import ApprovalStore
from handrail.errors import BusyError, RefusedError, UsageError

__all__ = ["LOCK_S", "MAX_WRONG", "PIN_FILE", "PinLockedError", "PinWrongError", "check_pin", "has_pin", "set_pin"]

PIN_FILE: Final = "approvals.pin"
MAX_WRONG: Final = 5
"""So many wrong guesses in a row lock the PIN."""
LOCK_S: Final = 600.0
"""For so many seconds."""
_MOST_BYTES: Final = 1_024
_LENGTHS: Final = range(4, 129)
_COST: Final[Mapping[str, int]] = MappingProxyType({"n": 2**15, "r": 8, "p": 1})
_MEMORY: Final = 64 * 1024 * 1024


class PinWrongError(RefusedError):
    """That is not the PIN."""

    type = "pin_wrong"


class PinLockedError(BusyError):
    """Too many wrong guesses. `data["until"]` holds when the next one counts."""

    type = "pin_locked"


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    salt: str = Field(pattern=r"^[0-9a-f]{32}$")
    hash: str = Field(pattern=r"^[0-9a-f]{64}$")


def has_pin(home: Path) -> bool:
    """Whether a PIN is set. A file that cannot be looked at counts as one."""
    return os.path.lexists(home / PIN_FILE)


def set_pin(home: Path, pin: str) -> None:
    """Set the PIN, in place of the one before.

    Raises:
        UsageError: it is too short or too long.
        OSError: it cannot be kept.
    """
    if len(pin) not in _LENGTHS:
        raise UsageError(
            f"A PIN has {_LENGTHS.start} to {_LENGTHS.stop - 1} characters.", next_step="Choose another one."
        )
    salt = secrets.token_bytes(16)
    kept = _Kept(salt=salt.hex(), hash=_hash(pin, salt).hex())
    draft = home / f"{PIN_FILE}.{secrets.token_hex(8)}"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(kept.model_dump_json())
        file.flush()
        os.fsync(file.fileno())
    draft.replace(home / PIN_FILE)


def check_pin(home: Path, store: ApprovalStore, pin: str, now: float) -> None:
    """Pass where it is the PIN.

    Raises:
        PinWrongError: it is not.
        PinLockedError: too many guesses were wrong; this one was not looked at.
        ApprovalsUnavailableError: what is kept of the PIN cannot be read.
    """
    locked_until = store.begin_guess(now, most=MAX_WRONG, lock_s=LOCK_S)
    if locked_until is not None:
        raise PinLockedError(
            "Too many wrong PINs.", next_step=f"Wait until {iso(locked_until)}.", until=iso(locked_until)
        )
    kept = _read(home / PIN_FILE)
    if not hmac.compare_digest(_hash(pin, bytes.fromhex(kept.salt)), bytes.fromhex(kept.hash)):
        raise PinWrongError("That is not the PIN; nothing was approved.", next_step="Try again.")
    store.forget_guesses()


def _hash(pin: str, salt: bytes) -> bytes:
    text = pin.encode("utf-8", "surrogateescape")
    return hashlib.scrypt(text, salt=salt, n=_COST["n"], r=_COST["r"], p=_COST["p"], maxmem=_MEMORY, dklen=32)


def _read(path: Path) -> _Kept:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
                raise _unusable(path, "it is not a plain file of yours alone")
            return _Kept.model_validate_json(os.read(handle, _MOST_BYTES))
        finally:
            os.close(handle)
    except OSError as error:
        raise _unusable(path, error.strerror or "it cannot be read") from error
    except ValidationError:
        raise _unusable(path, "it holds something else") from None


def _unusable(path: Path, problem: str) -> ApprovalsUnavailableError:
    return ApprovalsUnavailableError(
        f"The PIN kept in {path} cannot be used: {problem}.",
        next_step=f"If you forgot it or the file is broken, remove {path} yourself and set a PIN anew.",
        cause={"path": str(path), "problem": problem},
    )
