"""A home folder of a benchmark's own, servers on it that the SDK's client talks to, and the end of its worker."""

import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import anyio
import psutil
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, Request, Result
from pydantic import ConfigDict

from handrail.cli.demo.task_client import CancelTask, TaskParams, TasksClient, TaskState
from handrail.json_types import JsonObject
from handrail.runs import RunPlace
from handrail.runs.worker import Order, OrderKind, WorkerLink
from handrail.storage.lock import try_lock

__all__ = ["ServedHome", "Server", "cpu_seconds", "has_gone", "home_for_runs", "processes_of"]

_ENDS_WITHIN_SECONDS: Final = 30
_LOOK_SECONDS: Final = 0.02


class _GetTask(Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams


class _Acknowledged(Result):
    model_config = ConfigDict(extra="allow")


@dataclass(frozen=True, slots=True)
class Server:
    """A server process, and the client that is connected to it by its pipes."""

    client: Client
    process: psutil.Process

    async def call(self, tool: str, **arguments: object) -> JsonObject:
        """The document that a tool answers."""
        result = await self.client.session.call_tool(tool, dict(arguments))
        assert isinstance(result, CallToolResult)
        assert not result.is_error, result
        document: JsonObject = result.structured_content
        return document

    async def start(self, **params: float) -> str:
        """Start a run of `counter`, by a plain call or as a task, as the client declares; its id."""
        arguments: dict[str, object] = {"agent": "counter", "params": params, "wait_seconds": 0}
        result = await self.client.session.call_tool("run_agent", arguments, allow_claimed=True)
        if isinstance(result, CallToolResult):
            return str(result.structured_content["run_id"])
        return str(result.model_dump()["task_id"])

    async def task(self, run_id: str) -> TaskState:
        """The run as `tasks/get` answers it."""
        return await self.client.session.send_request(_GetTask(params=TaskParams(task_id=run_id)), TaskState)

    async def cancel_task(self, run_id: str) -> None:
        """End the run by `tasks/cancel`."""
        await self.client.session.send_request(CancelTask(params=TaskParams(task_id=run_id)), _Acknowledged)

    async def ended(self, run_id: str) -> JsonObject:
        """The run once it has ended."""
        while True:
            run = await self.call("get_run", run_id=run_id, wait_seconds=30)
            if run["status"] not in {"working", "input_required"}:
                return run


@dataclass(frozen=True, slots=True)
class ServedHome:
    """A home folder, and the settings of every server on it."""

    place: RunPlace
    settings: Mapping[str, str]

    @asynccontextmanager
    async def server(self, *, tasks: bool = False) -> AsyncIterator[Server]:
        """A server, until the end of the context.

        Args:
            tasks: whether its client declares the tasks extension.
        """
        command = StdioServerParameters(command=sys.executable, args=["-m", "handrail", "serve"], env=self.environment)
        before = {child.pid for child in psutil.Process().children()}
        async with Client(command, extensions=[TasksClient(_go_on)] if tasks else None) as client:
            await client.list_tools()
            (process,) = [child for child in psutil.Process().children() if child.pid not in before]
            yield Server(client, process)

    @property
    def environment(self) -> dict[str, str]:
        """What a process of this home is started with."""
        return {**os.environ, **self.settings, "HANDRAIL_HOME": str(self.place.home)}

    def document(self, run_id: str, name: str) -> JsonObject:
        """A document of a run's record."""
        document: JsonObject = json.loads((self.place.records / run_id / name).read_bytes())
        return document

    def written_at(self, run_id: str, name: str) -> float:
        """When a document of a run's record was written last, in seconds since 1970."""
        return (self.place.records / run_id / name).stat().st_mtime

    def has_document(self, run_id: str, name: str) -> bool:
        """Whether a document of a run's record is there."""
        return (self.place.records / run_id / name).exists()

    def process_of(self, run_id: str) -> psutil.Process:
        """The process that does a run, or did it last."""
        process = self.document(run_id, "run.json")["process"]
        assert isinstance(process, dict)
        return psutil.Process(int(str(process["pid"])))

    async def worker(self) -> psutil.Process:
        """The worker that there is."""
        state = await _link(self.place).tell(Order())
        assert state is not None
        return psutil.Process(state.pid)

    def has_worker(self) -> bool:
        """Whether a worker is at work."""
        if not self.place.lock.exists():
            return False
        lock = try_lock(self.place.lock)
        if lock is not None:
            os.close(lock)
        return lock is None

    async def stop_worker(self) -> None:
        """Have the worker end, and wait until no process of the home is left."""
        with anyio.fail_after(_ENDS_WITHIN_SECONDS):
            while self.has_worker():
                await _link(self.place).tell(Order(kind=OrderKind.STOP))
                await anyio.sleep(_LOOK_SECONDS)
            while processes_of(self.place.home):  # noqa: ASYNC110  (other processes)
                await anyio.sleep(_LOOK_SECONDS)


@asynccontextmanager
async def home_for_runs(**settings: str) -> AsyncIterator[ServedHome]:
    """A home with these settings; what it started and what it holds are gone at the end."""
    with _temporary_folder() as folder:
        home = ServedHome(RunPlace(folder), settings)
        try:
            yield home
        finally:
            with anyio.CancelScope(shield=True):
                await home.stop_worker()


def processes_of(home: Path) -> list[psutil.Process]:
    """The processes whose working folder is this home: its worker, and the children of that."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(home) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def has_gone(process: psutil.Process) -> bool:
    """Whether a process has ended."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def cpu_seconds(process: psutil.Process) -> float:
    """What a process has used so far."""
    times = process.cpu_times()
    return times.user + times.system


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        yield Path(folder).resolve()


def _link(place: RunPlace) -> WorkerLink:
    return WorkerLink(place, [sys.executable], version="")


async def _go_on(_state: TaskState) -> bool:
    return True
