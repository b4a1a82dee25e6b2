"""Drives a server with the official client of the 1.x series, which knows the tasks of 2025-11-25.

Run by another interpreter, which has `mcp` 1.30 and nothing of ours:

    mcp1_driver.py COMMAND...     prints one JSON document: what the client saw
"""

# mypy: ignore-errors
# (the 1.x series cannot be installed beside 2.x, so no type checker can see it)

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, CreateTaskResult, ElicitResult, TaskStatusNotification

SEEN: dict[str, Any] = {}


def _dump(model: Any) -> Any:  # noqa: ANN401  (any model of the other series)
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def _error(attempt: Any) -> Any:  # noqa: ANN401  (an awaitable of any result)
    try:
        return {"unexpected": _dump(await attempt)}
    except McpError as error:
        return _dump(error.error)


async def _drive(session: ClientSession) -> None:
    tasks = session.experimental
    SEEN["hello"] = _dump(await session.initialize())
    SEEN["tools"] = {tool.name: _dump(tool).get("execution") for tool in (await session.list_tools()).tools}
    SEEN["plain"] = _dump(await session.call_tool("walk", {"steps": 2}))

    created: CreateTaskResult = await tasks.call_tool_as_task("walk", {"steps": 3, "delay_s": 0.1}, ttl=60_000)
    SEEN["created"] = _dump(created)
    task_id = created.task.taskId
    SEEN["polled"] = [_dump(status) async for status in tasks.poll_task(task_id)]
    SEEN["result"] = _dump(await tasks.get_task_result(task_id, CallToolResult))

    long = await tasks.call_tool_as_task("walk", {"steps": 1, "delay_s": 60})
    SEEN["listed"] = _dump(await tasks.list_tasks())
    SEEN["cancelled"] = _dump(await tasks.cancel_task(long.task.taskId))
    SEEN["cancelled_result"] = _dump(await tasks.get_task_result(long.task.taskId, CallToolResult))
    SEEN["cancelled_again"] = await _error(tasks.cancel_task(long.task.taskId))
    SEEN["unknown"] = await _error(tasks.get_task("unknown"))
    SEEN["not_offered"] = await _error(tasks.call_tool_as_task("echo", {"value": 1}))

    asking = await tasks.call_tool_as_task("walk", {"steps": 0, "ask": True})
    SEEN["answered"] = _dump(await tasks.get_task_result(asking.task.taskId, CallToolResult))

    refused = await tasks.call_tool_as_task("walk", {"steps": 13})
    SEEN["refused"] = _dump(refused)
    SEEN["refused_result"] = _dump(await tasks.get_task_result(refused.task.taskId, CallToolResult))


async def _fill_in(_context: Any, params: Any) -> ElicitResult:  # noqa: ANN401  (types of the other series)
    SEEN["asked"] = _dump(params)
    return ElicitResult(action="accept", content={"name": "Ada"})


async def main() -> None:
    """Drive the server that the command starts."""
    SEEN["notifications"] = []

    async def on_message(message: Any) -> None:  # noqa: ANN401  (the client's union of messages and exceptions)
        root = getattr(message, "root", message)
        kind = "exception" if isinstance(root, Exception) else type(root).__name__
        status = root.params.status if isinstance(root, TaskStatusNotification) else None
        SEEN["notifications"].append([kind, status])

    parameters = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=json.loads(sys.stdin.readline()))
    async with (
        stdio_client(parameters) as (read, write),
        ClientSession(read, write, elicitation_callback=_fill_in, message_handler=on_message) as session,
    ):
        await asyncio.wait_for(_drive(session), 60)
    sys.stdout.write(json.dumps(SEEN))


if __name__ == "__main__":
    asyncio.run(main())
