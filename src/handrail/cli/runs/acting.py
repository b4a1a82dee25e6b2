"""`handrail runs cancel` and `keep`."""

from handrail.cli.output import print_json, print_line
from handrail.cli.runs.opened import OWNER, whole_id, with_runs
from handrail.cli.runs.shown import state_words
from handrail.runs import KEPT_FOR, Run, RunEngine, RunStatus, run_view

__all__ = ["cancel_run", "keep_run"]


def cancel_run(start: str, *, as_json: bool) -> int:
    """End a run, and print how it stands; one that has ended stays as it is. Needs no worker.

    Args:
        start: its id, or what no other run's id begins with.
        as_json: print JSON.

    Returns:
        The exit code: 0 the run is cancelled, 1 it had ended otherwise.

    Raises:
        RunNotFoundError: there is no such run.
        RunIdAmbiguousError: more than one run's id begins so.
        StoreError: the store of runs cannot be used.
    """

    async def cancel(engine: RunEngine) -> Run:
        return await engine.cancel(await whole_id(engine, start), OWNER)

    run = with_runs(cancel)
    cancelled = run.status is RunStatus.CANCELLED
    if as_json:
        print_json(run_view(run))
    elif cancelled:
        print_line(f"cancelled: run {run.run_id}")
    else:
        print_line(f"Run {run.run_id} had ended already. {state_words(run)}")
    return 0 if cancelled else 1


def keep_run(start: str, *, kept: bool, as_json: bool) -> None:
    """Keep a run and its record for ever, or no longer than others.

    Args:
        start: its id, or what no other run's id begins with.
        kept: whether for ever.
        as_json: print JSON.

    Raises:
        RunNotFoundError: there is no such run.
        RunIdAmbiguousError: more than one run's id begins so.
        StoreError: the store of runs cannot be used.
    """

    async def keep(engine: RunEngine) -> Run:
        return await engine.keep(await whole_id(engine, start), OWNER, kept=kept)

    run = with_runs(keep)
    if as_json:
        print_json({"run_id": run.run_id, "kept": run.kept})
    else:
        print_line(f"Run {run.run_id} is kept {'for ever' if run.kept else f'for {KEPT_FOR.days} days from its end'}.")
