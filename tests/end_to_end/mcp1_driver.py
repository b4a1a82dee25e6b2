"""Drives `handrail serve --sandbox` with the official client of the 1.x series and its experimental tasks.

Run by another interpreter, which has `mcp` 1.30 and nothing of ours. Standard input: the server's environment as JSON;
arguments: the server's command. Prints one JSON document: what the client saw.
"""

# mypy: ignore-errors
# (the 1.x series cannot be installed beside 2.x, so no type checker can see it)

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult

SEEN: dict[str, Any] = {}


async def _drive(session: ClientSession) -> None:
    await session.initialize()
    SEEN["tools"] = [tool.name for tool in (await session.list_tools()).tools]
    SEEN["read"] = (await session.call_tool("appwrite_call_read_tool", {"tool_name": "users_list"})).structuredContent

    start = {"agent": "counter", "params": {"steps": 4, "delay_s": 0.1}}
    task = (await session.experimental.call_tool_as_task("run_agent", start)).task
    SEEN["polled"] = [status.statusMessage async for status in session.experimental.poll_task(task.taskId)]
    result = await session.experimental.get_task_result(task.taskId, CallToolResult)
    SEEN["task"] = {"id": task.taskId, "view": result.structuredContent}

    start = {"agent": "counter", "params": {"steps": 100, "delay_s": 1}}
    long = (await session.experimental.call_tool_as_task("run_agent", start)).task
    SEEN["cancelled"] = (await session.experimental.cancel_task(long.taskId)).status
    await session.send_ping()  # this client trips over a notification that arrives while it closes


async def main() -> None:
    """Drive the server that the command starts."""
    parameters = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=json.loads(sys.stdin.readline()))
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await asyncio.wait_for(_drive(session), 60)
    sys.stdout.write(json.dumps(SEEN))


if __name__ == "__main__":
    asyncio.run(main())
