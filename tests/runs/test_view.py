"""The one shape in which every face shows a run."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.errors import ArgumentError
from handrail.runs import (
    Question,
    Run,
    RunReason,
    RunStatus,
    bounded_view,
    listed_view,
    page_view,
    result_text,
    run_view,
)

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


@given(st.text(st.characters(), min_size=0, max_size=30), st.integers(0, 2_000))
def test_the_pages_of_any_result_are_its_text(text: str, times: int) -> None:
    whole = result_text({"text": text * times})

    pages = [whole.page(number) for number in range(1, whole.pages + 1)]

    assert "".join(pages) == whole.text
    assert all(0 < len(page) <= 8_192 for page in pages)
    assert len(whole.text.encode()) > 0


@pytest.mark.parametrize("number", [0, -1, 2])
def test_there_is_no_page_outside_of_the_result(number: int) -> None:
    with pytest.raises(ArgumentError, match="at most 1") as caught:
        result_text({}).page(number)

    assert (caught.value.argument, caught.value.data["pages"]) == ("page", 1)


@pytest.mark.parametrize(("size", "inline"), [(8_192, True), (8_193, False)])
def test_a_result_is_inline_up_to_the_size_of_a_page(size: int, *, inline: bool) -> None:
    run = replace(_run(RunStatus.COMPLETED), result={"a": "x" * (size - len('{"a":""}'))})

    view = bounded_view(run)

    assert (view["result"] == run.result) is inline
    assert ("result_size" in view) is not inline
    assert run_view(run)["result"] == run.result


def test_a_page_says_how_to_get_the_next_one_and_the_last_says_nothing() -> None:
    run = replace(_run(RunStatus.COMPLETED), result={"a": "x" * 9_000})
    assert run.result
    whole = result_text(run.result)

    views = [page_view(run, whole, number) for number in (1, 2)]

    assert [view["next"] for view in views] == [{"tool": "get_run", "arguments": {"run_id": "id", "page": 2}}, None]
    assert [view["result_page"] for view in views] == [1, 2]


def test_a_line_of_a_listing_has_neither_result_nor_arguments() -> None:
    run = replace(_run(RunStatus.COMPLETED), result={"a": 1}, arguments={"b": 2})

    assert listed_view(run) == {
        "run_id": "id",
        "agent": "agent",
        "status": "completed",
        "reason": None,
        "message": "",
        "elapsed_s": 2.0,
        "has_result": True,
    }
