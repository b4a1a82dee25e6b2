"""The home folder: what Handrail keeps on disk, for this user only."""

import os
from pathlib import Path

from handrail.errors import UnavailableError
from handrail.settings import Settings

__all__ = ["HomeError", "home_folder"]


class HomeError(UnavailableError):
    """The home folder cannot be used. `data["path"]` names it, or is None where nothing does."""

    type = "home_unusable"


def home_folder(settings: Settings) -> Path:
    """The home folder, made when it is missing, readable for its owner only (mode 0700).

    Raises:
        HomeError: it cannot be made or written to, belongs to somebody else, or nothing says where it could be.
    """
    path = _place(settings)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = path.stat().st_uid
    except OSError as error:
        raise HomeError(
            f"The home folder {path} cannot be made: {error.strerror}.",
            next_step="Set HANDRAIL_HOME to a folder that you can write to.",
            path=str(path),
        ) from error
    if owner != os.geteuid() or not os.access(path, os.W_OK | os.X_OK):
        raise HomeError(
            f"The home folder {path} is not yours to write to.",
            next_step="Set HANDRAIL_HOME to a folder of your own.",
            path=str(path),
        )
    return path


def _place(settings: Settings) -> Path:
    try:
        place = _default_home() if settings.home is None else settings.home.expanduser()
    except RuntimeError:  # no such user, or one without a home
        place = None
    # A folder of the user's that is not absolute has a `~` in it that nothing could fill in, or is not meant.
    if place is None or (settings.home is None and not place.is_absolute()):
        raise HomeError(
            "There is no folder to keep things in: this user has no home folder.",
            next_step="Set HANDRAIL_HOME to a folder that you can write to.",
            path=None if settings.home is None else str(settings.home),
        )
    return place


def _default_home() -> Path:
    from platformdirs import user_state_path  # noqa: PLC0415  (not needed where HANDRAIL_HOME is set)

    return user_state_path("handrail", appauthor=False)
