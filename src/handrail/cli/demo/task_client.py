"""A client of the tasks extension: what a host does that follows a run."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Literal

import anyio
import mcp_types as types
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from pydantic import ConfigDict

__all__ = ["CancelTask", "OnStatus", "TaskParams", "TaskState", "TasksClient"]

_EXTENSION: Final = "io.modelcontextprotocol/tasks"
_ENDED: Final = frozenset({"completed", "failed", "cancelled"})


class _TaskCreated(types.Result):
    result_type: Literal["task"]
    task_id: str
    status: str
    status_message: str | None = None
    created_at: str
    last_updated_at: str
    ttl_ms: int | None = None
    poll_interval_ms: int | None = None


class TaskState(types.Result):
    """A task as `tasks/get` answers it."""

    model_config = ConfigDict(extra="allow")

    task_id: str
    status: str
    status_message: str | None = None
    result: dict[str, Any] | None = None


class _Acknowledged(types.Result):
    model_config = ConfigDict(extra="allow")


class TaskParams(types.RequestParams):
    """Parameters that name a task."""

    task_id: str


class _GetTask(types.Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param = "taskId"


class CancelTask(types.Request[TaskParams, Literal["tasks/cancel"]]):
    """End a task."""

    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams
    name_param = "taskId"


OnStatus = Callable[[TaskState], Awaitable[bool]]
"""Told of each status; answers whether the task is still wanted."""


class TasksClient(ClientExtension):
    """Declares the extension, and follows each task to its end.

    Args:
        on_status: told of each status; when it answers False the task is cancelled.
        poll_s: seconds between two looks.
    """

    identifier = _EXTENSION

    def __init__(self, on_status: OnStatus, *, poll_s: float = 0.1) -> None:
        self._on_status = on_status
        self._poll_s = poll_s

    def claims(self) -> Sequence[ResultClaim[Any]]:
        """The result that says: this call has become a task."""
        return [ResultClaim(result_type="task", model=_TaskCreated, resolve=self._follow)]

    async def _follow(self, created: _TaskCreated, context: ClaimContext) -> types.CallToolResult:
        params = TaskParams(task_id=created.task_id)
        while True:
            state = await context.session.send_request(_GetTask(params=params), TaskState)
            wanted = await self._on_status(state)
            if state.status in _ENDED:
                return _result(state)
            if not wanted:
                await context.session.send_request(CancelTask(params=params), _Acknowledged)
            await anyio.sleep(self._poll_s)


def _result(state: TaskState) -> types.CallToolResult:
    if state.result is not None:
        return types.CallToolResult.model_validate(state.result)
    document = {"run_id": state.task_id, "status": state.status, "message": state.status_message}
    return types.CallToolResult(content=[], structured_content=document, is_error=state.status == "failed")
