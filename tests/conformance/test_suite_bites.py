"""The suite still bites: a twin of the fixture with one fault fails at that fault, and nowhere else."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mcp.server.context import HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult
from pydantic import BaseModel

from handrail.protocol import HandrailServer
from handrail.protocol.context import Context, declares_tasks
from handrail.protocol.task_shapes import TaskParams
from tests.conformance.fixture import Handler, replace_handler
from tests.conformance.referees import Referees
from tests.conformance.suite import judge
from tests.protocol.http_server import listening

Fault = Callable[[HandrailServer], None]


def _ids_resolve_late(server: HandrailServer) -> None:
    """A task is told of before it can be found: the first `tasks/get` of each does not know it."""
    asked: set[str] = set()

    def around(honest: Handler) -> Handler:
        async def get(ctx: Context, params: BaseModel) -> HandlerResult:
            task_id = str((ctx.params or {}).get("taskId"))
            if task_id not in asked:
                asked.add(task_id)
                raise MCPError(INVALID_PARAMS, "Failed to retrieve task: Task not found")
            return await honest(ctx, params)

        return get

    replace_handler(server, "tasks/get", around)


def _results_are_apart(server: HandrailServer) -> None:
    """`tasks/result`, which 2026-07-28 took away, is answered in it."""

    async def result(_ctx: Context, _params: TaskParams) -> dict[str, object]:
        return {"resultType": "complete", "content": []}

    server.add_request_handler("tasks/result", TaskParams, result)


def _everybody_gets_a_task(server: HandrailServer) -> None:
    """A client that declares nothing is handed a task all the same."""

    def around(honest: Handler) -> Handler:
        async def call(ctx: Context, params: BaseModel) -> HandlerResult:
            answer = await honest(ctx, params)
            return answer if declares_tasks(ctx) else {"resultType": "task", "taskId": "t", "status": "working"}

        return call

    replace_handler(server, "tools/call", around)


def _errors_look_fine(server: HandrailServer) -> None:
    """A tool that failed says that it did not."""

    def around(honest: Handler) -> Handler:
        async def call(ctx: Context, params: BaseModel) -> HandlerResult:
            assert isinstance(params, CallToolRequestParams)
            answer = await honest(ctx, params)
            return answer.model_copy(update={"is_error": False}) if isinstance(answer, CallToolResult) else answer

        return call

    replace_handler(server, "tools/call", around)


FAULTS = {
    "ids-resolve-late": ("tasks-dispatch-and-envelope", _ids_resolve_late),
    "results-are-apart": ("tasks-dispatch-and-envelope", _results_are_apart),
    "everybody-gets-a-task": ("tasks-capability-negotiation", _everybody_gets_a_task),
    "errors-look-fine": ("tools-call-error", _errors_look_fine),
}
FAILING = {
    "ids-resolve-late": {
        "sep-2663-durable-create-strong-consistency",
        "tasks-result-type-complete-on-non-task-responses",  # it polls at once, too
    },
    "results-are-apart": {"sep-2663-tasks-result-removed-method-not-found"},
    "everybody-gets-a-task": {"sep-2663-server-rejects-undeclared-client"},
    "errors-look-fine": {"tools-call-error"},
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_fails_the_check_that_is_for_it(
    referees: Referees, judged: HandrailServer, tmp_path: Path, fault: str
) -> None:
    scenario, break_it = FAULTS[fault]
    break_it(judged)

    async with listening(judged.streamable_http_app()) as url:
        verdict = await judge(referees, url, tmp_path / "verdict", "--scenario", scenario)

    assert verdict.exit_code == 1
    assert {check.id for check in verdict.of("FAILURE")} == FAILING[fault]
