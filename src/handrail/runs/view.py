"""How every face shows a run: one shape, made here and nowhere else.

`run_view` is the run with its whole result; `bounded_view` and `page_view` are the same for callers to whom a large
result is given in pages; `listed_view` is one line of many.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonObject
from handrail.runs.model import Question, Run, RunStatus

__all__ = [
    "PAGE_CHARACTERS",
    "POLL_SECONDS",
    "ResultText",
    "bounded_view",
    "listed_view",
    "page_view",
    "result_text",
    "run_view",
]

POLL_SECONDS: Final = 20
"""How long the next step tells a caller to let `get_run` wait."""

PAGE_CHARACTERS: Final = 8_192
"""How many characters of JSON a result may have to be shown as it is; a longer one has pages of that size."""

_PREVIEW_CHARACTERS: Final = 1_000


@dataclass(frozen=True, slots=True)
class ResultText:
    """A run's result as JSON text. Its pages, one after the other, are the text again."""

    text: str

    @property
    def pages(self) -> int:
        """How many pages there are; one at least."""
        return -(-len(self.text) // PAGE_CHARACTERS)

    def page(self, number: int) -> str:
        """One page; the first is 1.

        Raises:
            ArgumentError: there is no such page.
        """
        if not 1 <= number <= self.pages:
            raise ArgumentError(
                f"page must be at most {self.pages}.",
                argument="page",
                next_step=f"Ask for a page from 1 to {self.pages}.",
                pages=self.pages,
            )
        return self.text[(number - 1) * PAGE_CHARACTERS : number * PAGE_CHARACTERS]

    def facts(self) -> JsonObject:
        """`{result_size, result_pages, result_sha256}`: the size in characters, the hash of the text in UTF-8."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()
        return {"result_size": len(self.text), "result_pages": self.pages, "result_sha256": digest}


def result_text(result: JsonObject) -> ResultText:
    """A result as JSON text. Half a surrogate pair, which UTF-8 cannot say, becomes a question mark."""
    text = json.dumps(result, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return ResultText(text if text.isascii() else text.encode(errors="replace").decode())


def run_view(run: Run, *, now: datetime | None = None) -> JsonObject:
    """`{run_id, agent, status, reason, message, elapsed_s, result, questions, next}`.

    Args:
        run: the run.
        now: the moment to show a live run at (aware, UTC); the present by default.

    Returns:
        `elapsed_s` in seconds with three decimals; `next` is `{tool, arguments}`, or None when the run has ended.
    """
    return {
        **_state(run, now),
        "result": run.result,
        "questions": [_question_view(question) for question in run.questions],
        "next": _next_step(run),
    }


def bounded_view(run: Run, *, now: datetime | None = None) -> JsonObject:
    """The `run_view` of a run, without a result that is too long for one answer.

    Such a result is None; in its place there are its `facts`, `result_preview` (its beginning), and `next` gets its
    first page.
    """
    view = run_view(run, now=now)
    if run.result is None:
        return view
    whole = result_text(run.result)
    if whole.pages == 1:
        return view
    return {
        **view,
        "result": None,
        **whole.facts(),
        "result_preview": whole.text[:_PREVIEW_CHARACTERS],
        "next": _next_page(run, 1),
    }


def page_view(run: Run, whole: ResultText, number: int) -> JsonObject:
    """The `run_view` of a run that has a result, with one page of it.

    Args:
        run: the run.
        whole: its result.
        number: which page; the first is 1.

    Returns:
        The view with `result` None, the result's `facts`, `result_page` and `result_text`; `next` gets the next page.

    Raises:
        ArgumentError: there is no such page.
    """
    return {
        **run_view(run),
        "result": None,
        **whole.facts(),
        "result_page": number,
        "result_text": whole.page(number),
        "next": _next_page(run, number + 1) if number < whole.pages else None,
    }


def listed_view(run: Run, *, now: datetime | None = None) -> JsonObject:
    """`{run_id, agent, status, reason, message, elapsed_s, has_result}`: a run among many.

    Told from the state, since an engine lists runs without their results: a run that failed says why in its message.
    """
    return {**_state(run, now), "has_result": run.status is RunStatus.COMPLETED}


def _state(run: Run, now: datetime | None) -> JsonObject:
    end = run.updated_at if run.status.is_terminal else now or datetime.now(UTC)
    return {
        "run_id": run.run_id,
        "agent": run.agent,
        "status": run.status.value,
        "reason": run.reason.value if run.reason else None,
        "message": run.message,
        "elapsed_s": round((end - run.created_at).total_seconds(), 3),
    }


def _question_view(question: Question) -> Json:
    return {"key": question.key, "message": question.message, "schema": question.schema}


def _next_step(run: Run) -> Json:
    if run.status.is_terminal:
        return None
    if run.status is RunStatus.INPUT_REQUIRED:
        return {"tool": "answer_run", "arguments": {"run_id": run.run_id, "answers": {}}}
    return {"tool": "get_run", "arguments": {"run_id": run.run_id, "wait_seconds": POLL_SECONDS}}


def _next_page(run: Run, number: int) -> Json:
    return {"tool": "get_run", "arguments": {"run_id": run.run_id, "page": number}}
