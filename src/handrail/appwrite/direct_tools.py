"""Methods as tools of their own, for hosts that search tools themselves: same gate and answers as the call tools."""

from collections.abc import Iterable
from functools import partial
from typing import Final

from handrail.approvals import Consent
from handrail.appwrite.calls import Calls
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.definitions import (
    ALL,
    ALL_SCHEMA,
    APPROVAL,
    APPROVAL_SCHEMA,
    CONFIRM_WRITE,
    CONFIRM_WRITE_SCHEMA,
)
from handrail.appwrite.evidence import judge
from handrail.appwrite.outcome import refused, tool_answer
from handrail.appwrite.request import CallRequest
from handrail.errors import HandrailError
from handrail.hints import Effect
from handrail.json_types import JsonMapping, JsonObject
from handrail.protocol.tool import Call, ServerTool, ToolAnswer, ToolHandler

__all__ = ["MAX_DESCRIPTION", "direct_tools"]

_SURFACE: Final = "direct"
_FOR_THE_GATE: Final[JsonObject] = {
    CONFIRM_WRITE: CONFIRM_WRITE_SCHEMA,
    APPROVAL: APPROVAL_SCHEMA,
    ALL: ALL_SCHEMA,
}

MAX_DESCRIPTION: Final = 500
"""Characters of a direct tool's description: nine of ten SDK texts are whole, and a thousand tools stay affordable."""


def direct_tools(methods: Iterable[Method], calls: Calls) -> list[ServerTool]:
    """One tool for each method, under the method's own tool name.

    Args:
        methods: what to show. A method that is not among them has no handler here, so what narrows them also narrows
            what can be called.
        calls: checks, gates and sends.
    """
    return [_direct_tool(method, calls) for method in methods]


def _direct_tool(method: Method, calls: Calls) -> ServerTool:
    effect = judge(method)
    # A method's own title, such as "Delete", is that of many methods.
    title = f"{method.title} ({method.service})"
    return ServerTool(
        name=method.tool,
        title=title,
        description=_description(method),
        input_schema=_schema(method, effect),
        annotations=effect.hints.annotations(title),
        handler=_read_handler(method.tool, calls) if effect.is_read else _write_handler(method.tool, calls),
        refusal=partial(_refused, method.tool),
        meta=_meta(method, effect),
    )


def _schema(method: Method, effect: Effect) -> JsonObject:
    schema = method.input_schema()
    properties = schema["properties"]
    if effect.is_read or not isinstance(properties, dict):
        return schema
    # No SDK method has an argument of one of these names (a test holds that); they are for the gate and are not sent.
    return {**schema, "properties": {**properties, **_FOR_THE_GATE}}


def _description(method: Method) -> str:
    text = method.description or method.summary or method.title
    if method.deprecation is not None:
        replacement = method.deprecation.replacement
        text = f"Deprecated{f': use {replacement}' if replacement else ''}. {text}"
    if len(text) <= MAX_DESCRIPTION:
        return text
    whole_words = text[:MAX_DESCRIPTION].rsplit(maxsplit=1)[0]
    return f"{whole_words[: MAX_DESCRIPTION - 1]}…"


def _meta(method: Method, effect: Effect) -> JsonObject:
    return {
        "handrail/service": method.service,
        "handrail/risks": [*sorted(effect.risks)],
        "handrail/rule": effect.rule,
        "handrail/reason": effect.reason,
    }


def _read_handler(tool: str, calls: Calls) -> ToolHandler:
    async def handler(call: Call, arguments: JsonMapping) -> ToolAnswer:
        # Reads only: what is listed as a read stays one, whatever its arguments make of it.
        return tool_answer(await calls.call(CallRequest(tool, arguments, _SURFACE, reads_only=True), call))

    return handler


def _write_handler(tool: str, calls: Calls) -> ToolHandler:
    async def handler(call: Call, arguments: JsonMapping) -> ToolAnswer:
        own = {name: value for name, value in arguments.items() if name not in _FOR_THE_GATE}
        consent = Consent(confirm_write=arguments.get(CONFIRM_WRITE), approval=arguments.get(APPROVAL))
        request = CallRequest(tool, own, _SURFACE, consent=consent, every=arguments.get(ALL))
        return tool_answer(await calls.call(request, call))

    return handler


def _refused(tool: str, _arguments: JsonMapping, error: HandrailError) -> JsonObject:
    return refused(tool, error).as_json()
