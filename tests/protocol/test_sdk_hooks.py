"""What we build on in the SDK and what it does not promise: these fail loudly when it changes."""

import inspect
from dataclasses import fields, replace

import pytest
from mcp.client import Client
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, RequestParams, TextContent

from handrail.json_types import JsonObject
from handrail.protocol import HandrailServer
from handrail.protocol.eras import route_by_era
from tests.protocol.peer import Era, connected

pytestmark = pytest.mark.unit


async def tool(_ctx: ServerRequestContext[object], _params: CallToolRequestParams) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text="tool")])


async def test_our_middleware_is_the_innermost_of_the_servers(server: HandrailServer) -> None:
    assert server.middleware[-1] is route_by_era
    assert len(server.middleware) == 2, "the SDK ships one middleware of its own"


def test_a_context_can_be_copied_with_another_method() -> None:
    names = {field.name for field in fields(ServerRequestContext)}

    assert {"method", "params", "protocol_version", "session", "request", "request_id", "lifespan_context"} <= names
    assert list(inspect.signature(Server.add_request_handler).parameters) == [
        "self",
        "method",
        "params_type",
        "handler",
    ]


async def test_a_middleware_may_send_a_call_to_a_method_whose_answer_is_not_squeezed() -> None:
    shape: JsonObject = {"task": {"anything": None}, "_meta": {"more": 1}}
    seen: list[tuple[str, object]] = []

    async def other(_ctx: ServerRequestContext[object], params: CallToolRequestParams) -> JsonObject:
        seen.append((params.name, params.arguments))
        return shape

    async def divert(ctx: ServerRequestContext[object], call_next: CallNext) -> HandlerResult:
        return await call_next(replace(ctx, method="x/other") if ctx.method == "tools/call" else ctx)

    server: Server[object] = Server("bare", on_call_tool=tool)
    server.add_request_handler("x/other", CallToolRequestParams, other)
    server.middleware.append(divert)

    async with connected(server, Era.V2025_11) as peer:
        result = await peer.result("tools/call", {"name": "t", "arguments": {"a": 1}, "task": {}})

    assert result == shape
    assert seen == [("t", {"a": 1})]


async def test_without_that_the_sdk_has_no_place_for_a_task_in_the_answer_to_a_call() -> None:
    async def as_task(_ctx: ServerRequestContext[object], _params: CallToolRequestParams) -> JsonObject:
        return {"task": {"taskId": "t"}}

    server: Server[object] = Server("bare")
    server.add_request_handler("tools/call", CallToolRequestParams, as_task)

    async with connected(server, Era.V2025_11) as peer:
        error = await peer.error("tools/call", {"name": "t", "arguments": {}})

    assert error["code"] == -32603, "the SDK knows tasks now: the detour through a method of its own can go"


async def test_a_middleware_sees_the_answer_to_initialize_as_it_goes_out() -> None:
    answers: list[HandlerResult] = []

    async def watch(ctx: ServerRequestContext[object], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method == "initialize":
            answers.append(result)
        return result

    server: Server[object] = Server("bare", on_call_tool=tool)
    server.middleware.append(watch)

    async with connected(server, Era.V2025_06):
        pass

    assert isinstance(answers[0], dict)
    assert answers[0]["protocolVersion"] == "2025-06-18"
    assert isinstance(answers[0]["capabilities"], dict)


async def test_an_answer_with_a_type_of_an_extension_passes_in_the_new_generation() -> None:
    async def as_task(_ctx: ServerRequestContext[object], _params: RequestParams) -> JsonObject:
        return {"resultType": "task", "taskId": "t", "nothing": None}

    server: Server[object] = Server("bare")
    server.add_request_handler("tools/call", CallToolRequestParams, as_task)

    async with connected(server, Era.MODERN_TASKS) as peer:
        result = await peer.result("tools/call", {"name": "t"})

    assert result["taskId"] == "t"
    assert "nothing" in result


async def test_the_sdks_own_client_sees_the_capabilities_of_its_generation(server: HandrailServer) -> None:
    async with Client(server) as modern, Client(server, mode="legacy") as legacy:
        assert modern.server_capabilities.tasks is None
        assert modern.server_capabilities.extensions
        assert legacy.server_capabilities.tasks is not None
        assert legacy.server_capabilities.extensions is None
