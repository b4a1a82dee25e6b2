"""A run as a task, in the two shapes that the two generations of the protocol give it, and how one is named. Pure."""

from datetime import UTC, datetime
from typing import Final

from mcp_types import RequestParams

from handrail.json_types import Json, JsonObject
from handrail.protocol.results import as_wire, run_result
from handrail.runs import Question, Run, RunReason, RunStatus, ttl_ms

__all__ = ["POLL_INTERVAL_MS", "TaskParams", "elicitation_of", "extension_task", "legacy_task", "status_message"]

POLL_INTERVAL_MS: Final = 1_000
"""How often a client is asked to poll, in milliseconds."""


class TaskParams(RequestParams):
    """Parameters that name a task."""

    task_id: str


def legacy_task(run: Run) -> JsonObject:
    """The `Task` of 2025-11-25. There, a result that is an error makes the task `failed`."""
    return {**_common(run, run.status), "ttl": ttl_ms(run), "pollInterval": POLL_INTERVAL_MS}


def extension_task(run: Run, *, detailed: bool) -> JsonObject:
    """The task of the 2026-07-28 extension. There, `failed` is kept for JSON-RPC errors: an error result is a result.

    Args:
        run: the run.
        detailed: with what its status brings along (`tasks/get`, notifications); else the bare handle.
    """
    status = RunStatus.COMPLETED if run.status is RunStatus.FAILED else run.status
    task: JsonObject = {**_common(run, status), "ttlMs": ttl_ms(run), "pollIntervalMs": POLL_INTERVAL_MS}
    return {**task, **_details(run)} if detailed else task


def elicitation_of(question: Question) -> JsonObject:
    """A question as the parameters of `elicitation/create`."""
    return {"mode": "form", "message": question.message, "requestedSchema": question.schema}


def _common(run: Run, status: RunStatus) -> JsonObject:
    """What both shapes have. The time to live, which may be null, has a name of its own in each."""
    message = status_message(run)
    return {
        "taskId": run.run_id,
        "status": status.value,
        **({"statusMessage": message} if message else {}),
        "createdAt": _timestamp(run.created_at),
        "lastUpdatedAt": _timestamp(run.updated_at),
    }


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


def status_message(run: Run) -> str:
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
