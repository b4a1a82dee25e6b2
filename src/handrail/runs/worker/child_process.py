"""A child as its worker sees it: started ahead of time, given a run, ended step by step where it does not end."""

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import anyio.abc
import anyio.to_thread

from handrail.runs.worker.messages import Assignment
from handrail.storage.process import ProcessMark, is_alive, is_of_this_boot, mark_of, started_at

__all__ = ["KILL_SECONDS", "TERM_SECONDS", "Child", "end_group", "reap"]

TERM_SECONDS: Final = 2.0
"""How long a run that has been ended may unwind before its process group gets SIGTERM."""
KILL_SECONDS: Final = 5.0
"""How long before it gets SIGKILL."""
_GONE_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 0.02


@dataclass(slots=True)
class Child:
    """A process that does one run, or is ready to."""

    process: anyio.abc.Process
    mark: ProcessMark
    code: int | None = None

    @classmethod
    async def start(cls, command: Sequence[str], log: Path, environment: Mapping[str, str]) -> "Child":
        """Start one, in a session and process group of its own. What it prints goes to the log.

        Raises:
            OSError: it cannot be started.
        """
        with log.open("ab") as output:
            process = await anyio.open_process(
                command, stdout=output, stderr=output, start_new_session=True, cwd=log.parent, env=environment
            )
        return cls(process, mark_of(process.pid))

    async def assign(self, assignment: Assignment) -> bool:
        """Give it its run. False where it has died meanwhile."""
        try:
            if self.process.stdin is not None:
                await self.process.stdin.send(assignment.model_dump_json().encode() + b"\n")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            return False
        return self.process.returncode is None

    async def stop(self) -> None:
        """Ask it to end: its standard input ends."""
        if self.process.stdin is not None:
            with contextlib.suppress(anyio.BrokenResourceError, OSError):
                await self.process.stdin.aclose()

    async def end(self) -> int:
        """Ask it to end, then SIGTERM, then SIGKILL, each in its time; the exit code. Nothing of its group is left."""
        if self.code is None:
            with anyio.CancelScope(shield=True):
                await self.stop()
                await self.escalate()
                await self.finish()
        return self.code or 0

    async def escalate(self, *, within_s: float = KILL_SECONDS) -> None:
        """SIGTERM, then SIGKILL, each in its time; returns at once where it has ended.

        Args:
            within_s: how long before SIGKILL, in seconds; SIGTERM comes as much earlier.
        """
        term_s = TERM_SECONDS * within_s / KILL_SECONDS
        for seconds, number in ((term_s, signal.SIGTERM), (within_s - term_s, signal.SIGKILL)):
            with anyio.move_on_after(seconds):
                await self.process.wait()
                return
            end_group(self.process.pid, number)

    async def finish(self) -> int:
        """Its exit code once it has ended; what it left of its process group is killed."""
        if self.code is None:
            code = await self.process.wait()
            self.code = code
            end_group(self.process.pid, signal.SIGKILL)
            await self.stop()
        return self.code


def end_group(group: int, number: signal.Signals) -> None:
    """Send a signal to a process group; nothing happens where it has gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


async def reap(mark: ProcessMark | None, scratch: Path) -> None:
    """Kill what is left of a child whose worker has gone, and remove its temporary files.

    A process that was given the same id since is left alone, and so is its group.
    """
    if mark is not None:
        with anyio.move_on_after(_GONE_SECONDS, shield=True):
            await anyio.to_thread.run_sync(_kill_group, mark)
    await remove(scratch)


def _kill_group(mark: ProcessMark) -> None:
    # Its leader may have gone and left others of its group. After a restart of the machine the group is not its own.
    if is_alive(mark) or (started_at(mark.pid) is None and is_of_this_boot(mark)):
        end_group(mark.pid, signal.SIGKILL)
    until = time.monotonic() + _GONE_SECONDS
    while is_alive(mark) and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS)


async def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, as far as the system lets us."""
    with anyio.CancelScope(shield=True):
        await anyio.to_thread.run_sync(lambda: shutil.rmtree(folder, ignore_errors=True))
