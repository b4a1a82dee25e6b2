"""Tasks as 2025-11-25 has them: the client asks for one, polls it, and fetches the result apart."""

import logging
from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, PaginatedRequestParams

from handrail.errors import HandrailError
from handrail.json_types import JsonObject
from handrail.protocol.context import Context, owner_of_request
from handrail.protocol.notify import notify, tell_changes
from handrail.protocol.results import as_wire, run_result
from handrail.protocol.task_shapes import TaskParams, legacy_task
from handrail.runs import Run, RunEngine, RunStatus

__all__ = ["LegacyTasks"]

_LOG: Final = logging.getLogger("handrail.protocol")
_RELATED_TASK: Final = "io.modelcontextprotocol/related-task"
_IMMEDIATE_RESPONSE: Final = "io.modelcontextprotocol/model-immediate-response"


class LegacyTasks:
    """Answers `tasks/*` of 2025-11-25 from the runs of one engine."""

    def __init__(self, engine: RunEngine) -> None:
        self._engine = engine

    def handle(self, ctx: Context, run: Run) -> JsonObject:
        """The `CreateTaskResult` of a run; from now on its changes are told to the session that began it."""
        ctx.lifespan_context.group.start_soon(self._push_status, ctx, run)
        words = f"Run {run.run_id} has been started as a task. get_run with this run_id shows where it stands."
        return {"task": legacy_task(run), "_meta": {_IMMEDIATE_RESPONSE: words}}

    async def get(self, _ctx: Context, params: TaskParams) -> JsonObject:
        """Answer `tasks/get`."""
        return legacy_task(await self._engine.get(params.task_id, owner_of_request()))

    async def result(self, _ctx: Context, params: TaskParams) -> JsonObject:
        """Answer `tasks/result`: waits for the end, however long it takes, then gives what the plain call would."""
        run = await self._engine.get(params.task_id, owner_of_request())
        async with self._engine.watch(run.run_id, run.owner) as changes:
            async for state in changes:
                run = state
        return {**as_wire(run_result(run), modern=False), "_meta": {_RELATED_TASK: {"taskId": run.run_id}}}

    async def list_tasks(self, _ctx: Context, params: PaginatedRequestParams) -> JsonObject:
        """Answer `tasks/list`."""
        page = await self._engine.list_runs(owner_of_request(), cursor=params.cursor)
        listed: JsonObject = {"tasks": [legacy_task(run) for run in page.runs]}
        return listed if page.next_cursor is None else {**listed, "nextCursor": page.next_cursor}

    async def cancel(self, _ctx: Context, params: TaskParams) -> JsonObject:
        """Answer `tasks/cancel`.

        Raises:
            MCPError: the task has ended already (-32602).
        """
        run = await self._engine.get(params.task_id, owner_of_request())
        ended_before = run.status.is_terminal
        if not ended_before:
            run = await self._engine.cancel(run.run_id, run.owner)
        if ended_before or run.status is not RunStatus.CANCELLED:
            status = legacy_task(run)["status"]
            raise MCPError(INVALID_PARAMS, f"Cannot cancel task: already in terminal status '{status}'")
        return legacy_task(run)

    async def _push_status(self, ctx: Context, run: Run) -> None:
        async def tell(state: Run) -> None:
            if state.revision != run.revision or state.status.is_terminal:
                await notify(ctx.session, "notifications/tasks/status", legacy_task(state))

        try:
            await tell_changes(self._engine, run, tell)
        except HandrailError as error:
            _LOG.debug("no more status of run %s: %s", run.run_id, error.message)
        except Exception:  # noqa: BLE001  (a task of the server's own group: what it raises would end the server)
            _LOG.exception("the status of run %s could not be told", run.run_id)
