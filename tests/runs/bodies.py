"""Bodies of runs that do what a test tells them."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from handrail.json_types import Json, JsonObject
from handrail.runs import MemoryEngine, RunBody, RunContext, RunEngine, StartRequest

OWNER = "me"


def request(*, owner: str = OWNER, run_key: str | None = None, **arguments: Json) -> StartRequest:
    return StartRequest("agent", arguments, owner, run_key)


async def instant(_ctx: RunContext, asked: StartRequest) -> JsonObject:
    return {"ok": True, "asked": asked.arguments}


class Puppets:
    """A body whose every run waits for commands: `report TEXT`, `finish`, `fail`."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self._commands: dict[str, deque[str]] = {}
        self._news = anyio.Event()

    async def __call__(self, ctx: RunContext, _request: StartRequest) -> JsonObject:
        self.started.append(ctx.run_id)
        self._wake()
        while True:
            match (await self._next(ctx.run_id)).split(maxsplit=1):
                case ["report", text]:
                    await ctx.report(text)
                case ["finish"]:
                    return {"ok": True}
                case other:
                    raise ValueError(other)

    def tell(self, run_id: str, command: str) -> None:
        self._commands.setdefault(run_id, deque()).append(command)
        self._wake()

    async def until_started(self, count: int) -> None:
        with anyio.fail_after(5):
            while len(self.started) < count:
                await self._news.wait()

    async def _next(self, run_id: str) -> str:
        while not self._commands.get(run_id):
            await self._news.wait()
        return self._commands[run_id].popleft()

    def _wake(self) -> None:
        self._news.set()
        self._news = anyio.Event()


@asynccontextmanager
async def running(
    body: RunBody, *, records: Path | None = None, slots: int = 2, limit: int = 100
) -> AsyncIterator[RunEngine]:
    """An engine for at most five seconds."""
    with anyio.fail_after(5):
        async with MemoryEngine(body, records=records, slots=slots, limit=limit) as engine:
            yield engine
