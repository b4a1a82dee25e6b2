"""Fifty reads at once while one hangs: how fast `ping` is, whether a cancel counts, and what calls leave in memory.

The real server, and the stand-in in a process of its own. Its pipes are written and read raw, so that the time of a
client is not taken for the server's. Every read is sent at the same moment, five rounds of fifty; meanwhile the pings
go one after the other.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import anyio
import anyio.abc
import anyio.to_thread
import psutil
from anyio.streams.buffered import BufferedByteReceiveStream

from benchmarks.figures import Figure, percentile, print_verdicts
from handrail.appwrite import Backend, open_transport
from handrail.appwrite.call_effects import effect_of_call
from handrail.appwrite.catalog import load_catalogs
from handrail.appwrite.planner import plan_request
from handrail.appwrite.preview import ReadTwins
from handrail.appwrite.sending import Sender
from handrail.json_types import Json, JsonObject
from handrail.lazy import Lazy
from handrail.sandbox import API_KEY, PROJECT_ID, Fault, FaultKind, SandboxState, serve_sandbox

__all__ = ["compare"]

_AT_ONCE: Final = 50
_ROUNDS: Final = 5
_CALLS: Final = 10_000
_WARM_UP: Final = 2_000
_HANGING: Final = "/tablesdb"
_BOUND_S: Final = 300
_LONGEST: Final = 1_000_000  # bytes of a message
_SERVE: Final = "--serve-stand-in"


async def compare() -> bool:
    """Print the figures; whether every bound is kept."""
    with TemporaryDirectory() as home, _stand_in() as endpoint, anyio.fail_after(_BOUND_S):
        async with _server(endpoint, home) as pipes:
            figures = await _while_one_hangs(pipes)
        figures += await _many_calls(endpoint, Path(home))
    return print_verdicts(figures)


@contextmanager
def _stand_in() -> Iterator[str]:
    """The stand-in in a process of its own, where all that is asked of tables hangs; its endpoint."""
    command = [sys.executable, "-m", "benchmarks.parallel", _SERVE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


async def _serve_stand_in() -> None:
    state = SandboxState.seeded()
    state.faults.add(Fault(FaultKind.HANG, times=None, path=_HANGING))
    async with serve_sandbox(state) as sandbox:
        sys.stdout.write(f"{sandbox.endpoint}\n")
        sys.stdout.flush()
        await anyio.to_thread.run_sync(sys.stdin.read)  # until whoever started it closes the pipe


class _Pipes:
    """A server that is talked to in raw messages."""

    def __init__(self, process: anyio.abc.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin = process.stdin
        self._lines = BufferedByteReceiveStream(process.stdout)
        self._last = 0
        self._answered: dict[int, anyio.Event] = {}
        self._answers: dict[int, JsonObject] = {}

    async def listen(self) -> None:
        """Take answers until cancelled."""
        while True:
            answer = json.loads(await self._lines.receive_until(b"\n", _LONGEST))
            number = answer["id"]
            self._answers[number] = answer
            self._answered[number].set()

    async def begin(self, method: str, **params: Json) -> int:
        """Send a request; its number."""
        self._last += 1
        self._answered[self._last] = anyio.Event()
        await self._write({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return self._last

    async def answer(self, number: int) -> JsonObject:
        """The answer to a request, once it comes."""
        await self._answered[number].wait()
        del self._answered[number]
        return self._answers.pop(number)

    async def tell(self, method: str, **params: Json) -> None:
        """Send a notification."""
        await self._write({"jsonrpc": "2.0", "method": method, "params": params})

    async def begin_read(self, tool: str = "users_get", **arguments: Json) -> int:
        """Send a read; its number."""
        given: JsonObject = {"tool_name": tool, "arguments": arguments}
        return await self.begin("tools/call", name="appwrite_call_read_tool", arguments=given)

    async def is_read(self, number: int) -> bool:
        """Whether a read is answered as it should be, once its answer comes."""
        result = (await self.answer(number)).get("result")
        return isinstance(result, dict) and not result.get("isError")

    async def ping_for(self, took: list[float], times: int) -> None:
        """Ping one time after the other; what each took, in ms."""
        for _ in range(times):
            began = time.perf_counter()
            await self.answer(await self.begin("ping"))
            took.append((time.perf_counter() - began) * 1000)

    async def _write(self, message: JsonObject) -> None:
        await self._stdin.send(json.dumps(message).encode() + b"\n")


@asynccontextmanager
async def _server(endpoint: str, home: str) -> AsyncIterator[_Pipes]:
    environment = {
        **os.environ,
        "HANDRAIL_HOME": home,
        "APPWRITE_ENDPOINT": endpoint,
        "APPWRITE_PROJECT_ID": PROJECT_ID,
        "APPWRITE_API_KEY": API_KEY,
    }
    command = [sys.executable, "-m", "handrail", "serve", "--toolset", "appwrite"]
    async with (
        await anyio.open_process(command, env=environment, stderr=None) as process,
        anyio.create_task_group() as group,
    ):
        pipes = _Pipes(process)
        group.start_soon(pipes.listen)
        client: JsonObject = {"name": "bench", "version": "1"}
        number = await pipes.begin("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        await pipes.answer(number)
        await pipes.tell("notifications/initialized")
        assert await pipes.is_read(await pipes.begin_read(user_id="ada"))  # loads what a first call loads
        yield pipes
        group.cancel_scope.cancel()


async def _while_one_hangs(pipes: _Pipes) -> list[Figure]:
    missing = 0
    idle: list[float] = []
    busy: list[float] = []
    took: list[float] = []
    await pipes.ping_for(idle, 100)
    hanging = await pipes.begin_read("tables_db_list")
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        missing += _AT_ONCE - await _round(pipes, busy)
        took.append((time.perf_counter() - began) * 1000)
    await pipes.tell("notifications/cancelled", requestId=hanging)
    began = time.perf_counter()
    assert await pipes.is_read(await pipes.begin_read(user_id="ada"))
    after = (time.perf_counter() - began) * 1000
    return [
        Figure(f"not answered, of {_ROUNDS} times {_AT_ONCE} reads while one hangs", missing, 0),
        Figure(f"{_AT_ONCE} reads at once, p50, ms", percentile(took, 0.5), of=_ROUNDS),
        Figure("ping with nothing else, p99, ms", percentile(idle, 0.99), of=len(idle)),
        Figure("ping meanwhile, p50, ms", percentile(busy, 0.5), of=len(busy)),
        Figure("ping meanwhile, p99, ms", percentile(busy, 0.99), 50, len(busy)),
        Figure("a read once the hanging one is cancelled, ms", after),
    ]


async def _round(pipes: _Pipes, pings: list[float]) -> int:
    """How many of fifty reads at once are answered, while pings go on."""
    numbers = [await pipes.begin_read(user_id="ada") for _ in range(_AT_ONCE)]
    async with anyio.create_task_group() as pinging:
        pinging.start_soon(pipes.ping_for, pings, sys.maxsize)
        answered = sum([await pipes.is_read(number) for number in numbers])
        pinging.cancel_scope.cancel()
    return answered


async def _many_calls(endpoint: str, home: Path) -> list[Figure]:
    """What ten thousand sent reads leave in memory, after those that fill what is kept on purpose."""
    catalog = load_catalogs(home)
    method, arguments = catalog.get("users_get"), {"user_id": "ada"}
    process = psutil.Process()
    async with open_transport(Backend(endpoint, PROJECT_ID, API_KEY)) as transport:
        sender = Sender(transport, Lazy.of(lambda: ReadTwins(catalog)))
        before = 0.0
        for turn in range(_WARM_UP + _CALLS):
            if turn == _WARM_UP:
                before = process.memory_info().rss
            plan = plan_request(method, arguments, config={})
            sent = await sender.call(method, arguments, effect_of_call(method, arguments), plan)
            assert sent.result.status == 200  # noqa: PLR2004  (HTTP: OK)
    grown = (process.memory_info().rss - before) / 1e6
    return [Figure(f"memory grown over {_CALLS:,} reads in process, MB", grown, 5)]


if __name__ == "__main__":
    if _SERVE in sys.argv:
        anyio.run(_serve_stand_in)
    else:
        sys.exit(0 if anyio.run(compare) else 1)
