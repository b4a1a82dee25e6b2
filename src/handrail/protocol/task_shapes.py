"""A run as a task, in the two shapes that the two generations of the protocol give it, and how one is named. Pure."""

from datetime import UTC, datetime, timedelta
from typing import Final

from mcp_types import RequestParams

from handrail.json_types import Json, JsonObject
from handrail.protocol.results import as_wire, run_result
from handrail.runs import KEPT_FOR, Question, Run, RunReason, RunStatus

__all__ = ["POLL_INTERVAL_MS", "TASK_TTL_MS", "TaskParams", "elicitation_of", "extension_task", "legacy_task"]

POLL_INTERVAL_MS: Final = 1_000
"""How often a client is asked to poll, in milliseconds."""

TASK_TTL_MS: Final = KEPT_FOR // timedelta(milliseconds=1)
"""How long a run is kept, in milliseconds from its creation, whatever a client asks for (it may ask less).

It is kept for that long from its end, so never shorter than it says here. More than any run's time budget and never
under an hour, so a task never ends before its run."""


class TaskParams(RequestParams):
    """Parameters that name a task."""

    task_id: str


def legacy_task(run: Run) -> JsonObject:
    """The `Task` of 2025-11-25. There, a result that is an error makes the task `failed`."""
    return _drop_empty(
        {
            "taskId": run.run_id,
            "status": run.status.value,
            "statusMessage": _status_message(run),
            "createdAt": _timestamp(run.created_at),
            "lastUpdatedAt": _timestamp(run.updated_at),
            "ttl": TASK_TTL_MS,
            "pollInterval": POLL_INTERVAL_MS,
        }
    )


def extension_task(run: Run, *, detailed: bool) -> JsonObject:
    """The task of the 2026-07-28 extension. There, `failed` is kept for JSON-RPC errors: an error result is a result.

    Args:
        run: the run.
        detailed: with what its status brings along (`tasks/get`, notifications); else the bare handle.
    """
    failed = run.status is RunStatus.FAILED
    task = _drop_empty(
        {
            "taskId": run.run_id,
            "status": (RunStatus.COMPLETED if failed else run.status).value,
            "statusMessage": _status_message(run),
            "createdAt": _timestamp(run.created_at),
            "lastUpdatedAt": _timestamp(run.updated_at),
            "ttlMs": TASK_TTL_MS,
            "pollIntervalMs": POLL_INTERVAL_MS,
        }
    )
    return {**task, **_details(run)} if detailed else task


def elicitation_of(question: Question) -> JsonObject:
    """A question as the parameters of `elicitation/create`."""
    return {"mode": "form", "message": question.message, "requestedSchema": question.schema}


def _details(run: Run) -> JsonObject:
    match run.status:
        case RunStatus.COMPLETED | RunStatus.FAILED:
            return {"result": as_wire(run_result(run), modern=True)}
        case RunStatus.INPUT_REQUIRED:
            return {"inputRequests": {question.key: _input_request(question) for question in run.questions}}
        case _:
            return {}


def _input_request(question: Question) -> Json:
    return {"method": "elicitation/create", "params": elicitation_of(question)}


def _status_message(run: Run) -> str:
    """The run's message. Some hosts show nothing else of a failed task: there it says what is wrong and what next."""
    if run.status is not RunStatus.FAILED:
        return run.message
    if run.reason is RunReason.REJECTED and run.result is not None:
        return _rejection(run.result) or run.message
    reason = run.reason.value if run.reason else "failed"
    return f"{run.message or 'The run failed.'} ({reason}) More: get_run with run_id {run.run_id}."


def _rejection(document: JsonObject) -> str:
    error = document.get("error")
    if not isinstance(error, dict):
        return ""
    return " ".join(str(part) for part in (error.get("message"), error.get("next")) if part)


def _timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _drop_empty(shape: JsonObject) -> JsonObject:
    return {name: value for name, value in shape.items() if value not in {None, ""}}
