"""`handrail run` and `handrail runs`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio

from handrail.agents import agent_tools, built_in_agents
from handrail.arguments import ArgumentChecker
from handrail.cli.given import json_object
from handrail.cli.output import Colour, paint, print_json, print_line, print_note, print_table, status_line
from handrail.cli.signals import ending_cleanly
from handrail.composition import run_engine, run_place
from handrail.decisions import built_in_models
from handrail.errors import UnavailableError, UsageError
from handrail.json_types import Json, JsonObject
from handrail.protocol import Client, RunTool
from handrail.runs import Run, RunEngine, RunStatus, StartRequest, list_records, read_record, run_view
from handrail.settings import Settings, load_settings

__all__ = ["AtTerminal", "RecordsUnreadableError", "RunIdAmbiguousError", "list_runs", "run_agent", "show_run"]

_MOST_NAMED: Final = 3  # ids in one message
_TOLD: Final = (
    "count", "model", "episodes", "mean_score", "mean_score_ci95", "wins", "losses", "mean_steps", "errors", "error",
    "total_s", "job_dir",
)  # fmt: skip
_COLOURS: Final = {RunStatus.COMPLETED: Colour.GOOD, RunStatus.FAILED: Colour.BAD, RunStatus.CANCELLED: Colour.CARE}


class RecordsUnreadableError(UnavailableError):
    """The folder of all run records cannot be read. `data` holds `path` and `problem` (the system's own words)."""

    type = "records_unreadable"


class RunIdAmbiguousError(UsageError):
    """More than one run's id begins so. `data["run_ids"]` lists them."""

    type = "run_id_ambiguous"


class AtTerminal:
    """A person at a terminal, as a tool sees who calls it."""

    client = Client(name="handrail", version="", protocol_version="")
    owner = "local"

    async def progress(self, message: str, done: float, total: float | None = None) -> None:
        """A terminal follows the run itself."""


def run_agent(agent: str, params: str, flags: JsonObject, *, as_json: bool) -> int:
    """Run an agent in this process, telling on standard error where it stands, and print how it ended.

    Returns:
        The exit code: 0 completed, 1 failed or cancelled.

    Raises:
        UsageError: the agent, a flag or a parameter does not fit.
        KeyboardInterrupt: it was interrupted, and so the run is cancelled.
    """
    arguments: JsonObject = {"agent": agent, "params": json_object(params, "--params"), **flags}
    request = _prepare(arguments)
    with ending_cleanly():
        run = anyio.run(_run, load_settings(), request)
    view = run_view(run)
    if as_json:
        print_json(view)
    else:
        _print_run(run)
    return 0 if run.status is RunStatus.COMPLETED else 1


def _prepare(arguments: JsonObject) -> StartRequest:
    tools = agent_tools(built_in_agents(), built_in_models())
    tool = next(tool for tool in tools if isinstance(tool, RunTool))
    ArgumentChecker(tool.input_schema).check(arguments)
    return tool.prepare(AtTerminal(), arguments)


async def _run(settings: Settings, request: StartRequest) -> Run:
    async with run_engine(settings) as engine:
        started = await engine.start(request)
        return await _follow(engine, started)


async def _follow(engine: RunEngine, started: Run) -> Run:
    last = started
    try:
        async with engine.watch(started.run_id, started.owner) as changes:
            async for last in changes:
                status_line(f"{last.status.value}: {last.message}", final=last.status.is_terminal)
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            last = await engine.cancel(started.run_id, started.owner)
        status_line(f"{last.status.value}: run {last.run_id}", final=True)
        raise
    return last


def list_runs(*, as_json: bool) -> None:
    """Print the runs whose records are kept, newest first, and say how many records are damaged.

    Raises:
        RecordsUnreadableError: their folder cannot be read.
    """
    records = _records()
    try:
        stored = list_records(records)
    except OSError as error:
        raise _unreadable(records, error) from error
    if as_json:
        damaged: list[Json] = [*stored.unreadable]
        print_json({"runs": [run_view(run) for run in stored.runs], "unreadable": damaged})
    else:
        rows = [
            [run.run_id, run.agent, run.status.value, f"{run.created_at:%Y-%m-%d %H:%M}", run.message]
            for run in stored.runs
        ]
        print_table(["run", "agent", "status", "started (UTC)", "message"], rows)
    if stored.unreadable:
        print_note(
            f"Damaged records, left out: {len(stored.unreadable)} ({_some(stored.unreadable)}). "
            "`handrail runs show ID` says where one is."
        )


def show_run(run_id: str, *, as_json: bool) -> None:
    """Print one run.

    Args:
        run_id: its id, or what no other run's id begins with.
        as_json: print JSON.

    Raises:
        RunNotFoundError: there is no record of it.
        RunIdAmbiguousError: more than one run's id begins so.
        RecordUnreadableError: its record is damaged.
        RecordsUnreadableError: the folder of all records cannot be read.
    """
    records = _records()
    run = read_record(records, _whole_id(records, run_id))
    if as_json:
        print_json(run_view(run))
    else:
        _print_run(run)


def _records() -> Path:
    return run_place(load_settings()).records


def _whole_id(records: Path, start: str) -> str:
    """The id of the one run that begins so; what was given, where it is none's or already whole."""
    try:
        names = sorted(item.name for item in records.iterdir() if start and item.name.startswith(start))
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise _unreadable(records, error) from error
    if len(names) > 1 and start not in names:
        found: list[Json] = [*names]
        raise RunIdAmbiguousError(
            f"{len(names)} runs begin with {start[:64]!r}: {_some(names)}.",
            next_step="Give more of the id.",
            run_ids=found,
        )
    return names[0] if len(names) == 1 else start


def _unreadable(records: Path, error: OSError) -> RecordsUnreadableError:
    problem = error.strerror or type(error).__name__
    return RecordsUnreadableError(
        f"The records of the runs cannot be read: {problem}.",
        next_step=f"Look at {records}, or set HANDRAIL_HOME to another folder.",
        path=str(records),
        problem=problem,
    )


def _some(ids: Sequence[str]) -> str:
    return ", ".join([*ids[:_MOST_NAMED], *(["..."] if len(ids) > _MOST_NAMED else [])])


def _print_run(run: Run) -> None:
    print_line(f"{run.run_id}  {run.agent}  {paint(run.status.value, _COLOURS.get(run.status, Colour.STRONG))}")
    if run.message:
        print_line(f"  {run.message}")
    for name, shown in _told(run.result or {}):
        print_line(f"  {name:<16}{shown}")


def _told(result: JsonObject) -> list[tuple[str, str]]:
    """What a person wants to know of a result; `--json` has the rest."""
    return [(name, _value(result[name])) for name in _TOLD if result.get(name) not in (None, 0)]


def _value(value: Json) -> str:
    return " to ".join(map(str, value)) if isinstance(value, list) else str(value)
