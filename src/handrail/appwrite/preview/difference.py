"""What a write would make of a thing: field by field, before and after. Pure."""

import json
from typing import Final

from handrail.json_types import Json, JsonMapping, JsonObject

__all__ = ["MOST_FIELDS", "bounded", "changes_of"]

MOST_FIELDS: Final = 50
"""Fields that one preview names."""
_DATA: Final = ("data",)  # arguments that hold a thing's own fields
_SHOWN: Final = 500  # characters of one value
_WHOLE: Final = 8_000  # characters of a thing that is shown whole


def changes_of(arguments: JsonMapping, path_names: frozenset[str], current: JsonMapping) -> list[JsonObject]:
    """The fields that a call sets and that are another value now, as `{field, before, after}`.

    Args:
        arguments: of the call.
        path_names: the arguments that only say which thing is meant.
        current: the thing as it is.
    """
    wanted: JsonObject = {}
    for name, value in arguments.items():
        if name in _DATA and isinstance(value, dict):
            wanted |= value
        elif name not in path_names and value is not None:
            wanted[name] = value
    named = {_plain(name): value for name, value in current.items()}
    changed: list[JsonObject] = []
    for name, after in wanted.items():
        known = _plain(name) in named
        before = named.get(_plain(name))
        if not known or before != after or isinstance(before, bool) != isinstance(after, bool):
            changed.append({"field": name, "before": _short(before), "after": _short(after), "known": known})
    return changed[:MOST_FIELDS]


def _plain(name: str) -> str:
    """One name for `$permissions`, `permissions`, `rowSecurity` and `row_security`."""
    return name.lstrip("$").replace("_", "").lower()


def bounded(thing: JsonObject) -> JsonObject:
    """A thing as it is, or, where that is much to look at, its first fields with the beginning of each."""
    if len(_text(thing)) <= _WHOLE:
        return thing
    return {name: _short(value) for name, value in [*thing.items()][:MOST_FIELDS]}


def _short(value: Json) -> Json:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else _text(value)
    return value if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
