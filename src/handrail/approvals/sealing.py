"""What is handed out and comes back: bound to one deed and one caller by a key that never leaves the home folder."""

import hashlib
import hmac
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, NoReturn

from handrail.approvals.errors import InvalidKind
from handrail.errors import UnavailableError
from handrail.storage import held_lock

__all__ = ["KEY_FILE", "KeyFileError", "Purpose", "Seal", "Spendable", "load_key"]

KEY_FILE: Final = "approvals.key"
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 16
_FORM: Final = re.compile(r"(preview|ask)\.([0-9]{1,12})\.([0-9a-f]{32})\.([0-9a-f]{64})", re.ASCII)
_VERSION: Final = "handrail-approvals-1"


class Purpose(StrEnum):
    """What a sealed text is for. One does not do for the other."""

    PREVIEW = "preview"
    ASK = "ask"


class KeyFileError(UnavailableError):
    """The key of approvals cannot be used. `data` holds `path` and `problem`."""

    type = "approvals_key_unusable"


@dataclass(frozen=True, slots=True)
class Spendable:
    """What was found in order, and is now to be used up.

    Attributes:
        nonce: what makes it one of a kind.
        expires_at: in seconds since 1970.
    """

    nonce: str
    expires_at: float


class Seal:
    """Makes and checks sealed texts: `<purpose>.<end>.<nonce>.<HMAC>`. The deed and the caller stand in the HMAC only.

    Args:
        key: 32 bytes.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def issue(self, purpose: Purpose, *, digest: str, owner: str, expires_at: float) -> str:
        """A text that speaks for one deed of one caller, until a moment in whole seconds since 1970."""
        end, nonce = str(int(expires_at)), secrets.token_hex(_NONCE_BYTES)
        return f"{purpose.value}.{end}.{nonce}.{self._mac(purpose.value, end, nonce, digest, owner)}"

    def check(self, text: object, purpose: Purpose, *, digest: str, owner: str, now: float) -> Spendable | InvalidKind:
        """What a text that came back is worth for this deed of this caller."""
        found = _FORM.fullmatch(text) if isinstance(text, str) else None
        if found is None or found[1] != purpose.value:
            return InvalidKind.UNKNOWN
        _, end, nonce, mac = found.groups()
        if not hmac.compare_digest(mac, self._mac(purpose.value, end, nonce, digest, owner)):
            return InvalidKind.ALTERED
        return InvalidKind.EXPIRED if int(end) <= now else Spendable(nonce, float(end))

    def _mac(self, *parts: str) -> str:
        # JSON keeps the parts apart: no two lists of texts look the same in it.
        said = json.dumps([_VERSION, *parts], ensure_ascii=True).encode()
        return hmac.new(self._key, said, hashlib.sha256).hexdigest()


def load_key(home: Path) -> bytes:
    """The key of this home, made once, readable for its owner only. Blocks the thread.

    Raises:
        KeyFileError: the file is not as it must be; it is left alone.
        OSError: it cannot be read or made.
    """
    path = home / KEY_FILE
    if not os.path.lexists(path):
        with held_lock(path.with_suffix(".lock")):
            if not os.path.lexists(path):
                _make(path)
    handle = _open(path)
    try:
        _require_own(path, os.fstat(handle))
        key = os.read(handle, _KEY_BYTES + 1)
    finally:
        os.close(handle)
    if len(key) != _KEY_BYTES:
        _refuse(path, f"it holds {'more' if len(key) > _KEY_BYTES else 'less'} than {_KEY_BYTES} bytes")
    return key


def _make(path: Path) -> None:
    """Make the file, which is there whole or not at all."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _open(path: Path) -> int:
    try:
        # Not to be held up by a pipe, nor led elsewhere by a link.
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if path.is_symlink():
            _refuse(path, "it is a link")
        raise KeyFileError(
            f"The key of approvals {path} cannot be read: {error.strerror}.",
            next_step=f"Make {path} readable for you alone, or remove it: a new one is made.",
            path=str(path),
            problem=error.strerror,
        ) from error


def _require_own(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        _refuse(path, "it is no plain file")
    if found.st_uid != os.geteuid():
        _refuse(path, "it belongs to another user")
    if stat.S_IMODE(found.st_mode) & 0o077:
        _refuse(path, f"others may use it (mode {stat.S_IMODE(found.st_mode):04o})")


def _refuse(path: Path, problem: str) -> NoReturn:
    raise KeyFileError(
        f"The key of approvals {path} is not used: {problem}.",
        next_step=f"Remove {path}: a new one is made, and what was handed out under the old one no longer counts.",
        path=str(path),
        problem=problem,
    )
