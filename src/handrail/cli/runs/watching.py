"""`handrail runs watch`: follows a run and never touches it."""

import sys

import anyio

from handrail.cli.output import print_note
from handrail.cli.runs.following import JsonScreen, LineScreen, LiveScreen, Screen, follow
from handrail.cli.runs.opened import OWNER, whole_id, with_runs
from handrail.cli.signals import ending_cleanly
from handrail.cli.terminal import knows_escapes
from handrail.runs import Run, RunEngine, RunStatus

__all__ = ["watch_run"]


def watch_run(start: str, *, as_json: bool) -> int:
    """Show a run as it goes, to its end.

    Args:
        start: its id, or what no other run's id begins with.
        as_json: print a line of JSON for each change.

    Returns:
        The exit code: 0 completed, 1 failed or cancelled.

    Raises:
        RunNotFoundError: there is no such run.
        RunIdAmbiguousError: more than one run's id begins so.
        StoreError: the store of runs cannot be used.
        KeyboardInterrupt: the watching was interrupted; the run goes on.
    """
    screen = _screen(as_json=as_json)

    async def watch(engine: RunEngine) -> Run:
        run = await engine.get(await whole_id(engine, start), OWNER)
        try:
            return await follow(engine, run, screen)
        except anyio.get_cancelled_exc_class():
            screen.leave()
            print_note(f"Run {run.run_id} goes on. `handrail runs cancel {run.run_id}` ends it.")
            raise

    with ending_cleanly():
        run = with_runs(watch)
    screen.end(run)
    return 0 if run.status is RunStatus.COMPLETED else 1


def _screen(*, as_json: bool) -> Screen:
    if as_json:
        return JsonScreen()
    return LiveScreen() if knows_escapes(sys.stdout) else LineScreen()
