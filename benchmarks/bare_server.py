"""The baseline: a lowlevel server of the SDK with one tool."""

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def _list_tools(_ctx: object, _params: object) -> types.ListToolsResult:
    schema: dict[str, object] = {"type": "object"}
    return types.ListToolsResult(tools=[types.Tool(name="nothing", description="Does nothing.", input_schema=schema)])


async def _call_tool(_ctx: object, _params: object) -> types.CallToolResult:
    return types.CallToolResult(content=[])


async def _main() -> None:
    server: Server[dict[str, object]] = Server("bare", on_list_tools=_list_tools, on_call_tool=_call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_main)
