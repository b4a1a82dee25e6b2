"""The demo's client of the tasks extension, remembering: what a host would do, polled fast."""

from typing import Final

from handrail.cli.demo.task_client import TasksClient, TaskState

__all__ = ["Tasks"]

_POLL_S: Final = 0.02


class Tasks(TasksClient):
    """Follows each task that a call is answered with to its completion; `seen` holds the id of each task."""

    def __init__(self) -> None:
        super().__init__(self._saw, poll_s=_POLL_S)
        self.seen: list[str] = []

    async def _saw(self, state: TaskState) -> bool:
        assert state.status in {"working", "completed"}
        if state.task_id not in self.seen:
            self.seen.append(state.task_id)
        return True
