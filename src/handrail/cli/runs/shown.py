"""How a terminal shows runs."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from handrail.cli.output import Cell, Colour, paint, print_line, print_table
from handrail.json_types import Json, JsonObject
from handrail.runs import Question, Run, RunStatus

__all__ = ["answer_command", "duration", "print_questions", "print_run", "print_runs", "state_words", "when"]

_TOLD: Final = (
    "count", "model", "episodes", "mean_score", "mean_score_ci95", "wins", "losses", "mean_steps", "errors", "error",
    "total_s", "job_dir",
)  # fmt: skip
_COLOURS: Final = {
    RunStatus.COMPLETED: Colour.GOOD,
    RunStatus.FAILED: Colour.BAD,
    RunStatus.CANCELLED: Colour.CARE,
    RunStatus.INPUT_REQUIRED: Colour.CARE,
}
_SHORT_ID: Final = 16  # characters of an id that tell it from all others, but for those of the same millisecond
_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


def duration(seconds: float) -> str:
    """A time in at most two units: `4 s`, `3 min 20 s`, `2 h 5 min`, `3 d`."""
    whole = max(int(seconds), 0)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    if whole < _DAY:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
    return f"{whole // _DAY} d"


def when(moment: datetime, now: datetime) -> str:
    """A moment of the last day as its age in one unit (`3 s ago`), an earlier one as its date and time in UTC."""
    age = int((now - moment).total_seconds())
    if not 0 <= age < _DAY:
        return f"{moment:%Y-%m-%d %H:%M}"
    if age < _MINUTE:
        return f"{age} s ago"
    return f"{age // _MINUTE} min ago" if age < _HOUR else f"{age // _HOUR} h ago"


def state_words(run: Run, now: datetime | None = None) -> str:
    """Where a run stands, in one line: `working: step 3/10 (4 s)`."""
    end = run.updated_at if run.status.is_terminal else now or datetime.now(UTC)
    return f"{run.status.value}: {run.message} ({duration((end - run.created_at).total_seconds())})"


def print_runs(runs: Sequence[Run], *, person: bool) -> None:
    """A table of runs.

    Args:
        runs: in their order.
        person: whether somebody looks at it now: then a time is an age, and an id as much of it as tells it apart.
    """
    now = datetime.now(UTC)
    characters = _telling([run.run_id for run in runs]) if person else None
    rows: list[list[Cell]] = [
        [
            run.run_id[:characters],
            run.agent,
            (run.status.value, _colour(run)),
            when(run.created_at, now) if person else f"{run.created_at:%Y-%m-%d %H:%M}",
            f"{run.message} (kept)" if run.kept else run.message,
        ]
        for run in runs
    ]
    print_table(["run", "agent", "status", "started" if person else "started (UTC)", "message"], rows)


def print_run(run: Run) -> None:
    """One run, with what a person wants to know of its result."""
    print_line(f"{run.run_id}  {run.agent}  {paint(run.status.value, _colour(run))}")
    if run.message:
        print_line(f"  {run.message}")
    for name, shown in _told(run.result or {}):
        print_line(f"  {name:<16}{shown}")


def print_questions(run: Run) -> None:
    """What a run asks, and how to answer it."""
    for question in run.questions:
        print_line(f"  asks: {question.message}")
        print_line(f"  {paint(answer_command(run, question), Colour.QUIET)}")


def answer_command(run: Run, question: Question) -> str:
    """The command that answers a question, with a place for each value."""
    properties = question.schema.get("properties")
    names = [*properties] if isinstance(properties, dict) and properties else [question.key]
    return f"handrail runs answer {run.run_id} {' '.join(f'{name}=...' for name in names)}"


def _telling(ids: Sequence[str]) -> int:
    """How many characters of the ids tell them apart."""
    characters = _SHORT_ID
    while len({one[:characters] for one in ids}) < len({*ids}):
        characters += 1
    return characters


def _colour(run: Run) -> Colour:
    return _COLOURS.get(run.status, Colour.STRONG)


def _told(result: JsonObject) -> list[tuple[str, str]]:
    """What a person wants to know of a result; `handrail runs result` has the rest."""
    return [(name, _value(result[name])) for name in _TOLD if result.get(name) not in (None, 0)]


def _value(value: Json) -> str:
    return " to ".join(map(str, value)) if isinstance(value, list) else str(value)
