"""`handrail runs list`, `show`, `result` and `log`: nothing here changes a run."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ValidationError

from handrail.cli.output import print_json, print_line, print_note
from handrail.cli.runs.opened import OWNER, all_runs, whole_id, with_runs
from handrail.cli.runs.shown import print_questions, print_run, print_runs, when
from handrail.cli.terminal import one_line
from handrail.errors import NotFoundError
from handrail.json_types import Json, JsonObject
from handrail.run_composition import run_place
from handrail.runs import RecordTail, Run, RunEngine, RunRecords, listed_view, run_view
from handrail.settings import load_settings

__all__ = ["NoResultError", "list_runs", "show_log", "show_result", "show_run"]


class NoResultError(NotFoundError):
    """A run has no result. `data` holds `run_id` and `status`."""

    type = "no_result"


class _LogLine(BaseModel):
    at: datetime
    message: str


def list_runs(*, limit: int, as_json: bool) -> None:
    """Print the runs, newest first.

    Args:
        limit: how many at most.
        as_json: print JSON.

    Raises:
        StoreError: the store of runs cannot be used.
    """
    runs = with_runs(lambda engine: _newest(engine, limit + 1))
    shown = runs[:limit]
    if as_json:
        listed: list[Json] = [{**listed_view(run), **_dates(run)} for run in shown]
        print_json({"runs": listed, "more": len(runs) > limit})
        return
    print_runs(shown, person=sys.stdout.isatty())
    if len(runs) > limit:
        print_note(f"There are more: `handrail runs --limit {limit * 10}` shows them.")


async def _newest(engine: RunEngine, count: int) -> list[Run]:
    return [run async for run in all_runs(engine, limit=count)]


def show_run(start: str, *, as_json: bool) -> None:
    """Print one run.

    Args:
        start: its id, or what no other run's id begins with.
        as_json: print JSON.

    Raises:
        RunNotFoundError: there is no such run.
        RunIdAmbiguousError: more than one run's id begins so.
        StoreError: the store of runs cannot be used.
    """
    run = _the_run(start)
    record = _record_folder(run)
    if as_json:
        print_json({**run_view(run), **_dates(run), "record": None if record is None else str(record)})
        return
    print_run(run)
    print_line(f"  {'started':<16}{when(run.created_at, datetime.now(UTC))}")
    if run.kept:
        print_line(f"  {'kept':<16}for ever")
    if record is not None:
        print_line(f"  {'record':<16}{record}")
    print_questions(run)


def show_result(start: str, *, as_json: bool) -> None:
    """Print the whole result of a run as JSON, however large it is.

    Args:
        start: the run's id, or what no other run's id begins with.
        as_json: print it on one line, for machines.

    Raises:
        NoResultError: the run has none, or not yet.
        RunNotFoundError: there is no such run.
        RunIdAmbiguousError: more than one run's id begins so.
        StoreError: the store of runs cannot be used.
    """
    run = _the_run(start)
    if run.result is None:
        step = f"{run.run_id}`."
        raise NoResultError(
            f"Run {run.run_id} has no result{'' if run.status.is_terminal else ' yet'}: it is {run.status.value}.",
            next_step=f"`handrail runs {'show' if run.status.is_terminal else 'watch'} {step}",
            run_id=run.run_id,
            status=run.status.value,
        )
    print_json(run.result, one_line=as_json)


def show_log(start: str, *, as_json: bool) -> None:
    """Print what a run said of where it stands, the oldest first, as its record on this machine has it.

    Args:
        start: the run's id, or what no other run's id begins with.
        as_json: print a JSON document a line: `{at, message}`.

    Raises:
        RunNotFoundError: there is no such run.
        RunIdAmbiguousError: more than one run's id begins so.
        StoreError: the store of runs cannot be used.
        OSError: the record cannot be read.
    """
    run = _the_run(start)
    tail = RunRecords(run_place(load_settings()).records).log(run.run_id)
    if tail.cut:
        print_note("Earlier lines are left out; the record's log.jsonl has them.")
    if not tail.lines:
        print_note(f"Nothing is in the log of run {run.run_id} on this machine.")
    for line in _log_lines(tail):
        if as_json:
            print_json({"at": line.at.isoformat(), "message": line.message}, one_line=True)
        else:
            print_line(f"{line.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}  {one_line(line.message)}")


def _log_lines(tail: RecordTail) -> list[_LogLine]:
    found: list[_LogLine] = []
    for line in tail.lines:
        try:
            found.append(_LogLine.model_validate_json(line))
        except ValidationError:
            continue  # a line that a full disk cut short
    return found


def _the_run(start: str) -> Run:
    async def get(engine: RunEngine) -> Run:
        return await engine.get(await whole_id(engine, start), OWNER)

    return with_runs(get)


def _dates(run: Run) -> JsonObject:
    return {"created_at": run.created_at.isoformat(), "kept": run.kept}


def _record_folder(run: Run) -> Path | None:
    """Where the record of a run is, if it is on this machine."""
    folder = run_place(load_settings()).records / run.run_id
    return folder if folder.is_dir() else None
