"""The tasks extension for the SDK's own client: polls a task to its end. What a host would do."""

from collections.abc import Sequence
from typing import Literal

import anyio
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp_types import CallToolResult, Request, RequestParams, Result
from pydantic import ConfigDict, JsonValue

from tests.protocol.peer import EXTENSION

__all__ = ["CancelTask", "Created", "GetTask", "NamedTask", "Shown", "Tasks"]


class Created(Result):
    """A task that a server hands over."""

    result_type: Literal["task"]
    task_id: str
    status: str
    ttl_ms: int | None
    poll_interval_ms: int | None = None
    created_at: str
    last_updated_at: str


class NamedTask(RequestParams):
    """Parameters that name a task."""

    task_id: str


class GetTask(Request[NamedTask, Literal["tasks/get"]]):
    """Ask how a task stands."""

    method: Literal["tasks/get"] = "tasks/get"
    params: NamedTask
    name_param = "taskId"


class CancelTask(Request[NamedTask, Literal["tasks/cancel"]]):
    """End a task."""

    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: NamedTask
    name_param = "taskId"


class Shown(Result):
    """A task as it stands."""

    model_config = ConfigDict(extra="allow")
    status: str
    result: dict[str, JsonValue] | None = None


class Tasks(ClientExtension):
    """Polls each task that a call is answered with; `seen` holds each task."""

    identifier = EXTENSION

    def __init__(self) -> None:
        self.seen: list[Created] = []

    def claims(self) -> Sequence[ResultClaim[Created]]:
        """The one answer that the extension adds."""
        return [ResultClaim(result_type="task", model=Created, resolve=self._resolve)]

    async def _resolve(self, created: Created, context: ClaimContext) -> CallToolResult:
        self.seen.append(created)
        question = GetTask(params=NamedTask(task_id=created.task_id))
        while True:
            shown = await context.session.send_request(question, Shown)
            if shown.status == "completed":
                return CallToolResult.model_validate(shown.result)
            assert shown.status == "working"
            await anyio.sleep(0.02)  # a client polls; nothing tells it when
