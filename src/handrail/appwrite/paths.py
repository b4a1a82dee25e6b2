"""Path arguments that stay where they are put.

Every argument of a path fills exactly one segment. It is percent-encoded as UTF-8 with nothing left out, so that `/`,
`?`, `#`, `;` and `%` are plain characters of an id; what no encoding can keep in place is refused. The SDK itself puts
ids into the path as they are, where `abc/sessions` names another method than the one that was judged.
"""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from handrail.errors import ArgumentError, UnavailableError

__all__ = ["CONTROL", "ConfigMissingError", "check_text", "fill_path", "path_segment"]

CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
"""C0, DEL and C1."""

_HOLE: Final = re.compile(r"\{([^{}]*)\}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_DOTS: Final = frozenset({".", ".."})


class ConfigMissingError(UnavailableError):
    """A path needs a setting that is not set, such as the project. `data["setting"]` names it."""

    type = "setting_missing"


def fill_path(template: str, arguments: Mapping[str, str], config: Mapping[str, str]) -> str:
    """A path template with every hole filled, in one pass: what is filled in is not looked at again.

    Args:
        template: as `/users/{userId}`.
        arguments: the segment of each hole that an argument fills, encoded.
        config: hole to the setting that fills it, as it is.

    Raises:
        ConfigMissingError: a setting is missing or cannot be a segment.
    """
    segments = {**{hole: _config_segment(hole, value) for hole, value in config.items()}, **arguments}
    return _HOLE.sub(lambda hole: segments[hole[1]], template)


def path_segment(argument: str, value: object) -> str:
    """One argument as one percent-encoded segment.

    Args:
        argument: its name, for the error.
        value: its value.

    Raises:
        ArgumentError: it is not text, empty, `.` or `..`, or holds a control character or a lone surrogate.
    """
    if not isinstance(value, str):
        raise ArgumentError(
            f"'{argument}' must be text, because it is part of the address.",
            argument=argument,
            next_step=f"Give '{argument}' as a string.",
            problem="type",
        )
    check_text(argument, value)
    if value == "" or value in _DOTS or CONTROL.search(value):
        what = "empty" if value == "" else f"'{value}'" if value in _DOTS else "one with control characters"
        raise ArgumentError(
            f"'{argument}' cannot be {what}: it is part of the address.",
            argument=argument,
            next_step=f"Give '{argument}' as the id that a list or get method shows.",
            problem="value",
        )
    return quote(value, safe="")


def check_text(argument: str, text: str) -> None:
    """Refuse text that has no form in UTF-8.

    Raises:
        ArgumentError: it holds a lone surrogate.
    """
    if _SURROGATE.search(text):
        raise ArgumentError(
            f"'{argument}' holds half of a surrogate pair, which is no character.",
            argument=argument,
            next_step=f"Give '{argument}' as valid Unicode.",
            problem="value",
        )


def _config_segment(hole: str, value: str) -> str:
    try:
        return path_segment(hole, value)
    except ArgumentError as error:
        raise ConfigMissingError(
            f"The setting that the address needs for '{hole}' is missing or cannot be used.",
            next_step="Set APPWRITE_PROJECT_ID." if "project" in hole else f"Set it: {hole}.",
            setting=hole,
        ) from error
