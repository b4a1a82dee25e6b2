"""A home whose runs do what a test tells them, and what there is to see of it from outside."""

import contextlib
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import psutil

from handrail.json_types import Json
from handrail.runs import DurableEngine, Run, RunPlace, RunStatus, StartRequest
from handrail.runs.store import Database, open_store
from handrail.runs.worker import Order, OrderKind, WorkerLink, WorkerState
from tests.runs.worker.bodies_worker import Options
from tests.runs.worker_home import processes_of

__all__ = ["OWNER", "ROOT", "Home", "ended", "is_completed", "is_running", "kill", "until"]

OWNER: Final = "me"
ROOT: Final = Path(__file__).parents[3]
_WORKER: Final = "tests.runs.worker.bodies_worker"
_LOOK_SECONDS: Final = 0.01


async def until(condition: Callable[[], object], *, seconds: float = 10.0, what: str = "") -> None:
    """Wait until something outside of this process is so."""
    try:
        with anyio.fail_after(seconds):
            while not condition():  # noqa: ASYNC110  (it happens in another process)
                await anyio.sleep(_LOOK_SECONDS)
    except TimeoutError:
        raise TimeoutError(f"it did not come to be within {seconds:g} s: {what}") from None


@dataclass(frozen=True, slots=True)
class Home:
    """One home.

    Attributes:
        place: the home.
        folder: where its runs leave what they did, and look for what they wait for.
        url: of the PostgreSQL database; empty: a file in the home.
    """

    place: RunPlace
    folder: Path
    url: str = ""

    def command(self, options: Options | None = None) -> list[str]:
        """What starts its worker."""
        given = (options or Options()).model_copy(update={"database_url": self.url})
        return [sys.executable, "-m", _WORKER, str(self.place.home), given.model_dump_json()]

    def link(
        self,
        options: Options | None = None,
        *,
        settings: Mapping[str, str] | None = None,
        command: Sequence[str] | None = None,
    ) -> WorkerLink:
        """The way to its worker, which is a real process."""
        return WorkerLink(
            self.place,
            command or self.command(options),
            version=(options or Options()).version,
            settings={"PYTHONPATH": str(ROOT), **(settings or {})},
        )

    @asynccontextmanager
    async def engine(
        self,
        options: Options | None = None,
        *,
        link: WorkerLink | None = None,
        limit: int = 100,
        seconds: float = 30.0,
    ) -> AsyncIterator[DurableEngine]:
        """An engine over it, for a bounded time."""
        with anyio.fail_after(seconds):
            async with DurableEngine(
                self.open, lambda: link or self.link(options), shared=bool(self.url), limit=limit
            ) as engine:
                yield engine

    def open(self) -> Database:
        """A connection to its store."""
        return open_store(self.place.home, self.url)

    def request(
        self,
        *steps: list[Json],
        resumable: bool = False,
        run_key: str | None = None,
        environment: dict[str, str] | None = None,
    ) -> StartRequest:
        """A run that takes these steps."""
        arguments: dict[str, Json] = {"folder": str(self.folder), "steps": [*steps]}
        return StartRequest("agent", arguments, OWNER, run_key, resumable=resumable, environment=environment or {})

    def say(self, name: str) -> None:
        """Make a file that a run waits for."""
        (self.folder / name).touch()

    def acts(self, name: str) -> int:
        """How often a run did something."""
        return len(self.times(name))

    def times(self, name: str) -> list[float]:
        """When a run did something, in seconds since 1970."""
        try:
            return [float(line.split()[-1]) for line in (self.folder / name).read_text().splitlines()]
        except FileNotFoundError:
            return []

    async def until_acted(self, name: str, count: int = 1, *, seconds: float = 10.0) -> None:
        """Wait until a run did something."""
        await until(lambda: self.acts(name) >= count, seconds=seconds, what=f"{name}, {self.told()}")

    def processes(self) -> list[int]:
        """All processes of the home."""
        return [process.pid for process in processes_of(self.place)]

    async def stop(self) -> None:
        """Have its worker end."""
        await self.link().tell(Order(kind=OrderKind.STOP))
        await self.until_gone()

    def end_workers(self) -> None:
        """Ask every worker of the home to end, also those that take no orders any more."""
        for process in processes_of(self.place):
            with contextlib.suppress(psutil.NoSuchProcess):
                if _WORKER in process.cmdline():
                    process.terminate()

    async def until_there(self, name: str) -> None:
        """Wait until there is a file."""
        await until((self.folder / name).exists, what=f"{name}, {self.told()}")

    async def until_gone(self, *, seconds: float = 10.0) -> None:
        """Wait until no process of the home is left."""
        await until(lambda: not processes_of(self.place), seconds=seconds, what=f"{processes_of(self.place)}")

    def told(self) -> str:
        """What the worker and its children have printed."""
        return self.place.log.read_text(errors="replace")[-4000:] if self.place.log.exists() else "no log"

    async def worker(self) -> WorkerState:
        """Where its worker stands; there must be one."""
        state = await self.link().tell(Order())
        assert state is not None, self.told()
        return state

    def child(self, run: Run) -> int | None:
        """The process that does a run."""
        child = self.column("child", run)
        return None if child is None else int(str(child).split()[0])

    def worker_of(self, run: Run) -> int | None:
        """The process of the worker that has taken a run."""
        worker = self.column("worker", run)
        return None if worker is None else int(str(worker).split()[1])

    def column(self, name: str, run: Run) -> object:
        """One field of a run's row."""
        if self.url:
            with closing(self.open()) as database:
                rows = database.read(f"SELECT {name} FROM runs WHERE run_id = ?", (run.run_id,))  # noqa: S608  (our own words)
                return rows[0][0] if rows else None
        with closing(sqlite3.connect(self.place.home / "runs.db")) as file:
            found = file.execute(f"SELECT {name} FROM runs WHERE run_id = ?", (run.run_id,)).fetchone()  # noqa: S608  (our own words)
            return None if found is None else found[0]

    def begun_by(self) -> list[int]:
        """The processes that began a run, in this order."""
        return [int(line.split()[0]) for line in (self.folder / "begun").read_text().splitlines()]

    def pid_of(self, name: str) -> int:
        """The process whose id a run left in a file."""
        return int((self.folder / name).read_text())

    def scratch(self) -> list[str]:
        """What is in the folder of temporary files."""
        return [path.name for path in self.place.scratch.iterdir()] if self.place.scratch.exists() else []


def kill(*pids: int) -> None:
    """End these processes by `kill -9`, one right after the other."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def is_running(pid: int) -> bool:
    """Whether there is such a process, and it is no zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def ended(engine: DurableEngine, run: Run, *, seconds: float = 10.0) -> Run:
    """The run once it has ended."""
    async with engine.watch(run.run_id, OWNER) as states:
        with anyio.fail_after(seconds):
            async for state in states:
                if state.status.is_terminal:
                    return state
    raise AssertionError(f"the run has gone: {run}")


def is_completed(run: Run) -> bool:
    """Whether it ended well."""
    return run.status is RunStatus.COMPLETED
