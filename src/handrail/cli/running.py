"""`handrail run`: starts a run, and follows it unless it is told not to."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

import anyio

from handrail.agents import built_in_agents
from handrail.agents.tools import agent_tools
from handrail.arguments import ArgumentChecker
from handrail.cli.caller import AtTerminal
from handrail.cli.given import json_object
from handrail.cli.output import print_json, print_line, print_note, status_line
from handrail.cli.runs.asking import Asker, is_a_person_there
from handrail.cli.runs.following import BesideScreen, follow
from handrail.cli.runs.opened import with_runs
from handrail.cli.runs.shown import print_run
from handrail.cli.signals import ending_cleanly
from handrail.decisions import built_in_models
from handrail.errors import HandrailError
from handrail.json_types import JsonMapping
from handrail.protocol import RunTool
from handrail.run_composition import worker_link
from handrail.runs import Run, RunEngine, RunStatus, StartRequest, run_view
from handrail.settings import load_settings

__all__ = ["RunOptions", "run_agent"]

_ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is started from a terminal.

    Attributes:
        detach: do not follow it.
        as_json: print JSON.
    """

    detach: bool = False
    as_json: bool = False


def run_agent(agent: str, params: str, flags: JsonMapping, options: RunOptions) -> int:
    """Run an agent: follow its run, telling on standard error where it stands, and print how it ended.

    Args:
        agent: its name.
        params: its parameters as JSON.
        flags: what else `run_agent`, the tool, takes.
        options: how.

    Returns:
        The exit code: 0 completed (or started, where it is not followed), 1 failed or cancelled.

    Raises:
        UsageError: the agent, a flag or a parameter does not fit.
        StoreError: the store of runs cannot be used; nothing was started.
        KeyboardInterrupt: it was interrupted, and so the run is cancelled.
    """
    request = _prepare({"agent": agent, "params": json_object(params, "--params"), **flags})
    if options.detach:
        _tell_started(with_runs(partial(_start, request=request)), as_json=options.as_json)
        return 0
    with ending_cleanly():
        run = with_runs(partial(_run, request=request))
    if options.as_json:
        print_json(run_view(run))
    else:
        print_run(run)
    return 0 if run.status is RunStatus.COMPLETED else 1


def _prepare(arguments: JsonMapping) -> StartRequest:
    tools = agent_tools(built_in_agents(), built_in_models())
    tool = next(tool for tool in tools if isinstance(tool, RunTool))
    ArgumentChecker(tool.input_schema).check(arguments)
    return tool.prepare(AtTerminal(), arguments)


async def _start(engine: RunEngine, *, request: StartRequest) -> Run:
    """Start a run and leave it to the worker, which is there before the run is and told of it before this returns."""
    from handrail.runs.worker import Order

    await engine.list_runs(request.owner, limit=1)  # a store that cannot be used says so better than a worker
    link = worker_link(load_settings())
    await link.wake()
    run = await engine.start(request)
    if not run.status.is_terminal:
        await link.wake(Order(run_id=run.run_id, environment=dict(request.environment)))
    return run


def _tell_started(run: Run, *, as_json: bool) -> None:
    if as_json:
        print_json(run_view(run))
        return
    print_line(run.run_id)
    print_note(f"`handrail runs watch {run.run_id}` follows it, `handrail runs cancel {run.run_id}` ends it.")


async def _run(engine: RunEngine, *, request: StartRequest) -> Run:
    asker = Asker(engine) if is_a_person_there() else None
    started: list[Run] = []

    async def start() -> None:
        started.append(await engine.start(request))

    try:
        # A task of its own: an interrupt lets it finish, so that no run is started which nobody here knows of.
        async with anyio.create_task_group() as group:
            group.start_soon(start)
        return await follow(engine, started[0], BesideScreen(asker), asker)
    except anyio.get_cancelled_exc_class():
        for run in started:
            await _cancel(engine, run)
        raise


async def _cancel(engine: RunEngine, run: Run) -> None:
    try:
        with anyio.CancelScope(shield=True), _leaving_at_once():
            status_line("cancelling; once more leaves at once")
            last = await engine.cancel(run.run_id, run.owner)
    except HandrailError:
        status_line(f"not cancelled, goes on: run {run.run_id}", final=True)
        raise
    status_line(f"{last.status.value}: run {last.run_id}", final=True)


@contextmanager
def _leaving_at_once() -> Generator[None]:
    """While this is open, a signal that asks for an end ends this process, whatever it waits for."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in _ENDS if _is_heeded(number)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_heeded(number: signal.Signals) -> bool:
    return signal.getsignal(number) is not signal.SIG_IGN
