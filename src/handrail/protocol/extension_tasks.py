"""Tasks as the extension of 2026-07-28 has them: the server hands one out to a client that declares the extension."""

from typing import Final

from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY
from pydantic import JsonValue

from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.protocol.context import TASKS_EXTENSION, Context, declares_tasks, owner_of_request
from handrail.protocol.task_shapes import TaskParams, extension_task
from handrail.runs import RunEngine

__all__ = ["ExtensionTasks", "UpdateParams", "require_declared"]

_REQUIRED: Final[JsonObject] = {"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}}


class UpdateParams(TaskParams):
    """Parameters of `tasks/update`: an elicitation's answer for each question's key."""

    input_responses: dict[str, JsonValue]


def require_declared(ctx: Context) -> None:
    """Let only a request pass that declares the tasks extension.

    Raises:
        MCPError: it does not (-32021).
    """
    if not declares_tasks(ctx):
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "Missing required client capability", _REQUIRED)


class ExtensionTasks:
    """Answers `tasks/*` of the extension from the runs of one engine."""

    def __init__(self, engine: RunEngine) -> None:
        self._engine = engine

    async def get(self, ctx: Context, params: TaskParams) -> JsonObject:
        """Answer `tasks/get`: the task with its result, its error or its questions."""
        _admit(ctx, params)
        run = await self._engine.get(params.task_id, owner_of_request())
        return {"resultType": "complete", **extension_task(run, detailed=True)}

    async def cancel(self, ctx: Context, params: TaskParams) -> JsonObject:
        """Answer `tasks/cancel`: the same empty acknowledgement for a live task and for one that has ended."""
        _admit(ctx, params)
        await self._engine.cancel(params.task_id, owner_of_request())
        return {"resultType": "complete"}

    async def update(self, ctx: Context, params: UpdateParams) -> JsonObject:
        """Answer `tasks/update`: hand the run what was accepted, and tell it what was declined.

        A response that is neither is none: its question stays open. All are taken, or, where one does not fit, none.
        """
        _admit(ctx, params)
        owner, responses = owner_of_request(), params.input_responses
        await self._engine.answer(params.task_id, owner, _accepted(responses))
        await self._engine.decline(params.task_id, owner, _declined(responses))
        return {"resultType": "complete"}


def _admit(ctx: Context, params: TaskParams) -> None:
    _check_name_header(ctx, params.task_id)
    require_declared(ctx)


def _check_name_header(ctx: Context, task_id: str) -> None:
    """Over HTTP the `Mcp-Name` header names the task; the SDK checks it for its own methods only.

    Raises:
        MCPError: it names another one (-32020).
    """
    given = ctx.request.headers.get(MCP_NAME_HEADER) if ctx.request is not None else None
    if given is not None and decode_header_value(given) != task_id:
        raise MCPError(HEADER_MISMATCH, "Mcp-Name header does not match the request body's 'taskId' parameter")


def _declined(responses: JsonMapping) -> list[str]:
    """Who dismisses a question does not answer it, as one who declines it."""
    return [
        key
        for key, response in responses.items()
        if isinstance(response, dict) and response.get("action") in {"decline", "cancel"}
    ]


def _accepted(responses: JsonMapping) -> dict[str, Json]:
    answers: dict[str, Json] = {}
    for key, response in responses.items():
        if isinstance(response, dict) and response.get("action") == "accept":
            answers[key] = response.get("content") or {}
    return answers
