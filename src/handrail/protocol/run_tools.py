"""The tools that show and end runs: for every client, whatever it knows of tasks."""

from typing import Final

from handrail.arguments import number, object_schema
from handrail.errors import UsageError
from handrail.hints import LOCAL_READ, Hints
from handrail.json_types import JsonMapping, JsonObject
from handrail.protocol.clients import LONGEST_WAIT_S, WaitPolicy
from handrail.protocol.tool import Call, ServerTool, ToolAnswer
from handrail.protocol.waiting import RunWaiter
from handrail.runs import ResultText, Run, RunEngine, bounded_view, listed_view, page_view, result_text

__all__ = ["run_tools"]

_WRITES: Final = Hints(read_only=False, destructive=False, idempotent=False, open_world=True)
_CANCELS: Final = Hints(read_only=False, destructive=False, idempotent=True, open_world=False)
_RUN_ID: JsonObject = {"type": "string"}
_PAGE = 20
_LARGEST_PAGE = 50


def run_tools(engine: RunEngine, wait: WaitPolicy) -> tuple[ServerTool, ...]:
    """`get_run`, `answer_run`, `list_runs` and `cancel_run` for the runs of an engine.

    Args:
        engine: keeps the runs.
        wait: how long `get_run` waits.
    """
    return (_get_run(RunWaiter(engine, wait)), _answer_run(engine), _list_runs(engine), _cancel_run(engine))


class _LastPaged:
    """Shows pages of results. Keeps the text of one between its pages: they are asked for one after the other."""

    def __init__(self) -> None:
        self._of: tuple[str, int] | None = None
        self._text = ResultText("")

    def view(self, run: Run, number: int) -> JsonObject:
        """The run with one page of its result; as it stands, where it has none.

        Raises:
            ArgumentError: there is no such page.
        """
        if run.result is None:
            return bounded_view(run)
        if self._of != (run.run_id, run.revision):
            self._of, self._text = (run.run_id, run.revision), result_text(run.result)
        whole = self._text
        if number >= whole.pages:
            self._of, self._text = None, ResultText("")
        return page_view(run, whole, number)


def _get_run(waiter: RunWaiter) -> ServerTool:
    pages = _LastPaged()

    async def handle(call: Call, arguments: JsonMapping) -> ToolAnswer:
        run = await waiter.engine.get(str(arguments["run_id"]), call.owner)
        seconds = waiter.policy.seconds(call.client.name, number(arguments, "wait_seconds"))
        run, page = await waiter.wait(run, call, seconds), number(arguments, "page")
        return _answer(run) if page is None else ToolAnswer(pages.view(run, int(page)), is_error=run.is_error)

    return ServerTool(
        name="get_run",
        title="Get a run",
        description="Where a run stands, and its result once it has ended. Waits up to wait_seconds for the end or a "
        "question; call again while it is 'working'.",
        input_schema=object_schema(
            {
                "run_id": _RUN_ID,
                "wait_seconds": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": LONGEST_WAIT_S,
                    "description": "0: no wait.",
                },
                "page": {"type": "integer", "minimum": 1, "description": "A page of a large result."},
            },
            "run_id",
        ),
        annotations=LOCAL_READ.annotations(),
        handler=handle,
    )


def _answer_run(engine: RunEngine) -> ServerTool:
    async def handle(call: Call, arguments: JsonMapping) -> ToolAnswer:
        run_id, answers, declined = str(arguments["run_id"]), arguments.get("answers"), arguments.get("decline")
        if not answers and not declined:
            raise UsageError(
                "Nothing is answered and nothing declined.",
                next_step="Give answers, or the keys to decline: get_run shows the questions.",
            )
        run = await engine.answer(run_id, call.owner, answers if isinstance(answers, dict) else {})
        if isinstance(declined, list):
            run = await engine.decline(run_id, call.owner, [str(key) for key in declined])
        return _answer(run)

    return ServerTool(
        name="answer_run",
        title="Answer a run",
        description="Answers the questions of a run that is 'input_required'. Gives values, never approvals.",
        input_schema=object_schema(
            {
                "run_id": _RUN_ID,
                "answers": {"type": "object", "description": "Each question's key: its answer."},
                "decline": {"type": "array", "items": {"type": "string"}, "description": "Keys to leave unanswered."},
            },
            "run_id",
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
        return ToolAnswer({"runs": [listed_view(run) for run in page.runs], "next_cursor": page.next_cursor})

    return ServerTool(
        name="list_runs",
        title="List runs",
        description="Your runs, newest first. next_cursor, unless null, gets the next page.",
        input_schema=object_schema(
            {
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": _LARGEST_PAGE,
                    "default": _PAGE,
                },
                "cursor": {"type": "string", "description": "next_cursor of the page before."},
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
        description="Ends a run. One that has ended stays as it is.",
        input_schema=object_schema({"run_id": _RUN_ID}, "run_id"),
        annotations=_CANCELS.annotations(),
        handler=handle,
    )


def _answer(run: Run) -> ToolAnswer:
    return ToolAnswer(bounded_view(run), is_error=run.is_error)
