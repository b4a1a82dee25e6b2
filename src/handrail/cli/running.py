"""`handrail run` and `handrail runs`."""

import anyio

from handrail.agents import agent_tools, built_in_agents
from handrail.arguments import ArgumentChecker
from handrail.cli.calling import json_object
from handrail.cli.output import Colour, paint, print_json, print_line, print_table, status_line
from handrail.composition import run_engine, runs_folder
from handrail.decisions import built_in_models
from handrail.home import home_folder
from handrail.json_types import Json, JsonObject
from handrail.protocol import Client, RunTool
from handrail.runs import MemoryEngine, Run, RunStatus, StartRequest, list_records, read_record, run_view
from handrail.settings import Settings, load_settings

__all__ = ["list_runs", "run_agent", "show_run"]

_TOLD = (
    "count", "model", "episodes", "mean_score", "mean_score_ci95", "wins", "losses", "mean_steps", "errors", "error",
    "total_s", "job_dir",
)  # fmt: skip
_COLOURS = {RunStatus.COMPLETED: Colour.GOOD, RunStatus.FAILED: Colour.BAD, RunStatus.CANCELLED: Colour.CARE}


class _Terminal:
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
        ArgumentError: the agent, a flag or a parameter does not fit.
    """
    arguments: JsonObject = {"agent": agent, "params": json_object(params, "--params"), **flags}
    run = anyio.run(_run, load_settings(), _prepare(arguments))
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
    return tool.prepare(_Terminal(), arguments)


async def _run(settings: Settings, request: StartRequest) -> Run:
    async with run_engine(settings, home_folder(settings)) as engine:
        started = await engine.start(request)
        return await _follow(engine, started)


async def _follow(engine: MemoryEngine, started: Run) -> Run:
    last = started
    try:
        async with engine.watch(started.run_id, started.owner) as changes:
            async for last in changes:
                status_line(f"{last.status.value}: {last.message}", final=last.status.is_terminal)
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            await engine.cancel(started.run_id, started.owner)
        status_line("cancelled", final=True)
        raise
    return last


def list_runs(*, as_json: bool) -> None:
    """Print the runs whose records are kept, newest first."""
    stored = list_records(runs_folder(home_folder(load_settings())))
    if as_json:
        print_json({"runs": [run_view(run) for run in stored.runs]})
        return
    rows = [
        [run.run_id, run.agent, run.status.value, f"{run.created_at:%Y-%m-%d %H:%M}", run.message]
        for run in stored.runs
    ]
    print_table(["run", "agent", "status", "started (UTC)", "message"], rows)


def show_run(run_id: str, *, as_json: bool) -> None:
    """Print one run.

    Raises:
        RunNotFoundError: there is no record of it.
    """
    run = read_record(runs_folder(home_folder(load_settings())), run_id)
    if as_json:
        print_json(run_view(run))
    else:
        _print_run(run)


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
