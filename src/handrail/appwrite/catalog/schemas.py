"""A type annotation of the SDK as the JSON schema of an argument."""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from handrail.appwrite.catalog.shape import unknown_shape
from handrail.json_types import Json, JsonObject

__all__ = ["FILE_TYPE", "Enums", "nullable", "read_enums", "schema_of"]

Enums = Mapping[str, tuple[str | int, ...]]
"""The values of each enum class of an SDK."""

FILE_TYPE: Final = "InputFile"

_SIMPLE: Final = {"str": "string", "float": "number", "int": "integer", "bool": "boolean"}


def read_enums(folder: Path) -> Enums:
    """The values of every enum in a folder of SDK source.

    Raises:
        SdkShapeError: an enum there has a member that is not a constant.
    """
    enums: dict[str, tuple[str | int, ...]] = {}
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] == ["Enum"]:
                enums[node.name] = tuple(_enum_values(node, f"enums/{path.name}"))
    return enums


def schema_of(annotation: ast.expr, enums: Enums, where: str) -> JsonObject:
    """The JSON schema of the values that an annotation allows.

    Args:
        annotation: as it stands in the source.
        enums: the values of each enum class.
        where: `service.method`, for the error.

    Raises:
        SdkShapeError: the annotation means nothing here.
    """
    match annotation:
        case ast.Name(id=name) if (schema := _named(name, enums)) is not None:
            return schema
        case ast.Constant(value=None):
            return {"type": "null"}
        case ast.Subscript(value=ast.Name(id=name), slice=inner):
            return _generic(name, inner, annotation, enums, where)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union(schema_of(side, enums, where) for side in (left, right))
        case _:
            raise unknown_shape(where, annotation, "an argument has a type that is not known")


def nullable(schema: JsonObject) -> JsonObject:
    """The schema with null allowed too."""
    members = schema.get("anyOf")
    if isinstance(members, list):
        return schema if {"type": "null"} in members else {**schema, "anyOf": [*members, {"type": "null"}]}
    kinds = schema.get("type")
    if kinds is None:  # no type: anything goes, null included
        return schema
    listed: list[Json] = [*kinds] if isinstance(kinds, list) else [kinds]
    if "null" in listed:
        return schema
    values = schema.get("enum")
    widened: JsonObject = {**schema, "type": [*listed, "null"]}
    return {**widened, "enum": [*values, None]} if isinstance(values, list) else widened


def _named(name: str, enums: Enums) -> JsonObject | None:
    if name == "Any":
        return {}
    if name == FILE_TYPE:
        return _file_schema()
    if name in enums:
        return _enum_schema(enums[name])
    return {"type": _SIMPLE[name]} if name in _SIMPLE else None


def _generic(name: str, inner: ast.expr, annotation: ast.expr, enums: Enums, where: str) -> JsonObject:
    match name, inner:
        case "Optional", _:
            return nullable(schema_of(inner, enums, where))
        case (("List" | "list"), _):
            items = schema_of(inner, enums, where)
            return {"type": "array", "items": items} if items else {"type": "array"}
        case (("Dict" | "dict"), ast.Tuple(elts=[ast.Name(id="str"), values])):
            value_schema = schema_of(values, enums, where)
            return {"type": "object", "additionalProperties": value_schema} if value_schema else {"type": "object"}
        case "Union", ast.Tuple(elts=members):
            return _union(schema_of(member, enums, where) for member in members)
        case _:
            raise unknown_shape(where, annotation, "an argument has a type that is not known")


def _union(schemas: Iterable[JsonObject]) -> JsonObject:
    members = list(schemas)
    rest = [member for member in members if member != {"type": "null"}]
    if {} in members:
        return {}
    joined: JsonObject = rest[0] if len(rest) == 1 else {"anyOf": [*rest]}
    return nullable(joined) if len(rest) < len(members) else joined


def _file_schema() -> JsonObject:
    return {
        "type": "object",
        "properties": {
            "filename": {"type": "string", "minLength": 1},
            "text": {"type": "string", "description": "The content as text, sent in UTF-8."},
            "base64": {"type": "string", "contentEncoding": "base64", "description": "The content in base64."},
            "path": {"type": "string", "minLength": 1, "description": "In a folder that the server may upload from."},
        },
        # Which of them go together says whoever reads the file; without `oneOf`, so that null can be added.
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 2,
    }


def _enum_schema(values: tuple[str | int, ...]) -> JsonObject:
    kinds = sorted({"string" if isinstance(value, str) else "integer" for value in values})
    return {"type": kinds[0] if len(kinds) == 1 else [*kinds], "enum": [*values]}


def _enum_values(node: ast.ClassDef, where: str) -> Iterable[str | int]:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=str() | int() as value)):
                yield value
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                continue
            case _:
                raise unknown_shape(where, statement, f"'{node.name}' has a member that is not a constant")
