"""`handrail demo`: the main job, with a real server, a real client, and nothing else needed."""

import shutil
import sys
import tempfile
import time
from pathlib import Path

import anyio

from handrail.cli.demo.stage import ShowFailedError, Stage
from handrail.cli.demo.steps import show
from handrail.cli.demo.worker_end import end_worker
from handrail.cli.output import print_line
from handrail.cli.signals import ending_cleanly
from handrail.runs import RunPlace

__all__ = ["demo"]

_BOUND_S = 60


def demo() -> None:
    """Show everything.

    Raises:
        ShowFailedError: a step did not do what it says.
    """
    started = time.monotonic()
    stage = Stage()
    with ending_cleanly(), tempfile.TemporaryDirectory(prefix="handrail-demo-") as home:
        try:
            anyio.run(_bounded, stage, Path(home))
        finally:
            end_worker(RunPlace(Path(home)))
    print_line(f"\nAll {stage.steps} steps did what they say, in {time.monotonic() - started:.1f} s.")
    print_line("\nAdd Handrail to a host:")
    print_line(f"  claude mcp add handrail -- {_command()} serve --sandbox")


def _command() -> str:
    """The command as a host finds it: its name where that is on the path, else where it is."""
    return "handrail" if shutil.which("handrail") else str(Path(sys.executable).with_name("handrail"))


async def _bounded(stage: Stage, home: Path) -> None:
    try:
        with anyio.fail_after(_BOUND_S):
            await show(stage, home)
    except TimeoutError:
        raise ShowFailedError(
            f"Step {stage.steps} took too long: the whole may take {_BOUND_S} s.",
            next_step="Try again on a machine that has less to do.",
            step=stage.steps,
        ) from None
