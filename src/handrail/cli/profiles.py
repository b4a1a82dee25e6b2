"""`handrail profile`: projects by name. A key is never asked for, shown or kept."""

import os
import sys

from handrail.appwrite.profile_file import (
    ENVIRONMENT,
    PROFILES_FILE,
    Profile,
    ProfileBook,
    change_book,
    load_book,
    new_profile,
)
from handrail.appwrite.profiles import unknown_profile
from handrail.cli.output import Cell, Colour, print_json, print_note, print_table
from handrail.errors import ArgumentError
from handrail.home import home_folder
from handrail.json_types import Json, JsonObject
from handrail.settings import Settings, load_settings

__all__ = ["add_profile", "list_profiles", "remove_profile", "set_default"]


def add_profile(name: str, *, endpoint: str | None, project: str, key_variable: str) -> None:
    """Add a profile.

    Args:
        name: how calls name it.
        endpoint: the API's address; None for that of the environment.
        project: the project's id.
        key_variable: the name of the environment variable that holds its key.

    Raises:
        ArgumentError: something cannot be, or the name is taken.
        ProfilesFileError: the file of profiles cannot be used as it is.
    """
    settings = load_settings()
    profile = new_profile(
        name, endpoint=endpoint or settings.appwrite_endpoint, project=project, key_variable=key_variable
    )

    def added(book: ProfileBook) -> ProfileBook:
        if name in book.profiles:
            raise ArgumentError(
                f"There is a profile '{name}' already; it stays as it is.",
                argument="name",
                next_step=f"Choose another name, or `handrail profile remove {name}` first.",
            )
        return book.model_copy(update={"profiles": {**book.profiles, name: profile}})

    change_book(home_folder(settings) / PROFILES_FILE, added)
    print_note(f"Added '{name}'. Its key is read from {key_variable}, which must be set where Handrail is started.")


def remove_profile(name: str) -> None:
    """Forget a profile. Nothing changes in Appwrite, and the default one is then none.

    Raises:
        ProfileUnknownError: there is none.
        ProfilesFileError: the file of profiles cannot be used as it is.
    """

    def without(book: ProfileBook) -> ProfileBook:
        if name not in book.profiles:
            raise unknown_profile(name, book)
        rest = {kept: profile for kept, profile in book.profiles.items() if kept != name}
        return book.model_copy(update={"profiles": rest, "default": None if book.default == name else book.default})

    change_book(home_folder(load_settings()) / PROFILES_FILE, without)
    print_note(f"Removed '{name}'.")


def set_default(name: str) -> None:
    """Say which profile calls go to that name none, where the environment says nothing.

    Args:
        name: a profile; `environment` for none.

    Raises:
        ProfileUnknownError: there is none of that name.
        ProfilesFileError: the file of profiles cannot be used as it is.
    """

    def changed(book: ProfileBook) -> ProfileBook:
        if name != ENVIRONMENT and name not in book.profiles:
            raise unknown_profile(name, book)
        return book.model_copy(update={"default": None if name == ENVIRONMENT else name})

    settings = load_settings()
    change_book(home_folder(settings) / PROFILES_FILE, changed)
    print_note(f"The default is '{name}'.")
    if name != ENVIRONMENT and _environment_counts(settings):
        print_note("Here the environment names a project or a key (APPWRITE_...), and that comes first.")


def list_profiles(*, as_json: bool) -> None:
    """Print the profiles, whether each key is set here, and which is used by default.

    Raises:
        ProfilesFileError: the file of profiles cannot be used as it is.
    """
    settings = load_settings()
    book = load_book(home_folder(settings) / PROFILES_FILE)
    used = ENVIRONMENT if _environment_counts(settings) or book.default is None else book.default
    if as_json:
        shown: list[Json] = [_as_json(name, profile) for name, profile in sorted(book.profiles.items())]
        print_json({"default": book.default, "used": used, "profiles": shown})
        return
    if book.profiles:
        _print(book)
    else:
        print_note("There are no profiles: `handrail profile add` makes one.")
    if sys.stdout.isatty() or used == ENVIRONMENT:
        print_note(f"Calls that name no project go to: {used}.")


def _print(book: ProfileBook) -> None:
    rows: list[list[Cell]] = [
        [
            (name, Colour.STRONG) if name == book.default else name,
            profile.project,
            profile.endpoint,
            profile.key_variable,
            ("set", Colour.GOOD) if os.environ.get(profile.key_variable) else ("not set here", Colour.CARE),
            "default" if name == book.default else "",
        ]
        for name, profile in sorted(book.profiles.items())
    ]
    print_table(["name", "project", "endpoint", "key variable", "key", ""], rows)


def _as_json(name: str, profile: Profile) -> JsonObject:
    return {"name": name, **profile.model_dump(), "key_is_set": bool(os.environ.get(profile.key_variable))}


def _environment_counts(settings: Settings) -> bool:
    return bool(settings.appwrite_project_id or settings.appwrite_api_key.get_secret_value())
