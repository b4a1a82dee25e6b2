"""One example call of a method, made of its schema: what a caller fills in stands in angle brackets."""

from typing import Final

from handrail.appwrite.catalog.model import Method, Parameter
from handrail.appwrite.definitions import CONFIRM_WRITE, PublicTool
from handrail.json_types import Json, JsonMapping, JsonObject

__all__ = ["example_call"]

_NEW_ID: Final = "unique()"
_QUERY: Final = '{"method":"limit","values":[25]}'
_SOME_KEYS: Final = 2  # such as a file's name and its text
_TEXTS: Final = {
    "email": "ada@example.com",
    "phone": "+12065550100",
    "password": "<password, 8 characters or more>",
    "url": "https://example.com",
}


def example_call(method: Method, *, reads: bool) -> JsonObject:
    """A call of the public tool that takes this method, with what it needs.

    Args:
        method: the method.
        reads: whether it is proven to change nothing.
    """
    arguments: JsonObject = {"tool_name": method.tool, "arguments": _arguments(method)}
    if reads:
        return {"tool": PublicTool.READ.value, "arguments": arguments}
    return {"tool": PublicTool.CALL.value, "arguments": {**arguments, CONFIRM_WRITE: True}}


def _arguments(method: Method) -> JsonObject:
    given = {one.name: _value(one) for one in method.parameters if one.required}
    if any(one.name == "queries" and not one.required for one in method.parameters):
        given["queries"] = [_QUERY]
    return given


def _value(parameter: Parameter) -> Json:
    schema, name = parameter.schema, parameter.name
    options = schema.get("enum")
    if isinstance(options, list) and options:
        return options[0]
    kinds = schema.get("type")
    match kinds[0] if isinstance(kinds, list) else kinds:
        case "boolean":
            return True
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "array":
            return [_item(schema, name)]
        case "object":
            return _object(schema)
        case _:
            return _text(name, str(schema.get("description", "")))


def _item(schema: JsonMapping, name: str) -> Json:
    items = schema.get("items")
    if isinstance(items, dict):
        options = items.get("enum")
        if isinstance(options, list) and options:
            return options[0]
        if items.get("type") == "object":
            return _object(items)
    return _QUERY if name == "queries" else f"<one of {name}>"


def _object(schema: JsonMapping) -> Json:
    """An object with the keys that it must have, or with the first ones that it may have, or with any."""
    known = schema.get("properties")
    if not isinstance(known, dict) or not known:
        return {"<key>": "<value>"}
    needed = schema.get("required")
    names = [str(name) for name in needed] if isinstance(needed, list) and needed else [*known][:_SOME_KEYS]
    return {name: f"<{name}>" for name in names}


def _text(name: str, description: str) -> str:
    if _NEW_ID in description:
        return _NEW_ID
    known = next((text for ending, text in _TEXTS.items() if name.endswith(ending)), None)
    return known or f"<{name.replace('_', ' ')}>"
