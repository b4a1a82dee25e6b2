"""`subscriptions/listen` (2026-07-28): a long request whose response is a stream of what happens to named tasks."""

import contextlib
from collections.abc import Sequence
from typing import Final

import anyio
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, SubscriptionFilter, SubscriptionsListenRequestParams
from pydantic import TypeAdapter, ValidationError

from handrail.errors import NotFoundError
from handrail.json_types import JsonObject
from handrail.protocol.context import Context, owner_of_request
from handrail.protocol.extension_tasks import require_declared
from handrail.protocol.notify import notify, tell_changes
from handrail.protocol.task_shapes import extension_task
from handrail.runs import Run, RunEngine

__all__ = ["MAX_STREAMS", "MAX_TASKS", "Subscriptions"]

MAX_TASKS: Final = 100
"""Tasks that one stream may watch."""
MAX_STREAMS: Final = 256
"""Streams that may be open at once."""
_TASK_IDS: Final = "taskIds"


class Subscriptions:
    """Answers `subscriptions/listen`. Of all that can be asked for, tasks are what changes here."""

    def __init__(self, engine: RunEngine | None) -> None:
        self._engine = engine
        self._open = 0

    async def listen(self, ctx: Context, params: SubscriptionsListenRequestParams) -> JsonObject:
        """Tell what happens to the tasks until all have ended; a stream without tasks stays open and silent.

        An id that is unknown, or another owner's, is left out of the acknowledgement.

        Raises:
            MCPError: the extension is not declared (-32021), the ids are no list of strings, or too many (-32602),
                too many streams are open (-32603).
        """
        ids = _task_ids(params.notifications)
        if ids is not None:
            require_declared(ctx)
        if self._open >= MAX_STREAMS:
            raise MCPError(INTERNAL_ERROR, "Subscription limit reached")
        self._open += 1
        try:
            await self._stream(ctx, ids)
        finally:
            self._open -= 1
        return {"resultType": "complete", "_meta": {SUBSCRIPTION_ID_META_KEY: ctx.request_id}}

    async def _stream(self, ctx: Context, ids: Sequence[str] | None) -> None:
        runs = [] if self._engine is None else await _known(self._engine, ids or ())
        honoured: JsonObject = {} if ids is None else {_TASK_IDS: [run.run_id for run in runs]}
        await _tell(ctx, "notifications/subscriptions/acknowledged", {"notifications": honoured})
        if ids is None:
            await anyio.sleep_forever()
        if self._engine is not None:
            await _follow_all(ctx, self._engine, runs)


async def _known(engine: RunEngine, ids: Sequence[str]) -> list[Run]:
    runs: list[Run] = []
    for run_id in dict.fromkeys(ids):
        with contextlib.suppress(NotFoundError):
            runs.append(await engine.get(run_id, owner_of_request()))
    return runs


async def _follow_all(ctx: Context, engine: RunEngine, runs: Sequence[Run]) -> None:
    async with anyio.create_task_group() as group:
        for run in runs:
            group.start_soon(_follow, ctx, engine, run)


async def _follow(ctx: Context, engine: RunEngine, run: Run) -> None:
    async def tell(state: Run) -> None:
        await _tell(ctx, "notifications/tasks", extension_task(state, detailed=True))

    with contextlib.suppress(NotFoundError):  # its time is over: there is nothing left to tell
        await tell_changes(engine, run, tell)


async def _tell(ctx: Context, method: str, params: JsonObject) -> None:
    tagged: JsonObject = {**params, "_meta": {SUBSCRIPTION_ID_META_KEY: ctx.request_id}}
    await notify(ctx.session, method, tagged, request_id=ctx.request_id)


def _task_ids(wanted: SubscriptionFilter) -> list[str] | None:
    given = (wanted.model_extra or {}).get(_TASK_IDS)
    if given is None:
        return None
    try:
        ids = TypeAdapter(list[str]).validate_python(given)
    except ValidationError:
        raise MCPError(INVALID_PARAMS, "taskIds must be a list of strings") from None
    if len(ids) > MAX_TASKS:
        raise MCPError(INVALID_PARAMS, f"One stream watches {MAX_TASKS} tasks at most", {"limit": MAX_TASKS})
    return ids
