"""Projects by name: endpoint, project, and the *name* of the variable that holds the key. Never the key.

    <home>/profiles.toml

    default = "live"

    [profile.live]
    endpoint = "https://cloud.appwrite.io/v1"
    project = "shop"
    key_variable = "SHOP_KEY"

What a call goes to when it names none: what the environment says, where it says a project or a key; else the default
profile, where there is one.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio.to_thread

from handrail.appwrite.backend import Backend
from handrail.arguments import UnknownName
from handrail.errors import NotFoundError

if TYPE_CHECKING:
    from handrail.appwrite.profile_file import Profile, ProfileBook

__all__ = ["ENVIRONMENT", "PROFILES_FILE", "ProfileUnknownError", "Profiles", "unknown_profile"]

PROFILES_FILE: Final = "profiles.toml"
ENVIRONMENT: Final = "environment"
"""The name of what the environment says, which no profile can have."""


class ProfileUnknownError(NotFoundError):
    """A call names a project that nobody has added. `data` holds the nearest name and all of them."""

    type = "profile_unknown"


class Profiles:
    """The profiles of a home folder. What a person changes there counts from the next call on.

    Args:
        from_environment: what the environment says, or the stand-in.
        home: the home folder; None where there is none, and no profiles either.
        variables: the environment, for the keys.
    """

    def __init__(
        self, from_environment: Backend, home: Path | None = None, variables: Mapping[str, str] | None = None
    ) -> None:
        self._from_environment = from_environment
        self._path = None if home is None else home / PROFILES_FILE
        self._variables = os.environ if variables is None else variables
        self._book: ProfileBook | None = None
        self._seen: tuple[int, ...] | None = None

    async def resolve(self, name: str | None = None) -> Backend:
        """Where a call goes.

        Args:
            name: a profile, or `environment`; None for the default.

        Raises:
            ProfileUnknownError: there is no such profile.
            ProfilesFileError: the file cannot be used as it is.
        """
        own = self._from_environment
        if name == ENVIRONMENT or (name is None and (own.project or own.key)):
            return own
        book = await self._current()
        wanted = book.default if name is None else name
        if wanted is None:
            return own
        found = book.profiles.get(wanted)
        if found is None:
            raise unknown_profile(wanted, book)
        return self._backend(wanted, found)

    async def is_default(self, backend: Backend) -> bool:
        """Whether this is the project that a call goes to that names none.

        Raises:
            ProfilesFileError: the file cannot be used as it is.
        """
        return backend.is_same_project(await self.resolve())

    async def names(self) -> list[str]:
        """Every name that `resolve` knows.

        Raises:
            ProfilesFileError: the file cannot be used as it is.
        """
        return [ENVIRONMENT, *(await self._current()).profiles]

    def _backend(self, name: str, profile: "Profile") -> Backend:
        return replace(
            self._from_environment,
            endpoint=profile.endpoint,
            project=profile.project,
            key=self._variables.get(profile.key_variable, ""),
            profile=name,
            key_variable=profile.key_variable,
        )

    async def _current(self) -> "ProfileBook":
        """What the file says now; it is only read again where it is another one than before."""
        from handrail.appwrite.profile_file import ProfileBook, load_book  # noqa: PLC0415  (not needed to start a server)

        if self._path is None:
            return ProfileBook()
        seen = _identity(self._path)
        if seen != self._seen:
            self._book = await anyio.to_thread.run_sync(load_book, self._path, abandon_on_cancel=True)
            self._seen = seen
        return self._book or ProfileBook()


def unknown_profile(name: str, book: "ProfileBook") -> ProfileUnknownError:
    """The error for a name that means nothing."""
    said = UnknownName.among("project profile", name, [ENVIRONMENT, *book.profiles])
    return ProfileUnknownError(
        said.sentence,
        next_step=f"{said.next_step} A person adds one with `handrail profile add`.",
        **said.data,
    )


def _identity(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
