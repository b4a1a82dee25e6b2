"""Notifications that the SDK's own vocabulary lacks, and telling the changes of a run at a bearable rate."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from mcp_types import Notification

from handrail.json_types import JsonObject
from handrail.runs import Run, RunEngine

if TYPE_CHECKING:
    from mcp.server.session import ServerSession
    from mcp_types import RequestId

__all__ = ["STATUS_SECONDS", "notify", "tell_changes"]

STATUS_SECONDS: Final = 1.0
"""The shortest time between two notifications of a live run; its end is told at once."""


async def notify(
    session: "ServerSession", method: str, params: JsonObject, *, request_id: "RequestId | None" = None
) -> None:
    """Send a notification, on the stream of the request `request_id` where one is named. Lost when nobody listens."""
    message = Notification[dict[str, object], str](method=method, params=dict(params))
    await session.send_notification(
        message,  # type: ignore[arg-type]  # the SDK's union leaves the task notifications out; it sends any
        related_request_id=request_id,
    )


async def tell_changes(engine: RunEngine, run: Run, tell: Callable[[Run], Awaitable[None]]) -> None:
    """Tell a run's state now and at each change up to its end, about once a second; the last value always counts.

    Raises:
        RunNotFoundError: the run is gone.
    """
    async with engine.watch(run.run_id, run.owner) as changes:
        async for state in changes:
            await tell(state)
            if not state.status.is_terminal:
                await engine.wait(run.run_id, run.owner, STATUS_SECONDS)
