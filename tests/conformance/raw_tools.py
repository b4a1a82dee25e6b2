"""Fixture tools with answers that a `ServerTool` has no words for: other content, logs, requests to the client."""

from collections.abc import Awaitable, Callable
from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    CreateMessageResult,
    ElicitResult,
    InputRequiredResult,
)

from handrail.json_types import JsonObject
from handrail.protocol.context import Context
from tests.conformance.asking import form, one_field, sampling
from tests.conformance.samples import embedded, image, sound, text

__all__ = ["RAW_TOOLS", "RawTool"]

RawTool = Callable[[Context, CallToolRequestParams], Awaitable[CallToolResult | InputRequiredResult]]

_DEFAULTS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
_VALUES: Final = ("option1", "option2", "option3")
_TITLED: Final[list[JsonObject]] = [{"const": f"value{number}", "title": f"Value {number}"} for number in (1, 2, 3)]
_ENUMS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": list(_VALUES)},
        "titledSingle": {"type": "string", "oneOf": list(_TITLED)},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": list(_VALUES)}},
        "titledMulti": {"type": "array", "items": {"anyOf": list(_TITLED)}},
    },
}


def _shows(*content: ContentBlock) -> RawTool:
    async def answer(_ctx: Context, _params: CallToolRequestParams) -> CallToolResult:
        return CallToolResult(content=list(content))

    return answer


async def _greet(_ctx: Context, params: CallToolRequestParams) -> CallToolResult:
    return CallToolResult(content=[text(f"Hello, {(params.arguments or {}).get('name')}!")])


async def _logs(ctx: Context, _params: CallToolRequestParams) -> CallToolResult:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)
    return CallToolResult(content=[text("logged three times")])


async def _samples(ctx: Context, params: CallToolRequestParams) -> CallToolResult:
    request = sampling(str((params.arguments or {}).get("prompt")))
    answer = await ctx.session.create_message(
        request.params.messages, max_tokens=request.params.max_tokens, related_request_id=ctx.request_id
    )
    assert isinstance(answer, CreateMessageResult)
    return CallToolResult(content=[text(f"the model said {answer.content}")])


def _elicits(schema: JsonObject) -> RawTool:
    async def answer(ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        message = str((params.arguments or {}).get("message", "Please fill this in."))
        said: ElicitResult = await ctx.session.elicit_form(message, dict(schema), ctx.request_id)
        return CallToolResult(content=[text(f"action={said.action}, content={said.content}")])

    return answer


async def _needs_sampling(ctx: Context, _params: CallToolRequestParams) -> CallToolResult:
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        missing: JsonObject = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "Missing required client capability", missing)
    return CallToolResult(content=[text("sampling is there")])


async def _streams_then_asks(ctx: Context, _params: CallToolRequestParams) -> InputRequiredResult:
    await ctx.session.report_progress(1, 2, "about to ask")
    return InputRequiredResult(input_requests={"name": form("Your name?", one_field("name"))})


RAW_TOOLS: Final[dict[str, RawTool]] = {
    "greet": _greet,
    "test_image_content": _shows(image()),
    "test_audio_content": _shows(sound()),
    "test_embedded_resource": _shows(embedded("test://embedded-resource", "embedded")),
    "test_multiple_content_types": _shows(
        text("several"), image(), embedded("test://mixed-content-resource", '{"test":1}', "application/json")
    ),
    "test_tool_with_logging": _logs,
    "test_logging_tool": _logs,
    "test_sampling": _samples,
    "test_elicitation": _elicits(one_field("response")),
    "test_elicitation_sep1034_defaults": _elicits(_DEFAULTS),
    "test_elicitation_sep1330_enums": _elicits(_ENUMS),
    "test_missing_capability": _needs_sampling,
    "test_streaming_elicitation": _streams_then_asks,
}
