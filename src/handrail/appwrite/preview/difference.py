"""What a write would make of a thing: field by field, before and after. Pure."""

from typing import Final

from handrail.json_types import Json, JsonMapping, JsonObject

__all__ = ["MOST_FIELDS", "changes_of"]

MOST_FIELDS: Final = 50
"""Fields that one preview names."""
_DATA: Final = ("data",)  # arguments that hold a thing's own fields
_SHOWN: Final = 500  # characters of one value


def changes_of(arguments: JsonMapping, path_names: frozenset[str], current: JsonMapping) -> list[Json]:
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
    changed: list[Json] = []
    for name, after in wanted.items():
        known = _plain(name) in named
        before = named.get(_plain(name))
        if not known or before != after or isinstance(before, bool) != isinstance(after, bool):
            changed.append({"field": name, "before": _short(before), "after": _short(after), "known": known})
    return changed[:MOST_FIELDS]


def _plain(name: str) -> str:
    """One name for `$permissions`, `permissions`, `rowSecurity` and `row_security`."""
    return name.lstrip("$").replace("_", "").lower()


def _short(value: Json) -> Json:
    if isinstance(value, str) and len(value) > _SHOWN:
        return f"{value[:_SHOWN]}… ({len(value)} characters)"
    return value
