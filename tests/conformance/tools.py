"""Fixture tools that `ServerTool` can express: they run through the product as a toolset's would."""

from typing import Final

from mcp_types import ToolAnnotations

from handrail.errors import RefusedError
from handrail.json_types import JsonMapping, JsonObject
from handrail.protocol import Call, ServerTool, ToolAnswer, ToolHandler

__all__ = ["READS", "TOOLS", "schema", "tool"]

READS: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

_KEYWORDS: Final[JsonObject] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""Every keyword of JSON Schema 2020-12 that the suite looks for in a listing."""


def schema(properties: JsonObject | None = None, *required: str) -> JsonObject:
    return {
        "type": "object",
        "properties": properties or {},
        "required": list(required),
        "additionalProperties": False,
    }


def tool(name: str, handler: ToolHandler, input_schema: JsonObject | None = None) -> ServerTool:
    return ServerTool(name, name.replace("_", " "), f"Fixture: {name}.", input_schema or schema(), READS, handler)


async def _simple(_call: Call, _arguments: JsonMapping) -> ToolAnswer:
    return ToolAnswer({"said": "This is a simple text response for testing."})


async def _refused(_call: Call, _arguments: JsonMapping) -> ToolAnswer:
    raise RefusedError("This tool intentionally returns an error for testing", next_step="Nothing: it always does.")


async def _progress(call: Call, _arguments: JsonMapping) -> ToolAnswer:
    for done in (0, 50, 100):
        await call.progress(f"{done} of 100", done, 100)
    return ToolAnswer({"done": 100})


async def _given(_call: Call, arguments: JsonMapping) -> ToolAnswer:
    return ToolAnswer(dict(arguments))


TOOLS: Final = (
    tool("test_simple_text", _simple),
    tool("test_error_handling", _refused),
    tool("test_tool_with_progress", _progress),
    tool("test_x_mcp_header", _given, schema({"region": {"type": "string", "x-mcp-header": "Region"}})),
    tool("json_schema_2020_12_tool", _given, _KEYWORDS),
)
