"""The tablesdb service, second part: columns, what each type takes, and their becoming available."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus

from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.sandbox.errors import ApiError, Fail, argument_invalid
from handrail.sandbox.filters import Kind
from handrail.sandbox.finding import find_table
from handrail.sandbox.params import is_datetime, is_email, is_ip, is_url
from handrail.sandbox.routing import NO_CONTENT, Answer, Call, Route, listing, text_fields
from handrail.sandbox.state import SandboxState, Table

__all__ = ["ROUTES", "column_kind", "is_available", "objection", "seen_columns"]

_READ = ("tables.read", "collections.read", "columns.read", "attributes.read")
_WRITE = ("tables.write", "collections.write", "columns.write", "attributes.write")
_FIELDS = text_fields("key", "type", "status")
_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1
_MAX_STRING, _MAX_VARCHAR = 1_073_741_824, 16_381
_WHOLE_RULE = (
    "Value must be a valid signed 64-bit integer between -9,223,372,036,854,775,808 and 9,223,372,036,854,775,808"
)
_DATE_RULE = "Value must be valid date between 1000-01-01 00:00:00 and 9999-12-31 23:59:59."


class Shape(StrEnum):
    """A column type by the word in its path."""

    STRING = "string"
    VARCHAR = "varchar"
    TEXT = "text"
    MEDIUMTEXT = "mediumtext"
    LONGTEXT = "longtext"
    INTEGER = "integer"
    BIGINT = "bigint"
    FLOAT = "float"
    BOOLEAN = "boolean"
    DATETIME = "datetime"
    EMAIL = "email"
    ENUM = "enum"
    IP = "ip"
    URL = "url"


@dataclass(frozen=True, slots=True)
class Kindred:
    """What a column type means on the wire: `type`, `format` where it has one, and the fields of its own."""

    wire_type: str
    wire_format: str | None = None
    own: JsonMapping = field(default_factory=dict)


_TEXT_OWN: JsonObject = {"encrypt": False}
_SIZED_OWN: JsonObject = {"size": 0, "encrypt": False}
_RANGE_OWN: JsonObject = {"min": None, "max": None}
_KINDRED: dict[Shape, Kindred] = {
    Shape.STRING: Kindred("string", None, _SIZED_OWN),
    Shape.VARCHAR: Kindred("varchar", None, _SIZED_OWN),
    Shape.TEXT: Kindred("text", None, _TEXT_OWN),
    Shape.MEDIUMTEXT: Kindred("mediumtext", None, _TEXT_OWN),
    Shape.LONGTEXT: Kindred("longtext", None, _TEXT_OWN),
    Shape.INTEGER: Kindred("integer", None, _RANGE_OWN),
    Shape.BIGINT: Kindred("bigint", None, _RANGE_OWN),
    Shape.FLOAT: Kindred("double", None, _RANGE_OWN),
    Shape.BOOLEAN: Kindred("boolean"),
    Shape.DATETIME: Kindred("datetime", ""),
    Shape.EMAIL: Kindred("string", "email"),
    Shape.ENUM: Kindred("string", "enum", {"elements": []}),
    Shape.IP: Kindred("string", "ip"),
    Shape.URL: Kindred("string", "url"),
}
# What an answer shows of a field that a column of another type does not have.
_LESS: JsonObject = {"size": 0, "encrypt": None, "min": None, "max": None, "elements": []}
_COMMON = frozenset({"key", "type", "error", "required", "array", "$createdAt", "$updatedAt", "default"})
_LONGEST = {"text": 16_383, "mediumtext": 4_194_303, "longtext": 1_073_741_823}
_FORMATS: dict[str, tuple[Callable[[Json], bool], str]] = {
    "email": (is_email, "Value must be a valid email address"),
    "ip": (is_ip, "Value must be a valid IP address"),
    "url": (is_url, "Value must be a valid URL"),
}


def is_available(table: Table, key: str) -> bool:
    """Whether the column exists and has been made."""
    return key in table.columns and not table.pending.get(key)


def column_kind(column: JsonObject) -> Kind:
    """How a column's values compare."""
    if column["type"] in {"integer", "bigint", "double"}:
        return Kind.NUMBER
    return Kind.FLAG if column["type"] == "boolean" else Kind.TEXT


def seen_columns(table: Table) -> Iterator[JsonObject]:
    """Every column as a read shows it; reading is what brings a column nearer to `available`."""
    return (_seen(table, key) for key in table.columns)


def _seen(table: Table, key: str) -> JsonObject:
    left = table.pending.get(key, 0)
    # One read more than the setting asks for: the read that first finds the column `available`.
    table.pending[key] = max(left - 1, 0)
    return {**table.columns[key], "status": "processing" if left > 1 else "available"}


def objection(column: JsonObject, value: Json) -> str | None:
    """What is wrong with a value for this column, in Appwrite's words; None if nothing is. Null is always allowed."""
    if value is None:
        return None
    if column["array"] is True:
        if not isinstance(value, list):
            return "Value must be an array"
        return next(filter(None, (_scalar_objection(column, item) for item in value)), None)
    return _scalar_objection(column, value)


def _scalar_objection(column: JsonObject, value: Json) -> str | None:
    match column["type"]:
        case "integer" | "bigint":
            return _whole_objection(column, value)
        case "double":
            number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            return _range_objection(column, value) if number else "Value must be a valid float"
        case "boolean":
            return None if isinstance(value, bool) else "Value must be a valid boolean"
        case "datetime":
            return None if is_datetime(value) else _DATE_RULE
        case _:
            return _text_objection(column, value)


def _whole_objection(column: JsonObject, value: Json) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int) or not _INT_MIN <= value <= _INT_MAX:
        return _WHOLE_RULE
    return _range_objection(column, value)


def _range_objection(column: JsonObject, value: Json) -> str | None:
    low, high = column.get("min"), column.get("max")
    if not isinstance(value, int | float):
        return "Value must be a valid number"
    if (isinstance(low, int | float) and value < low) or (isinstance(high, int | float) and value > high):
        return f"Value must be a valid range between {low} and {high}"
    return None


def _text_objection(column: JsonObject, value: Json) -> str | None:
    size, elements, wire_format = column.get("size"), column.get("elements"), column.get("format")
    longest = size if isinstance(size, int) and size else _LONGEST.get(str(column["type"]), _MAX_STRING)
    if not isinstance(value, str) or len(value) > longest:
        return f"Value must be a valid string and no longer than {longest} chars"
    if isinstance(elements, list) and value not in elements:
        return f"Value must be one of ({', '.join(map(str, elements))})"
    meets, rule = _FORMATS.get(str(wire_format), (lambda _: True, ""))
    return None if meets(value) else rule


def _own_fields(call: Call, shape: Shape, kept: JsonMapping) -> JsonObject:
    """The fields that only this type has, as asked for, else as they were."""
    params, own = call.params, dict(kept)
    if "size" in own and "size" in params:
        own["size"] = params.whole("size", 1, _MAX_STRING if shape is Shape.STRING else _MAX_VARCHAR)
    if "encrypt" in own and "encrypt" in params:
        own["encrypt"] = params.flag("encrypt")
    for bound in ("min", "max"):
        if bound in own and bound in params:
            own[bound] = params.number_or(bound, 0)
    if "elements" in own and "elements" in params:
        own["elements"] = list[Json](params.texts("elements"))
    return own


def _check_default(column: JsonObject) -> None:
    default = column["default"]
    if default is None:
        return
    wrong = objection({**column, "array": False}, default)
    if wrong is not None:
        raise argument_invalid("default", f"{wrong} or null")
    if column["required"] is True or column["array"] is True:
        raise ApiError(Fail.COLUMN_DEFAULT)


def _creator(shape: Shape) -> Callable[[Call], Answer]:
    def create(call: Call) -> Answer:
        params, kindred = call.params, _KINDRED[shape]
        key, required = params.key("key"), params.flag("required")
        own = _own_fields(call, shape, kindred.own)
        if own.get("size") == 0:
            raise ApiError(Fail.ARGUMENT_INVALID, 'Param "size" is not optional.')
        table = find_table(call)
        now = call.state.stamp()
        column: JsonObject = {
            "key": key,
            "type": kindred.wire_type,
            "error": "",
            "required": required,
            "array": params.flag_or("array", default=False),
            "$createdAt": now,
            "$updatedAt": now,
            **_named_format(kindred),
            **own,
            "default": params.raw("default"),
        }
        _check_default(column)
        if key in table.columns:
            raise ApiError(Fail.COLUMN_EXISTS, key)
        _add(call.state, table, key, column)
        return Answer({**column, "status": "processing"}, HTTPStatus.ACCEPTED)

    return create


def _add(state: SandboxState, table: Table, key: str, column: JsonObject) -> None:
    table.columns[key] = column
    table.pending[key] = state.processing_reads + 1
    for row in table.rows.values():
        row[key] = column["default"]


def _updater(shape: Shape) -> Callable[[Call], Answer]:
    def update(call: Call) -> Answer:
        params, kindred, (table, key) = call.params, _KINDRED[shape], _column(call)
        column = table.columns[key]
        own = _own_fields(call, shape, {name: column.get(name, _LESS[name]) for name in kindred.own})
        changes: JsonObject = {
            "required": params.flag("required"),
            "default": params.raw("default"),
            "$updatedAt": call.state.stamp(),
        }
        # The real one checks the default as the path's type has it and lets a column of another type through.
        _check_default({**column, **own, **_named_format(kindred), **changes, "type": kindred.wire_type})
        new_key = params.key("newKey") if "newKey" in params else key
        if new_key != key and new_key in table.columns:
            raise ApiError(Fail.COLUMN_EXISTS, new_key)
        kept = {name: value for name, value in own.items() if name in column}
        _rename(table, key, new_key, {**column, **kept, **changes})
        common = {name: value for name, value in table.columns[new_key].items() if name in _COMMON}
        return Answer({**common, "status": "available", **_named_format(kindred), **own})

    return update


def _named_format(kindred: Kindred) -> JsonObject:
    return {} if kindred.wire_format is None else {"format": kindred.wire_format}


def _rename(table: Table, key: str, new_key: str, column: JsonObject) -> None:
    table.columns = {
        (new_key if name == key else name): ({**column, "key": new_key} if name == key else other)
        for name, other in table.columns.items()
    }
    if new_key != key:
        table.pending[new_key] = table.pending.pop(key, 0)
        for row in table.rows.values():
            row[new_key] = row.pop(key, None)


def _column(call: Call) -> tuple[Table, str]:
    table, key = find_table(call), call.ids["key"]
    if key not in table.columns:
        raise ApiError(Fail.COLUMN_NOT_FOUND, key)
    return table, key


def _list(call: Call) -> Answer:
    return listing(call, "columns", list(seen_columns(find_table(call))), _FIELDS, "Column")


def _get(call: Call) -> Answer:
    return Answer(_seen(*_column(call)))


def _delete(call: Call) -> Answer:
    table, key = _column(call)
    del table.columns[key]
    table.pending.pop(key, None)
    for row in table.rows.values():
        row.pop(key, None)
    return NO_CONTENT


_COLUMNS = "/tablesdb/{databaseId}/tables/{tableId}/columns"
ROUTES = (
    *(Route("POST", f"{_COLUMNS}/{shape}", _WRITE, _creator(shape)) for shape in Shape),
    *(Route("PATCH", f"{_COLUMNS}/{shape}/{{key}}", _WRITE, _updater(shape)) for shape in Shape),
    Route("GET", _COLUMNS, _READ, _list),
    Route("GET", f"{_COLUMNS}/{{key}}", _READ, _get),
    Route("DELETE", f"{_COLUMNS}/{{key}}", _WRITE, _delete),
)
