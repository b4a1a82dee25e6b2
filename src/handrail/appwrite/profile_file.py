"""Reads and writes `profiles.toml`, strictly: what it does not know, it refuses; a key never gets in."""

import json
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, NoReturn

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from handrail.appwrite.backend import Backend
from handrail.appwrite.profiles import ENVIRONMENT, PROFILES_FILE
from handrail.arguments import nearest
from handrail.errors import ArgumentError, UnavailableError

__all__ = [
    "ENVIRONMENT",
    "PROFILES_FILE",
    "Profile",
    "ProfileBook",
    "ProfilesFileError",
    "change_book",
    "load_book",
    "new_profile",
    "read_book",
    "written",
]

_MOST_BYTES: Final = 256 * 1024
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_PROJECT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,35}")
_VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
_LIKE_A_KEY: Final = re.compile(r"[0-9A-Fa-f]{20,}|(?:standard|dynamic|account|organization)_[0-9A-Za-z]{16,}")
_ENDPOINT_CHARACTERS: Final = re.compile(r"[\x21-\x7e]{1,2000}")


class ProfilesFileError(UnavailableError):
    """`profiles.toml` cannot be used as it is, and is not changed then. `data["path"]` names it."""

    type = "profiles_unusable"


def _name(value: str) -> str:
    if value == ENVIRONMENT or not _NAME.fullmatch(value):
        raise ValueError(
            f"a name has up to 40 small letters, digits, '-' and '_', begins with a letter or digit, and is not "
            f"'{ENVIRONMENT}'"
        )
    return value


def _endpoint(value: str) -> str:
    if not _ENDPOINT_CHARACTERS.fullmatch(value) or Backend(value, "", "").shown_endpoint is None:
        raise ValueError("an endpoint is https://<host>/v1, without a user or a password")
    return value


def _project(value: str) -> str:
    if not _PROJECT.fullmatch(value):
        raise ValueError("a project's id has up to 36 letters, digits, '.', '-' and '_'")
    return value


def _variable(value: str) -> str:
    """The name of a variable. What could be a key is refused, and is not repeated."""
    if _LIKE_A_KEY.search(value) or not _VARIABLE.fullmatch(value):
        raise ValueError(
            "it is the name of an environment variable that is wanted, in capitals such as SHOP_KEY, never the key"
        )
    return value


class Profile(BaseModel):
    """One project: where it is, and the name of the environment variable that holds its key."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)

    endpoint: Annotated[str, AfterValidator(_endpoint)]
    project: Annotated[str, AfterValidator(_project)]
    key_variable: Annotated[str, AfterValidator(_variable)]


class ProfileBook(BaseModel):
    """All profiles, and the name of the default one."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)

    default: Annotated[str, AfterValidator(_name)] | None = None
    profiles: Annotated[
        dict[Annotated[str, AfterValidator(_name)], Profile], Field(alias="profile", max_length=1_000)
    ] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _default_exists(self) -> "ProfileBook":
        if self.default is not None and self.default not in self.profiles:
            raise ValueError("the default is none of the profiles")
        return self


def new_profile(name: str, *, endpoint: str, project: str, key_variable: str) -> Profile:
    """A profile of what a person typed.

    Raises:
        ArgumentError: something cannot be; the error does not repeat it.
    """
    try:
        _name(name)
        return Profile(endpoint=endpoint, project=project, key_variable=key_variable)
    except ValidationError as error:
        worst = error.errors(include_url=False, include_context=False, include_input=False)[0]
        argument, words = str(worst["loc"][0]), worst["msg"].removeprefix("Value error, ")
    except ValueError as error:
        argument, words = "name", str(error)
    option = "NAME" if argument == "name" else f"--{argument.replace('_', '-')}"
    raise ArgumentError(f"{option} cannot be that: {words}.", argument=argument, next_step=f"Give another {option}.")


def load_book(path: Path) -> ProfileBook:
    """The profiles of a file that belongs to its user alone; none where there is no file.

    Raises:
        ProfilesFileError: it cannot be used as it is.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return ProfileBook()
    except OSError as error:
        _refuse(path, f"it cannot be read: {error.strerror}")
    try:
        _require_private(path, os.fstat(handle))
        content = os.read(handle, _MOST_BYTES + 1)
    finally:
        os.close(handle)
    if len(content) > _MOST_BYTES:
        _refuse(path, f"it is larger than {_MOST_BYTES} bytes")
    return read_book(content, path)


def read_book(content: bytes, path: Path) -> ProfileBook:
    """The profiles of a file's content.

    Raises:
        ProfilesFileError: it is not what it must be; the error repeats no value.
    """
    try:
        document = tomllib.loads(content.decode())
    except UnicodeDecodeError:
        _refuse(path, "it is not UTF-8")
    except (tomllib.TOMLDecodeError, RecursionError):
        _refuse(path, "it is no TOML")
    try:
        return ProfileBook.model_validate(document)
    except ValidationError as error:
        worst = error.errors(include_url=False, include_context=False, include_input=False)[0]
        _refuse(path, _problem(worst["loc"], worst["type"], worst["msg"]))


def written(book: ProfileBook) -> str:
    """The file's content."""
    lines = [] if book.default is None else [f"default = {_text(book.default)}", ""]
    for name, profile in sorted(book.profiles.items()):
        values = profile.model_dump().items()
        lines += [f"[profile.{name}]", *(f"{key} = {_text(value)}" for key, value in values), ""]
    return "\n".join(lines)


def change_book(path: Path, change: Callable[[ProfileBook], ProfileBook]) -> ProfileBook:
    """Change the file: it is the old one or the new one at every moment, and of two changes at once none is lost.

    Args:
        path: the file.
        change: the profiles there are to those there shall be.

    Raises:
        ProfilesFileError: it cannot be used as it is, or cannot be written.
    """
    from handrail.storage.lock import held_lock  # noqa: PLC0415  (a server reads, and changes nothing)

    try:
        with held_lock(path.with_suffix(".lock")):
            book = change(load_book(path))
            _replace(path, written(book).encode())
            return book
    except TimeoutError:
        _refuse(path, "another process is changing it and does not come to an end")
    except OSError as error:
        _refuse(path, f"it cannot be written: {error.strerror}")


def _replace(path: Path, content: bytes) -> None:
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # for its user alone
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _text(value: str) -> str:
    """A text as TOML writes it. Every value here is printable ASCII, for which JSON's form is TOML's."""
    return json.dumps(value)


def _require_private(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        _refuse(path, "it is no plain file")
    if found.st_uid != os.geteuid():
        _refuse(path, "it belongs to another user")
    if stat.S_IMODE(found.st_mode) & 0o077:
        _refuse(path, f"others may read or write it (mode {stat.S_IMODE(found.st_mode):04o}); chmod 600 mends that")


def _problem(place: tuple[int | str, ...], kind: str, words: str) -> str:
    where = ".".join(str(part)[:64] for part in place if part != "[key]")
    if kind == "extra_forbidden":
        known = Profile.model_fields if len(place) > 1 else ("default", "profile")
        guess = nearest(str(place[-1])[:64], known)
        return f"there is no key '{where}'" + (f"; '{guess}' is one" if guess else "")
    return f"{where or 'the file'}: {words.removeprefix('Value error, ')}"


def _refuse(path: Path, problem: str) -> NoReturn:
    raise ProfilesFileError(
        f"The file of profiles cannot be used ({path}): {problem}.",
        next_step="Mend it, or move it aside and add the profiles again with `handrail profile add`.",
        path=str(path),
    )
