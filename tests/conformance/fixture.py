"""The server that the suite drives: the product's own, with what the suite wants and Handrail does not have put around.

The product answers the listing, the plain tools, the runs and every `tasks/*`, in both generations. The fixture answers
before it where a tool says what a toolset has no words for (`raw_tools`, `round_trips`), turns clients away that cannot
take a task where the suite has tools that need one, and shows one job's end as the JSON-RPC error that no run of
Handrail ends with.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NoReturn

from mcp.server.context import HandlerResult
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    CallToolRequestParams,
    DiscoverResult,
    InputRequiredResult,
)
from pydantic import BaseModel

from handrail.json_types import JsonMapping, JsonObject
from handrail.protocol import Call, HandrailServer, ServerTool, create_server
from handrail.protocol.context import Context, is_modern
from handrail.protocol.extension_tasks import require_declared
from handrail.runs import MemoryEngine
from tests.conformance.asking import accepted
from tests.conformance.offers import add_offers
from tests.conformance.raw_tools import RAW_TOOLS
from tests.conformance.round_trips import ROUND_TRIPS, ask_name
from tests.conformance.run_tools import NEED_A_TASK, PROTOCOL_ERROR, RUN_TOOLS, perform
from tests.conformance.tools import TOOLS, schema, tool

__all__ = ["Handler", "fixture_server", "replace_handler"]

Handler = Callable[[Context, BaseModel], Awaitable[HandlerResult]]
"""A request handler, whatever its parameters and its answer."""

_NAME: Final = "conformance fixture"
_SHOWN_BEFORE: Final = {**RAW_TOOLS, **ROUND_TRIPS}
_ARGUMENTS: Final = {
    "greet": schema({"name": {"type": "string"}}),
    "test_sampling": schema({"prompt": {"type": "string"}}),
    "test_elicitation": schema({"message": {"type": "string"}}),
}


@asynccontextmanager
async def fixture_server(records: Path) -> AsyncIterator[HandrailServer]:
    """The fixture on a running engine that keeps its records in a folder."""
    async with MemoryEngine(perform, records=records, slots=32) as engine:
        server = create_server(
            [*TOOLS, *_listed_only(), *RUN_TOOLS], engine=engine, name=_NAME, version="1", instructions="For the suite."
        )
        add_offers(server)
        replace_handler(server, "tools/call", _answering_tools)
        replace_handler(server, "tasks/get", _failing_as_protocol)
        replace_handler(server, "server/discover", _promising_no_changes)
        server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=_NAME))
        yield server


def replace_handler(server: HandrailServer, method: str, around: Callable[[Handler], Handler]) -> None:
    """Put something around the answer to a method."""
    entry = server.get_request_handler(method)
    assert entry is not None
    server.add_request_handler(method, entry.params_type, around(entry.handler))


def _listed_only() -> list[ServerTool]:
    async def never(_call: Call, _arguments: JsonMapping) -> NoReturn:
        raise NotImplementedError("the fixture answers before the product does")

    return [tool(name, never, _ARGUMENTS.get(name)) for name in _SHOWN_BEFORE]


def _answering_tools(product: Handler) -> Handler:
    async def call(ctx: Context, params: BaseModel) -> HandlerResult:
        assert isinstance(params, CallToolRequestParams)
        if params.name in _SHOWN_BEFORE:
            return await _SHOWN_BEFORE[params.name](ctx, params)
        if params.name in NEED_A_TASK:
            _turn_away(ctx, params.name)
        if params.name == "test_tool_with_task":
            return await _ask_then_start(ctx, params, product)
        return await product(ctx, params)

    return call


def _turn_away(ctx: Context, name: str) -> None:
    """Let nobody pass who cannot take a task; a call of 2025-11-25 that asks for one goes another way."""
    if not is_modern(ctx):
        raise MCPError(METHOD_NOT_FOUND, f"Tool {name} requires task-augmented execution")
    require_declared(ctx)


async def _ask_then_start(ctx: Context, params: CallToolRequestParams, product: Handler) -> HandlerResult:
    name = accepted((params.input_responses or {}).get("user_name"), "name")
    if name is None:
        return InputRequiredResult(input_requests=ask_name())
    return await product(ctx, params.model_copy(update={"arguments": {"user_name": name}}))


def _failing_as_protocol(product: Handler) -> Handler:
    async def get(ctx: Context, params: BaseModel) -> HandlerResult:
        task = await product(ctx, params)
        return _with_protocol_error(task) if isinstance(task, dict) and _is_protocol_error(task) else task

    return get


def _promising_no_changes(product: Handler) -> Handler:
    """What the fixture offers never changes, and nobody is told of it: the SDK would promise both."""

    async def discover(ctx: Context, params: BaseModel) -> HandlerResult:
        found = await product(ctx, params)
        assert isinstance(found, DiscoverResult)
        assert found.capabilities.prompts is not None
        found.capabilities.prompts.list_changed = False
        return found

    return discover


def _is_protocol_error(task: JsonObject) -> bool:
    result = task.get("result")
    run = result.get("structuredContent") if isinstance(result, dict) else None
    return isinstance(run, dict) and run.get("agent") == PROTOCOL_ERROR


def _with_protocol_error(task: JsonObject) -> JsonObject:
    kept = {name: value for name, value in task.items() if name != "result"}
    return {**kept, "status": "failed", "error": {"code": INTERNAL_ERROR, "message": "Internal error"}}
