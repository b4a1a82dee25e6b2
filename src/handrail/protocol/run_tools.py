"""The tools that show and end runs: for every client, whatever it knows of tasks."""

from typing import Final

from handrail.arguments import number, object_schema
from handrail.hints import LOCAL_READ, Hints
from handrail.json_types import JsonMapping, JsonObject
from handrail.protocol.clients import LONGEST_WAIT_S, WaitPolicy
from handrail.protocol.tool import Call, ServerTool, ToolAnswer
from handrail.protocol.waiting import RunWaiter
from handrail.runs import Run, RunEngine, run_view

__all__ = ["run_tools"]

_WRITES: Final = Hints(read_only=False, destructive=False, idempotent=False, open_world=True)
_CANCELS: Final = Hints(read_only=False, destructive=False, idempotent=True, open_world=False)
_RUN_ID: JsonObject = {"type": "string", "minLength": 1, "maxLength": 200, "description": "The run's id."}
_PAGE = 20
_LARGEST_PAGE = 50


def run_tools(engine: RunEngine, wait: WaitPolicy) -> tuple[ServerTool, ...]:
    """`get_run`, `answer_run`, `list_runs` and `cancel_run` for the runs of an engine.

    Args:
        engine: keeps the runs.
        wait: how long `get_run` waits.
    """
    return (_get_run(RunWaiter(engine, wait)), _answer_run(engine), _list_runs(engine), _cancel_run(engine))


def _get_run(waiter: RunWaiter) -> ServerTool:
    async def handle(call: Call, arguments: JsonMapping) -> ToolAnswer:
        run = await waiter.engine.get(str(arguments["run_id"]), call.owner)
        seconds = waiter.policy.seconds(call.client.name, number(arguments, "wait_seconds"))
        return _answer(await waiter.wait(run, call, seconds))

    return ServerTool(
        name="get_run",
        title="Get a run",
        description="Where a run stands, and its result once it has ended. Waits up to wait_seconds for the end or for "
        "a question; call it again while the status is 'working'.",
        input_schema=object_schema(
            {
                "run_id": _RUN_ID,
                "wait_seconds": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": LONGEST_WAIT_S,
                    "description": "Seconds to wait for the run's end; 0 answers at once. Held under the client's own "
                    "limit.",
                },
            },
            "run_id",
        ),
        annotations=LOCAL_READ.annotations(),
        handler=handle,
    )


def _answer_run(engine: RunEngine) -> ServerTool:
    async def handle(call: Call, arguments: JsonMapping) -> ToolAnswer:
        answers = arguments["answers"]
        given = answers if isinstance(answers, dict) else {}
        return _answer(await engine.answer(str(arguments["run_id"]), call.owner, given))

    return ServerTool(
        name="answer_run",
        title="Answer a run",
        description="Answers the questions of a run whose status is 'input_required'. Gives values, never approvals.",
        input_schema=object_schema(
            {"run_id": _RUN_ID, "answers": {"type": "object", "description": "The key of each question: its answer."}},
            "run_id",
            "answers",
        ),
        annotations=_WRITES.annotations(),
        handler=handle,
    )


def _list_runs(engine: RunEngine) -> ServerTool:
    async def handle(call: Call, arguments: JsonMapping) -> ToolAnswer:
        limit, cursor = arguments.get("limit", _PAGE), arguments.get("cursor")
        page = await engine.list_runs(
            call.owner,
            limit=limit if isinstance(limit, int) else _PAGE,
            cursor=cursor if isinstance(cursor, str) else None,
        )
        return ToolAnswer({"runs": [run_view(run) for run in page.runs], "next_cursor": page.next_cursor})

    return ServerTool(
        name="list_runs",
        title="List runs",
        description="Your runs, newest first. next_cursor, where it is not null, gets the next page.",
        input_schema=object_schema(
            {
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": _LARGEST_PAGE,
                    "description": f"How many runs on a page; {_PAGE} by default.",
                },
                "cursor": {"type": "string", "maxLength": 64, "description": "next_cursor of the page before."},
            }
        ),
        annotations=LOCAL_READ.annotations(),
        handler=handle,
    )


def _cancel_run(engine: RunEngine) -> ServerTool:
    async def handle(call: Call, arguments: JsonMapping) -> ToolAnswer:
        return _answer(await engine.cancel(str(arguments["run_id"]), call.owner))

    return ServerTool(
        name="cancel_run",
        title="Cancel a run",
        description="Ends a run. One that has ended stays as it is, so calling this twice does no harm.",
        input_schema=object_schema({"run_id": _RUN_ID}, "run_id"),
        annotations=_CANCELS.annotations(),
        handler=handle,
    )


def _answer(run: Run) -> ToolAnswer:
    return ToolAnswer(run_view(run), is_error=run.is_error)
