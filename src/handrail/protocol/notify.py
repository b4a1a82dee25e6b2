"""Notifications that the SDK's own vocabulary lacks, and telling the changes of a run at a bearable rate."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

from mcp_types import Notification

from handrail.json_types import JsonObject
from handrail.runs import Run, RunEngine

if TYPE_CHECKING:
    from mcp.server.session import ServerSession
    from mcp_types import RequestId

__all__ = ["STATUS_SECONDS", "changes_of", "notify"]

STATUS_SECONDS: Final = 1.0
"""The shortest time between two notifications of a live run; its end is told at once."""


async def notify(
    session: "ServerSession", method: str, params: JsonObject, *, request_id: "RequestId | None" = None
) -> None:
    """Send a notification, on the stream of the request `request_id` where one is named. Lost when nobody listens."""
    message = Notification[JsonObject, str](method=method, params=params)
    await session.send_notification(
        message,  # type: ignore[arg-type]  # the SDK's union leaves the task notifications out; it sends any
        related_request_id=request_id,
    )


async def changes_of(engine: RunEngine, run: Run) -> AsyncIterator[Run]:
    """The run now and at each change up to its end, about once a second at most; the last state is always told."""
    async with engine.watch(run.run_id, run.owner) as changes:
        async for state in changes:
            yield state
            if not state.status.is_terminal:
                await engine.wait(run.run_id, run.owner, STATUS_SECONDS)
