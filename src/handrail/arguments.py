"""Arguments against their schema: one short error that names the nearest right thing."""

import difflib
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Self, cast

from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonMapping, JsonObject

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

__all__ = ["ArgumentChecker", "UnknownName", "nearest", "number", "object_schema", "short_name"]

_SHOWN: Final = 60  # characters of a value in a sentence
_NAME_SHOWN: Final = 64  # characters of a name that means nothing
_PATH_SHOWN: Final = 256  # characters of the way to a value
_LISTED: Final = 20  # names or values in a sentence
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# What a caller should hear about first: a misspelt name explains the missing one.
_ORDER: Final = ("additionalProperties", "required", "type", "enum")
# Looked at first, and nothing after one that fails: what they bound is what makes the rest of a check cheap.
_SIZES: Final = ("maxLength", "maxItems", "maxProperties")
_FIRST: Final = (*_SIZES, *_ORDER)
_LOOKED_AT: Final = 50  # errors of one check, of which the one to mend first is told


def short_name(name: str) -> str:
    """A name as an error repeats it: at most 64 characters."""
    return name[:_NAME_SHOWN]


def number(arguments: JsonMapping, name: str) -> float | None:
    """A number among checked arguments; None where there is none, or none that a float can hold and is finite."""
    given = arguments.get(name)
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    try:
        value = float(given)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a caller most likely meant, or None where nothing is near.

    `userId` finds `user_id`; case, dashes and small slips are forgiven.
    """
    candidates = {candidate.lower(): candidate for candidate in known}
    plain = _CAMEL.sub("_", name).replace("-", "_").replace(".", "_").replace(" ", "_").lower()
    if plain in candidates:
        return candidates[plain]
    found = difflib.get_close_matches(plain, candidates, n=1, cutoff=0.6)
    return candidates[found[0]] if found else None


@dataclass(frozen=True, slots=True)
class UnknownName:
    """What to say of a name that means nothing: the sentence, the next step, and `{name, nearest, known}`."""

    sentence: str
    next_step: str
    data: JsonObject

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str]) -> Self:
        """Of a name that is none of the known ones.

        Args:
            kind: what it should have named, such as `agent`.
            name: as it was given; a long one is shown shortened.
            known: the names there are.
        """
        names = list(known)
        shown = short_name(name)
        guess = nearest(shown, names)
        listed = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
        return cls(
            f"There is no {kind} '{shown}'.",
            f"Use '{guess}'." if guess else f"Use one of: {listed or 'none'}.",
            {"name": shown, "nearest": guess, "known": [*names[:_LISTED]]},
        )


def object_schema(properties: JsonMapping, *required: str) -> JsonObject:
    """JSON schema of an object that knows its properties and refuses others.

    Args:
        properties: the schema of each.
        required: the names without which it is refused.
    """
    schema: JsonObject = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    names: list[Json] = [*required]
    return {**schema, "required": names} if names else schema


class ArgumentChecker:
    """Checks the arguments of one tool. Compiles its schema at the first check.

    A check takes time and memory in proportion to the arguments, however much of them is wrong.
    """

    def __init__(self, schema: JsonObject) -> None:
        self._schema = schema

    @cached_property
    def _validator(self) -> "Validator":
        from jsonschema import Draft202012Validator  # noqa: PLC0415  (50 ms that a listing never needs)

        return Draft202012Validator(_cheap_first(self._schema))

    def check(self, arguments: JsonMapping) -> None:
        """Pass, or say what is wrong with one argument.

        Raises:
            ArgumentError: the first thing to mend; `data` holds the argument, the problem and the expected names.
        """
        errors = itertools.islice(_until_too_large(self._validator.iter_errors(arguments)), _LOOKED_AT)
        worst = min(errors, key=_rank, default=None)
        if worst is not None:
            raise _explain(worst)


def _cheap_first(schema: JsonObject) -> JsonObject:
    """The same schema, in the order in which its keywords are to be looked at.

    The names at the top come before what is in them, so that they are among the first errors; sizes come before all.
    """
    names = sorted(schema, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
    return {name: _cheap_first_in(schema[name]) for name in names}


def _cheap_first_in(value: Json) -> Json:
    if isinstance(value, list):
        return [_cheap_first_in(item) for item in value]
    return _cheap_first(value) if isinstance(value, dict) else value


def _until_too_large(errors: "Iterator[ValidationError]") -> "Iterator[ValidationError]":
    """The errors up to the first that says that something is too large, with it: what follows would look at it all."""
    for error in errors:
        yield error
        if error.validator in _SIZES:
            return


def _rank(error: "ValidationError") -> tuple[int, int]:
    keyword = str(error.validator)
    return len(error.absolute_path), _ORDER.index(keyword) if keyword in _ORDER else len(_ORDER)


def _explain(error: "ValidationError") -> ArgumentError:
    where = _path(error.absolute_path)
    known = sorted(_properties(error))
    match error.validator:
        case "additionalProperties":
            return _unknown_name(error, where, known)
        case "required":
            return _missing_name(error, where, known)
        case "enum":
            return _not_in_enum(error, where)
        case _:
            return _wrong_value(error, where)


def _properties(error: "ValidationError") -> dict[str, JsonObject]:
    schema = cast("JsonObject", error.schema)
    return cast("dict[str, JsonObject]", schema.get("properties", {}))


def _unknown_name(error: "ValidationError", where: str, known: Sequence[str]) -> ArgumentError:
    unknown = min(set(cast("JsonObject", error.instance)) - set(known))
    said = UnknownName.among("argument", unknown, known)
    return ArgumentError(
        said.sentence, argument=_join(where, unknown), next_step=said.next_step, problem="unknown", **said.data
    )


def _missing_name(error: "ValidationError", where: str, known: Sequence[str]) -> ArgumentError:
    given = cast("JsonObject", error.instance)
    missing = next(name for name in cast("list[str]", error.validator_value) if name not in given)
    details = cast("dict[str, JsonObject]", cast("JsonObject", error.schema).get("properties", {})).get(missing, {})
    return ArgumentError(
        f"Missing argument '{_join(where, missing)}'.",
        argument=_join(where, missing),
        next_step=f"Add '{missing}' ({_type_words(details)}).",
        problem="missing",
        known=list(known),
    )


def _not_in_enum(error: "ValidationError", where: str) -> ArgumentError:
    values = [str(value) for value in cast("list[Json]", error.validator_value)]
    said = UnknownName.among("value", str(error.instance), values)
    return ArgumentError(
        f"'{where}' cannot be {_shown(error.instance)}.",
        argument=where,
        next_step=said.next_step,
        problem="value",
        **said.data,
    )


def _wrong_value(error: "ValidationError", where: str) -> ArgumentError:
    name = where or "arguments"
    expected = _expected(str(error.validator), cast("Json", error.validator_value))
    shown = _shown(error.instance)
    given = f"{_type_of(error.instance)} ({shown})" if error.validator == "type" else shown
    return ArgumentError(
        f"'{name}' must {expected}, not {given}.",
        argument=name,
        next_step=f"Change '{name}': it must {expected}.",
        problem=str(error.validator),
    )


def _expected(keyword: str, value: Json) -> str:
    """What a keyword of a schema asks for, as the end of "it must ..."."""
    words = {
        "minimum": f"be at least {value}",
        "maximum": f"be at most {value}",
        "exclusiveMinimum": f"be more than {value}",
        "exclusiveMaximum": f"be less than {value}",
        "minLength": f"have at least {value} characters" if value != 1 else "not be empty",
        "maxLength": f"have at most {value} characters",
        "minItems": f"have at least {value} entries",
        "maxItems": f"have at most {value} entries",
        "minProperties": f"have at least {value} entries",
        "maxProperties": f"have at most {value} entries",
        "type": f"be {_type_words({'type': value})}",
    }
    return words.get(keyword, f"fit {keyword} {_shown(value)}")


def _path(parts: Iterable[str | int]) -> str:
    text = ""
    for part in parts:
        text = f"{text}[{part}]" if isinstance(part, int) else _join(text, part)
    return text if len(text) <= _PATH_SHOWN else f"{text[:_PATH_SHOWN]}..."


def _join(where: str, name: str) -> str:
    shown = short_name(name)
    return f"{where}.{shown}" if where else shown


def _shown(value: object) -> str:
    text = repr(value[: _SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _type_words(schema: JsonObject) -> str:
    kinds = schema.get("type")
    names = [str(kind) for kind in kinds] if isinstance(kinds, list) else [str(kinds or "value")]
    return " or ".join(_with_article(name) for name in names)


def _with_article(name: str) -> str:
    return name if name == "null" else f"{'an' if name[0] in 'aeio' else 'a'} {name}"


def _type_of(value: object) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return _with_article(kinds[type(value)]) if type(value) in kinds else "null"
