"""Tasks as 2025-11-25 has them: the client asks for one, polls it, and fetches the result apart."""

import logging
from typing import Final

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, PaginatedRequestParams

from handrail.errors import HandrailError
from handrail.json_types import JsonObject
from handrail.protocol.context import RELATED_TASK, Context, owner_of_request
from handrail.protocol.elicitation import Elicitation, can_elicit
from handrail.protocol.notify import notify, tell_changes
from handrail.protocol.results import as_wire, run_result
from handrail.protocol.task_shapes import TaskParams, legacy_task, status_message
from handrail.runs import Run, RunEngine, RunStatus, granted_ttl_ms

__all__ = ["LegacyTasks", "ttl_wished"]

_LOG: Final = logging.getLogger("handrail.protocol")
_IMMEDIATE_RESPONSE: Final = "io.modelcontextprotocol/model-immediate-response"


def ttl_wished(ctx: Context) -> int | None:
    """How long the request asks to have its task kept, as far as that can be granted, in milliseconds.

    Raises:
        MCPError: the wish is no whole number (-32602). The SDK lets a text of digits pass, and a truth value.
    """
    task = (ctx.params or {}).get("task")
    wish = task.get("ttl") if isinstance(task, dict) else None
    if wish is None:
        return None
    if isinstance(wish, bool) or not isinstance(wish, (int, float)) or wish != int(wish):
        raise MCPError(INVALID_PARAMS, "Invalid request parameters", {"next": "Give task.ttl in whole milliseconds."})
    return granted_ttl_ms(int(wish))


class LegacyTasks:
    """Answers `tasks/*` of 2025-11-25 from the runs of one engine."""

    def __init__(self, engine: RunEngine) -> None:
        self._engine = engine

    def handle(self, ctx: Context, run: Run) -> JsonObject:
        """The `CreateTaskResult` of a run; from now on its changes are told to the session that began it.

        So is its progress, under the token of the request that began it, which stays valid for the task's life.
        """
        ctx.lifespan_context.group.start_soon(self._push_status, ctx, run)
        words = f"Run {run.run_id} has been started as a task. get_run with this run_id shows where it stands."
        return {"task": legacy_task(run), "_meta": {_IMMEDIATE_RESPONSE: words}}

    async def get(self, _ctx: Context, params: TaskParams) -> JsonObject:
        """Answer `tasks/get`."""
        return legacy_task(await self._engine.get(params.task_id, owner_of_request()))

    async def result(self, ctx: Context, params: TaskParams) -> JsonObject:
        """Answer `tasks/result`: waits for the end, however long it takes, then gives what the plain call would.

        Meanwhile the client is asked what the run asks, where it can be.
        """
        run = await self._engine.get(params.task_id, owner_of_request())
        async with self._engine.watch(run.run_id, run.owner) as changes, anyio.create_task_group() as group:
            asking = Elicitation(ctx, self._engine, group) if can_elicit(ctx) else None
            async for state in changes:
                run = state
                if asking is not None:
                    asking.follow(run)
            group.cancel_scope.cancel()
        return {**as_wire(run_result(run), modern=False), "_meta": {RELATED_TASK: {"taskId": run.run_id}}}

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
        token, began = (ctx.meta or {}).get("progress_token"), anyio.current_time()

        async def tell(state: Run) -> None:
            if state.revision == run.revision and not state.status.is_terminal:
                return  # which the answer to the request says
            await notify(ctx.session, "notifications/tasks/status", legacy_task(state))
            if token is not None and not state.status.is_terminal:
                elapsed = round(anyio.current_time() - began, 6)
                await ctx.session.send_progress_notification(token, elapsed, message=status_message(state))

        try:
            await tell_changes(self._engine, run, tell)
        except HandrailError as error:
            _LOG.debug("no more status of run %s: %s", run.run_id, error.message)
        except Exception:  # noqa: BLE001  (a task of the server's own group: what it raises would end the server)
            _LOG.exception("the status of run %s could not be told", run.run_id)
