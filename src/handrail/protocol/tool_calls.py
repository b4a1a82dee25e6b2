"""`tools/call`: a plain answer, a run waited for, or a run handed over as a task."""

import secrets
from dataclasses import replace
from typing import Final

import anyio
import anyio.lowlevel
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND, CallToolRequestParams, CallToolResult

from handrail.arguments import number, short_name
from handrail.errors import HandrailError
from handrail.json_types import JsonMapping, JsonObject
from handrail.protocol.context import Context, declares_tasks
from handrail.protocol.legacy_tasks import LegacyTasks, ttl_wished
from handrail.protocol.request_call import RequestCall, call_of, input_required
from handrail.protocol.results import error_document, internal_error_result, run_result, tool_result
from handrail.protocol.task_shapes import extension_task
from handrail.protocol.tool import InputRequired, RunTool, ServerTool
from handrail.protocol.toolbox import AnyTool, Toolbox, UnknownToolError
from handrail.protocol.waiting import RunWaiter
from handrail.runs import Run, StartRequest

__all__ = ["ToolCalls"]

_WAIT_ARGUMENT: Final = "wait_seconds"
_MARK_BYTES: Final = 8


class ToolCalls:
    """Answers calls of tools.

    Args:
        toolbox: the tools.
        waiter: waits for runs; None where there are none.
        legacy: the tasks of 2025-11-25; None where there are no runs.
    """

    def __init__(self, toolbox: Toolbox, waiter: RunWaiter | None, legacy: LegacyTasks | None) -> None:
        self._toolbox = toolbox
        self._waiter = waiter
        self._legacy = legacy

    async def call(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult | JsonObject:
        """Answer `tools/call`.

        Raises:
            MCPError: there is no such tool (-32602, as the protocol has it), its `data` names the nearest.
        """
        tool = self._find(params.name)
        call, arguments = call_of(ctx, params), _arguments(params)
        try:
            if isinstance(tool, ServerTool):
                self._toolbox.check(tool, arguments)
                answer = await tool.handler(call, arguments)
                return tool_result(answer.structured, is_error=answer.is_error, beside=answer.content)
            return await self._call_run_tool(ctx, tool, call, arguments)
        except InputRequired as asked:
            return input_required(asked)
        except HandrailError as error:
            return tool_result(_refusal(tool, arguments, error), is_error=True)
        except Exception:  # noqa: BLE001  (the border to the wire: an unforeseen exception is logged and masked here)
            return internal_error_result(tool.name)

    async def call_as_task(self, ctx: Context, params: CallToolRequestParams) -> JsonObject:
        """Answer a `tools/call` of 2025-11-25 that asks for a task. What the plain call would refuse ends the task.

        Raises:
            MCPError: no such tool (-32602), or one that offers no task (-32601).
        """
        tool = self._find(params.name)
        if isinstance(tool, ServerTool) or self._legacy is None or self._waiter is None:
            raise MCPError(METHOD_NOT_FOUND, f"Tool {tool.name} does not support task-augmented execution")
        ttl_ms = ttl_wished(ctx)
        call, arguments = call_of(ctx, params), _arguments(params)
        try:
            run, _ = await self._start(tool, call, arguments, ttl_ms)
        except HandrailError as error:
            refused = StartRequest(_agent_of(tool, arguments), {}, call.owner, ttl_ms=ttl_ms)
            run = await self._waiter.engine.reject(refused, error_document(error))
        return self._legacy.handle(ctx, run)

    def _find(self, name: str) -> AnyTool:
        try:
            return self._toolbox.find(name)
        except UnknownToolError as error:
            raise MCPError(INVALID_PARAMS, f"{error.message} {error.next_step}", error.as_json()) from None

    async def _start(
        self, tool: RunTool, call: RequestCall, arguments: JsonObject, ttl_ms: int | None = None
    ) -> tuple[Run, StartRequest]:
        self._toolbox.check(tool, arguments)
        asked = tool.prepare(call, {name: value for name, value in arguments.items() if name != _WAIT_ARGUMENT})
        request = replace(asked, started_by=secrets.token_hex(_MARK_BYTES), ttl_ms=ttl_ms)
        waiter = self._running()
        await anyio.lowlevel.checkpoint_if_cancelled()
        # A cancel that fell between the start and its answer would leave a run that nobody can name.
        with anyio.CancelScope(shield=True):
            run = await waiter.engine.start(request)
        async with waiter.cancelling(run, request):
            await anyio.lowlevel.checkpoint_if_cancelled()
        return run, request

    async def _call_run_tool(
        self, ctx: Context, tool: RunTool, call: RequestCall, arguments: JsonObject
    ) -> CallToolResult | JsonObject:
        waiter = self._running()
        run, request = await self._start(tool, call, arguments)
        as_task = declares_tasks(ctx)
        budget = waiter.policy.seconds(call.client.name, number(arguments, _WAIT_ARGUMENT))
        async with waiter.cancelling(run, request):
            if as_task:
                run = await waiter.engine.wait(run.run_id, run.owner, waiter.policy.grace_s)
            else:
                run = await waiter.wait(run, call, budget)
        if as_task and not run.status.is_terminal:
            return {"resultType": "task", **extension_task(run, detailed=False)}
        return run_result(run)

    def _running(self) -> RunWaiter:
        if self._waiter is None:
            raise RuntimeError("a tool that starts runs in a server without an engine")
        return self._waiter


def _refusal(tool: AnyTool, arguments: JsonMapping, error: HandrailError) -> JsonObject:
    if isinstance(tool, ServerTool) and tool.refusal is not None:
        shown = {name: short_name(value) if isinstance(value, str) else value for name, value in arguments.items()}
        return tool.refusal(shown, error)
    return error_document(error)


def _arguments(params: CallToolRequestParams) -> JsonObject:
    return dict(params.arguments or {})


def _agent_of(tool: RunTool, arguments: JsonMapping) -> str:
    agent = arguments.get("agent")
    return agent if isinstance(agent, str) else tool.name
