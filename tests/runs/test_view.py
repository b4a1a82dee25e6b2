"""The one shape in which every face shows a run."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from handrail.runs import Question, Run, RunReason, RunStatus, run_view

pytestmark = pytest.mark.unit

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def _run(status: RunStatus) -> Run:
    return Run("id", "agent", "me", status, BEGAN, BEGAN + timedelta(seconds=2))


def test_a_live_run_says_how_long_it_has_worked_and_what_to_call_next() -> None:
    view = run_view(replace(_run(RunStatus.WORKING), message="step 1"), now=BEGAN + timedelta(seconds=5))

    assert view == {
        "run_id": "id",
        "agent": "agent",
        "status": "working",
        "reason": None,
        "message": "step 1",
        "elapsed_s": 5.0,
        "result": None,
        "questions": [],
        "next": {"tool": "get_run", "arguments": {"run_id": "id", "wait_seconds": 20}},
    }


def test_an_ended_run_has_no_next_step_and_its_time_stands_still() -> None:
    view = run_view(replace(_run(RunStatus.FAILED), reason=RunReason.CRASHED), now=BEGAN + timedelta(days=1))

    assert (view["elapsed_s"], view["next"], view["reason"]) == (2.0, None, "crashed")


def test_a_run_that_asks_shows_its_questions_and_how_to_answer() -> None:
    question = Question("q1", "Buy?", {"type": "object"})
    view = run_view(replace(_run(RunStatus.INPUT_REQUIRED), questions=(question,)))

    assert view["questions"] == [{"key": "q1", "message": "Buy?", "schema": {"type": "object"}}]
    assert view["next"] == {"tool": "answer_run", "arguments": {"run_id": "id", "answers": {}}}
