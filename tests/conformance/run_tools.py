"""Fixture tools that start runs on the product's own engine: what the suite's task scenarios drive."""

from collections.abc import Awaitable, Callable
from typing import Final

import anyio
from mcp_types import ToolAnnotations

from handrail.errors import RefusedError
from handrail.json_types import JsonMapping, JsonObject
from handrail.protocol import Call, RunTool
from handrail.runs import RunContext, StartRequest
from tests.conformance.tools import schema

__all__ = ["NEED_A_TASK", "PROTOCOL_ERROR", "RUN_TOOLS", "perform"]

NEED_A_TASK: Final = frozenset({"failing_job", "test_tool_with_task"})
PROTOCOL_ERROR: Final = "protocol_error_job"

_ACTS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
_CONFIRM: Final[JsonObject] = {"type": "object", "properties": {"confirm": {"type": "boolean"}}}
_PATIENCE_S: Final = 20.0
_BEYOND_GRACE_S: Final = 0.3  # longer than a call waits for a run that may be about to end: it becomes a task

_Body = Callable[[RunContext, JsonMapping], Awaitable[JsonObject]]


async def _compute(_context: RunContext, arguments: JsonMapping) -> JsonObject:
    seconds = float(str(arguments["seconds"]))
    await anyio.sleep(seconds)
    return {"ok": True, "computed_for_s": seconds}


async def _fail(_context: RunContext, _arguments: JsonMapping) -> JsonObject:
    await anyio.sleep(_BEYOND_GRACE_S)
    raise RefusedError("This job always fails.", next_step="Nothing: it always does.")


async def _confirm(context: RunContext, arguments: JsonMapping) -> JsonObject:
    answer = await context.ask(f"Delete {arguments.get('filename')}?", _CONFIRM, seconds=_PATIENCE_S)
    return {"ok": True, "answer": answer}


async def _ask_twice(context: RunContext, _arguments: JsonMapping) -> JsonObject:
    async with anyio.create_task_group() as group:
        for question in ("Your name?", "Your age?"):
            group.start_soon(_ask, context, question)
    return {"ok": True}


async def _ask(context: RunContext, question: str) -> None:
    await context.ask(question, {"type": "object"}, seconds=_PATIENCE_S)


async def _greet_later(_context: RunContext, arguments: JsonMapping) -> JsonObject:
    await anyio.sleep(_BEYOND_GRACE_S)
    return {"ok": True, "greeting": f"Hello, {arguments.get('user_name')}!"}


_BODIES: Final[dict[str, _Body]] = {
    "slow_compute": _compute,
    "failing_job": _fail,
    PROTOCOL_ERROR: _fail,
    "confirm_delete": _confirm,
    "multi_input": _ask_twice,
    "test_tool_with_task": _greet_later,
}


async def perform(context: RunContext, request: StartRequest) -> JsonObject:
    """The body of every run."""
    return await _BODIES[request.agent](context, request.arguments)


def _run_tool(name: str, properties: JsonObject | None = None, *required: str) -> RunTool:
    def prepare(call: Call, arguments: JsonMapping) -> StartRequest:
        return StartRequest(name, dict(arguments), call.owner)

    title = name.replace("_", " ")
    return RunTool(name, title, f"Fixture: {name}.", schema(properties, *required), _ACTS, prepare)


RUN_TOOLS: Final = (
    _run_tool("slow_compute", {"seconds": {"type": "number"}, "label": {"type": "string"}}, "seconds"),
    _run_tool("failing_job"),
    _run_tool(PROTOCOL_ERROR),
    _run_tool("confirm_delete", {"filename": {"type": "string"}}),
    _run_tool("multi_input"),
    _run_tool("test_tool_with_task", {"user_name": {"type": "string"}}),
)
