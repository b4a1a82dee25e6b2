"""Answers as the wire shows them: one document, structured and as text, the same in both."""

import json
import logging
import secrets
from typing import Final

from mcp_types import CallToolResult, ContentBlock, TextContent

from handrail.errors import HandrailError
from handrail.json_types import JsonObject
from handrail.runs import Run, RunReason, bounded_view

__all__ = ["as_wire", "error_document", "internal_error_result", "run_result", "tool_result"]

_LOG: Final = logging.getLogger("handrail.protocol")


def tool_result(
    document: JsonObject, *, is_error: bool = False, beside: tuple[ContentBlock, ...] = ()
) -> CallToolResult:
    """One document as the answer of a tool, and what is shown beside it: images, links.

    Raises:
        ValueError: the document holds a number that JSON cannot say.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half a surrogate pair has no place in UTF-8; it would end the connection.
        text = text.encode(errors="replace").decode()
        document = json.loads(text)
    content: list[ContentBlock] = [TextContent(type="text", text=text), *beside]
    return CallToolResult(content=content, structured_content=document, is_error=is_error)


def error_document(error: HandrailError) -> JsonObject:
    """`{"error": {type, code, message, next}}`, and `data` where there is some."""
    return {"error": error.as_json()}


def internal_error_result(tool: str) -> CallToolResult:
    """What a caller sees of an exception that nobody foresaw: nothing of it. Call inside `except`; it is logged."""
    incident = secrets.token_hex(4)
    _LOG.exception("Tool %s failed in an unforeseen way (incident %s)", tool, incident)
    shown: JsonObject = {
        "type": "internal",
        "code": None,
        "message": "The tool failed in an unforeseen way.",
        "next": "Try once more; if it fails again, the server's log has the cause.",
        "data": {"incident": incident},
    }
    return tool_result({"error": shown}, is_error=True)


def run_result(run: Run) -> CallToolResult:
    """A run as the answer of a tool. One that was rejected answers with the words of the plain call's error."""
    if run.reason is RunReason.REJECTED and run.result is not None:
        return tool_result(run.result, is_error=True)
    return tool_result(bounded_view(run), is_error=run.is_error)


def as_wire(result: CallToolResult, *, modern: bool) -> JsonObject:
    """A tool's result as it stands inside another message; `resultType` belongs to 2026-07-28 only."""
    wire: JsonObject = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    if not modern:
        wire.pop("resultType", None)
    return wire
