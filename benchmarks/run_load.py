"""What a thousand live runs cost a server, and what a worker costs that has nothing to do."""

import random
import time
from dataclasses import dataclass
from typing import Final

import anyio

from benchmarks.figures import Figure, percentile
from benchmarks.served_home import ServedHome, Server, cpu_seconds, home_for_runs, processes_of

__all__ = ["Idle", "idle_worker", "thousand_runs"]

_RUNS: Final = 1000
_GETS: Final = 2000
_WATCHED_SECONDS: Final = 20
_IDLE_SECONDS: Final = 60
_SHORT_IDLE_SECONDS: Final = 3
_OVER_SECONDS: Final = 5  # it looks once a second, and then has its child end and itself
_SEED: Final = 4


@dataclass(frozen=True, slots=True)
class Idle:
    """A worker with nothing to do: percent of a core, MB of it and of the child that it keeps ready.

    `child_cpu_s` is what that child used to become ready, in seconds: a run that begins earlier waits for it.
    """

    cpu_percent: float
    rss_mb: float
    uss_mb: float
    child_rss_mb: float
    child_uss_mb: float
    child_cpu_s: float


async def thousand_runs() -> list[Figure]:
    """`tasks/get`, starts and the server's memory with a thousand live runs, two of them at work."""
    async with home_for_runs(HANDRAIL_MAX_RUNS=str(_RUNS)) as home, home.server(tasks=True) as server:
        before = server.process.memory_info().rss
        run_ids = [await server.start(steps=1000, delay_s=1) for _ in range(_RUNS)]
        used = cpu_seconds(server.process)
        gets, listings = await _gets(server, run_ids)
        used = cpu_seconds(server.process) - used
        grown = (server.process.memory_info().rss - before) / 1e6
    return [
        Figure("tasks/get with 1,000 live runs, p50, ms", percentile(gets, 0.5), of=_GETS),
        Figure("tasks/get with 1,000 live runs, p99, ms", percentile(gets, 0.99), 10, _GETS),
        Figure("tools/list between them, which needs no run, p99, ms", percentile(listings, 0.99), of=_GETS),
        Figure("CPU of the server for both of them, ms", used / _GETS * 1000, of=_GETS),
        Figure("server memory grown by 1,000 runs, MB", grown, 25),
    ]


async def _gets(server: Server, run_ids: list[str]) -> tuple[list[float], list[float]]:
    """How long each of many `tasks/get` took, and the `tools/list` after each: how busy the machine was. In ms."""
    chosen = random.Random(_SEED)  # noqa: S311  (which run is asked for is no secret)
    gets: list[float] = []
    listings: list[float] = []
    for _ in range(_GETS):
        run_id = chosen.choice(run_ids)
        began = time.perf_counter()
        task = await server.task(run_id)
        between = time.perf_counter()
        await server.client.session.list_tools()
        gets.append((between - began) * 1000)
        listings.append((time.perf_counter() - between) * 1000)
        assert (task.task_id, task.status) == (run_id, "working")
    return gets, listings


async def idle_worker() -> tuple[list[Figure], Idle]:
    """What a worker uses that has nothing to do, and when it has gone, by default and with a shorter setting."""
    idle, long_s = await _until_gone(_IDLE_SECONDS)
    _, short_s = await _until_gone(_SHORT_IDLE_SECONDS)
    figures = [
        Figure("a child made ready ahead of its run, CPU s", idle.child_cpu_s),
        Figure("worker idle, % of a core", idle.cpu_percent, 4),
        Figure("worker gone after 60 s idle, s", long_s, _IDLE_SECONDS + _OVER_SECONDS),
        Figure("worker gone after 3 s idle, s", short_s, _SHORT_IDLE_SECONDS + _OVER_SECONDS),
    ]
    return figures, idle


async def _until_gone(idle_s: int) -> tuple[Idle, float]:
    async with home_for_runs(HANDRAIL_WORKER_IDLE_S=str(idle_s)) as home, home.server() as server:
        await server.ended(await server.start(steps=1, delay_s=0))
        began = time.perf_counter()
        await anyio.sleep(1)  # the next child loads
        idle = await _idle(home, _WATCHED_SECONDS if idle_s > _WATCHED_SECONDS else 1)
        with anyio.fail_after(2 * idle_s + 10):
            while home.has_worker() or processes_of(home.place.home):  # noqa: ASYNC110  (another process)
                await anyio.sleep(0.05)
        return idle, time.perf_counter() - began


async def _idle(home: ServedHome, seconds: float) -> Idle:
    worker = await home.worker()
    (child,) = worker.children()
    before = cpu_seconds(worker) + cpu_seconds(child)
    began = time.perf_counter()
    await anyio.sleep(seconds)
    used = cpu_seconds(worker) + cpu_seconds(child) - before
    whole, ready = worker.memory_full_info(), child.memory_full_info()
    percent = 100 * used / (time.perf_counter() - began)
    return Idle(percent, whole.rss / 1e6, whole.uss / 1e6, ready.rss / 1e6, ready.uss / 1e6, cpu_seconds(child))
