"""One server, two generations: which capabilities each may see, and which method answers in which."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import (
    RequestParams,
    ResourcesCapability,
    ServerCapabilities,
    ServerTasksCapability,
    ServerTasksRequestsCapability,
    TasksCallCapability,
    TasksCancelCapability,
    TasksListCapability,
    TasksToolsCapability,
    ToolsCapability,
)
from pydantic import ValidationError

from handrail.json_types import JsonObject
from handrail.protocol.border import invalid_params, method_not_found, with_next_step
from handrail.protocol.context import LEGACY_TASKS_VERSION, TASKS_EXTENSION, Context, is_modern, speaks_legacy_tasks

__all__ = ["TASK_CALL", "Endpoint", "by_era", "capabilities_of_era", "route_by_era"]

TASK_CALL: Final = "handrail/callToolAsTask"
"""Where a `tools/call` of 2025-11-25 goes that asks for a task. Nobody can call it by this name."""

ParamsT = TypeVar("ParamsT", bound=RequestParams)


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[ParamsT]):
    """What answers a method in one generation, and the parameters that it takes."""

    params: type[ParamsT]
    answer: Callable[[Context, ParamsT], Awaitable[JsonObject]]

    async def __call__(self, ctx: Context) -> JsonObject:
        """Check the parameters and answer."""
        return await self.answer(ctx, self.params.model_validate(dict(ctx.params or {}), by_name=False))


def by_era(
    *,
    legacy: Callable[[Context], Awaitable[JsonObject]] | None = None,
    modern: Callable[[Context], Awaitable[JsonObject]] | None = None,
) -> Callable[[Context, RequestParams], Awaitable[JsonObject]]:
    """A handler that answers as 2025-11-25 or as 2026-07-28 has it; -32601 where a generation has no such method."""

    async def handle(ctx: Context, _params: RequestParams) -> JsonObject:
        endpoint = modern if is_modern(ctx) else legacy if speaks_legacy_tasks(ctx) else None
        if endpoint is None:
            method_not_found(ctx.method)
        return await endpoint(ctx)

    return handle


def capabilities_of_era(capabilities: ServerCapabilities, *, modern: bool, has_runs: bool) -> ServerCapabilities:
    """What a generation may see: tasks as an extension in one, as a capability in the other, never both.

    Our tools never change while we serve, and nobody is told of each new run's record, so neither is promised.
    """
    tools = ToolsCapability(list_changed=False) if capabilities.tools else None
    resources = ResourcesCapability(subscribe=False, list_changed=False) if capabilities.resources else None
    tasks = ServerTasksCapability(
        list=TasksListCapability(),
        cancel=TasksCancelCapability(),
        requests=ServerTasksRequestsCapability(tools=TasksToolsCapability(call=TasksCallCapability())),
    )
    return capabilities.model_copy(
        update={
            "tools": tools,
            "resources": resources,
            "tasks": tasks if has_runs and not modern else None,
            "extensions": {TASKS_EXTENSION: {}} if has_runs and modern else None,
        }
    )


async def route_by_era(ctx: Context, call_next: CallNext) -> HandlerResult:
    """The one use of the SDK's middleware, which is provisional there; `tests/protocol/test_sdk_hooks.py` holds it.

    It is needed three times: the SDK squeezes each answer to `tools/call` into the shape of its version, where a
    `CreateTaskResult` has no place, so such a call goes to a method of its own; it answers `initialize` before it
    knows the version, so that the tasks have to be taken out of the answer for versions that have none; and of
    parameters that do not fit it does not say why, nor of a missing handshake what to do.
    """
    if ctx.method == TASK_CALL:
        method_not_found(ctx.method)
    if ctx.method == "tools/call" and speaks_legacy_tasks(ctx) and (ctx.params or {}).get("task") is not None:
        ctx = replace(ctx, method=TASK_CALL)
    try:
        result = await call_next(ctx)
    except ValidationError as error:
        raise invalid_params(error) from None
    except MCPError as error:
        raise with_next_step(error) from None
    if ctx.method == "initialize" and isinstance(result, dict) and result["protocolVersion"] != LEGACY_TASKS_VERSION:
        result["capabilities"].pop("tasks", None)
    return result
