"""The step that kills a server: its run goes on."""

import os
import signal
from pathlib import Path
from typing import Final

from mcp import MCPError
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from handrail.cli.demo.following import CLIENT, Follower, call
from handrail.cli.demo.stage import Stage

__all__ = ["kill_server_in_a_run", "read_by_another_server", "telling_its_process"]

_STEPS: Final = 8
# Writes its process id and becomes the command.
_TELLING: Final = 'echo $$ >"$0"; exec "$@"'


def telling_its_process(server: StdioServerParameters, file: Path) -> StdioServerParameters:
    """A server that writes its process id to a file when it starts."""
    arguments = ["-c", _TELLING, str(file), server.command, *server.args]
    return server.model_copy(update={"command": "/bin/sh", "args": arguments})


async def kill_server_in_a_run(stage: Stage, client: Client, follower: Follower, server: int) -> str:
    """Kill the server while it is asked how a run goes; the run's id.

    Args:
        stage: where it is told.
        client: talks to that server.
        follower: sees the run.
        server: its process id.
    """
    stage.step("The server is killed (kill -9) in the middle of a run")
    follower.then = (2, lambda: os.kill(server, signal.SIGKILL))
    lost = False
    try:
        await call(client, "run_agent", {"agent": "counter", "params": {"steps": _STEPS, "delay_s": 0.2}})
    except MCPError:
        lost = True
    follower.end()
    stage.check(that=lost, means="the server lives")
    stage.say(f"process {server} is gone; its client knows of run {follower.run_id}")
    return follower.run_id


async def read_by_another_server(stage: Stage, server: StdioServerParameters, run_id: str) -> None:
    """Let another server read how that run ended.

    Args:
        stage: where it is told.
        server: starts one.
        run_id: the run.
    """
    async with Client(server, client_info=CLIENT) as client:
        view = await call(client, "get_run", {"run_id": run_id, "wait_seconds": 20})
    counted = (view["result"] or {}).get("count")
    stage.check(that=(view["status"], counted) == ("completed", _STEPS), means=f"the run ended as {view}")
    stage.say(f"a new server reads it: {view['status']}, counted to {counted}")
    stage.why("A worker of the home folder does the runs, each in a process of its own; any server reads them.")
