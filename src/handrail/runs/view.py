"""How every face shows a run: one shape, made here and nowhere else."""

from datetime import UTC, datetime

from handrail.json_types import Json, JsonObject
from handrail.runs.model import Question, Run, RunStatus

__all__ = ["POLL_SECONDS", "run_view"]

POLL_SECONDS = 20
"""How long the next step tells a caller to let `get_run` wait."""


def run_view(run: Run, *, now: datetime | None = None) -> JsonObject:
    """`{run_id, agent, status, reason, message, elapsed_s, result, questions, next}`.

    Args:
        run: the run.
        now: the moment to show a live run at (aware, UTC); the present by default.

    Returns:
        `elapsed_s` in seconds with three decimals; `next` is `{tool, arguments}`, or None when the run has ended.
    """
    end = run.updated_at if run.status.is_terminal else now or datetime.now(UTC)
    return {
        "run_id": run.run_id,
        "agent": run.agent,
        "status": run.status.value,
        "reason": run.reason.value if run.reason else None,
        "message": run.message,
        "elapsed_s": round((end - run.created_at).total_seconds(), 3),
        "result": run.result,
        "questions": [_question_view(question) for question in run.questions],
        "next": _next_step(run),
    }


def _question_view(question: Question) -> Json:
    return {"key": question.key, "message": question.message, "schema": question.schema}


def _next_step(run: Run) -> Json:
    if run.status.is_terminal:
        return None
    if run.status is RunStatus.INPUT_REQUIRED:
        return {"tool": "answer_run", "arguments": {"run_id": run.run_id, "answers": {}}}
    return {"tool": "get_run", "arguments": {"run_id": run.run_id, "wait_seconds": POLL_SECONDS}}
