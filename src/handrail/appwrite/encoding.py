"""Values as the SDK writes them: nested ones flattened into `name[0]`, `name[key]`, with `true` and `false`."""

import math
from collections.abc import Iterator
from typing import Final

from handrail.appwrite.paths import check_text
from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonMapping

__all__ = ["MAX_DEPTH", "check_value", "flatten"]

MAX_DEPTH: Final = 100
"""How deep lists and objects of an argument may nest."""


def check_value(argument: str, value: Json, depth: int = 0) -> None:
    """Refuse what cannot be sent.

    Args:
        argument: its name, for the error.
        value: its value.
        depth: how deep it lies.

    Raises:
        ArgumentError: it holds a number that JSON lacks or a lone surrogate, or nests too deeply.
    """
    if depth > MAX_DEPTH:
        raise ArgumentError(
            f"'{argument}' nests deeper than {MAX_DEPTH} levels.",
            argument=argument,
            next_step=f"Give '{argument}' in a flatter form.",
            problem="value",
        )
    match value:
        case str():
            check_text(argument, value)
        case float() if not math.isfinite(value):
            raise ArgumentError(
                f"'{argument}' cannot be {value}: JSON has no such number.",
                argument=argument,
                next_step=f"Give '{argument}' as a finite number.",
                problem="value",
            )
        case list():
            for item in value:
                check_value(argument, item, depth + 1)
        case dict():
            for key, item in value.items():
                check_text(argument, key)
                check_value(argument, item, depth + 1)


def flatten(values: JsonMapping, *, null: str | None = None) -> tuple[tuple[str, str], ...]:
    """Name and text of every leaf, in order; empty lists and empty objects leave no trace.

    Where two leaves come to the same name, the later value takes the earlier one's place, as in the SDK.

    Args:
        values: by their names on the wire.
        null: the text of a null; without one, nulls leave no trace either.
    """
    leaves: dict[str, str | None] = {}
    for name, value in values.items():
        leaves.update(_leaves(name, value, null))
    return tuple((name, text) for name, text in leaves.items() if text is not None)


def _leaves(name: str, value: Json, null: str | None) -> Iterator[tuple[str, str | None]]:
    match value:
        case list():
            for index, item in enumerate(value):
                yield from _leaves(f"{name}[{index}]", item, null)
        case dict():
            for key, item in value.items():
                yield from _leaves(f"{name}[{key}]", item, null)
        case bool():
            yield name, "true" if value else "false"
        case None:
            yield name, null
        case _:
            yield name, str(value)
