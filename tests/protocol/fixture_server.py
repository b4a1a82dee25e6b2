"""A small real server on standard input and output, for tests that need a process.

fixture_server.py [--max-bytes N] [--print-early] [--load-until-orphaned]
"""

import argparse
import os
import time

import anyio

from handrail.protocol import RunTool, ServerTool, WaitPolicy, create_server, serve_stdio
from handrail.protocol.run_tools import run_tools
from handrail.protocol.stdio import Wire
from handrail.runs import MemoryEngine
from tests.protocol.sample_tools import TOOLS, WALK, walk


async def serve(max_bytes: int, wire: Wire) -> None:
    """Serve until the end of input."""
    wait = WaitPolicy()
    async with MemoryEngine(walk, records=None, slots=4) as engine:
        tools: list[ServerTool | RunTool] = [*TOOLS, WALK, *run_tools(engine, wait)]
        server = create_server(tools, engine=engine, name="fixture", version="1", wait=wait)
        await serve_stdio(server, max_message_bytes=max_bytes, wire=wire)


def load_until_orphaned(wire: Wire) -> None:
    """Take so long to load that the parent dies meanwhile."""
    print("loading", flush=True)  # noqa: T201  (it goes to standard error: the streams are claimed)
    for _ in range(1_000):
        if os.getppid() != wire.parent:
            return
        time.sleep(0.01)


def main() -> None:
    """Read the flags and serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-bytes", type=int, default=4 * 1024 * 1024)
    parser.add_argument("--print-early", action="store_true")
    parser.add_argument("--load-until-orphaned", action="store_true")
    options = parser.parse_args()
    if options.print_early:
        print("printed before anything was served", end="")  # noqa: T201  (what a dependency might do)
    wire = Wire.claim()
    if options.load_until_orphaned:
        load_until_orphaned(wire)
    anyio.run(serve, options.max_bytes, wire)
    if options.print_early:
        print("printed after everything was served", end="")  # noqa: T201  (what a dependency might do)


if __name__ == "__main__":
    main()
