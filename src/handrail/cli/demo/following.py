"""What the steps that follow a run share."""

from collections.abc import Callable
from typing import Any, Final

import mcp_types as types
from mcp.client import Client

from handrail import __version__
from handrail.cli.demo.stage import Stage
from handrail.cli.demo.task_client import TaskState

__all__ = ["CLIENT", "Follower", "call"]

CLIENT: Final = types.Implementation(name="handrail-demo", version=__version__)


class Follower:
    """Tells each new status of a task, and may do something after a number of them.

    Attributes:
        run_id: of the task that was seen last.
        cancel_after: the number of statuses after which it asks for the task's end; None: never.
        then: what it does once, and after how many statuses; None: nothing.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._last = ""
        self._told = 0
        self.run_id = ""
        self.cancel_after: int | None = None
        self.then: tuple[int, Callable[[], None]] | None = None

    async def __call__(self, state: TaskState) -> bool:
        """Tell it; whether the task is still wanted."""
        self.run_id = state.task_id
        line = f"{state.status}: {state.status_message or ''}"
        if line != self._last:
            self._last = line
            self._told += 1
            self._stage.live(line)
        if self.then is not None and self._told >= self.then[0]:
            (_, act), self.then = self.then, None
            act()
        return self.cancel_after is None or self._told < self.cancel_after

    def end(self) -> None:
        """Finish the live line."""
        self._stage.end_live()
        self._last, self._told, self.cancel_after = "", 0, None


async def call(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The structured answer of a tool."""
    result = await client.call_tool(tool, arguments)
    return result.structured_content or {}
