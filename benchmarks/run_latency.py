"""How fast a run is handed out, begun and ended, over the real wire.

When a body begins is when the series writes its `config.json`, its first act; that it has stopped is when it writes its
last `result.json`. A start counts from the moment in its row, which is taken before the row is on disk. So the figures
are larger than what they measure, but for the clock of the file system, which may be 4 ms behind.
"""

import time
from datetime import datetime
from typing import Final

import anyio

from benchmarks.figures import Figure, percentile
from benchmarks.served_home import ServedHome, Server, has_gone, home_for_runs

__all__ = ["latency"]

_FIRSTS: Final = 5
_STARTS: Final = 40
_PAIRS: Final = 10
_CANCELS: Final = 20
_SPACE_SECONDS: Final = 1.0  # what a person leaves between two starts at least; the next child has loaded by then
_INTO_THE_STEP_SECONDS: Final = 0.3
_SECONDS: Final = 30


async def latency() -> list[Figure]:
    """Handles, pickups and cancels."""
    firsts = [await _first() for _ in range(_FIRSTS)]
    async with home_for_runs() as home, home.server() as plain, home.server(tasks=True) as tasks:
        await plain.ended(await plain.start(steps=1, delay_s=0))
        await anyio.sleep(_SPACE_SECONDS)
        plainly = await _spaced(home, plain)
        as_task = await _spaced(home, tasks)
        pairs = [await _second_of_two(home, plain) for _ in range(_PAIRS)]
        stops = [await _cancelled(home, plain, as_task=False) for _ in range(_CANCELS // 2)]
        stops += [await _cancelled(home, tasks, as_task=True) for _ in range(_CANCELS // 2)]
    pickups = [pickup for _, pickup in [*plainly, *as_task]]
    return [
        Figure("very first handle, max, ms", max(handle for handle, _ in firsts), 1000, _FIRSTS),
        Figure("very first pickup (starts the worker), p50, ms", percentile([p for _, p in firsts], 0.5), of=_FIRSTS),
        Figure("handle, plain call, p50, ms", percentile([handle for handle, _ in plainly], 0.5), 50, _STARTS),
        Figure("handle, plain call, p95, ms", percentile([handle for handle, _ in plainly], 0.95), of=_STARTS),
        Figure("handle, task, p50, ms", percentile([handle for handle, _ in as_task], 0.5), 50, _STARTS),
        Figure("handle, task, p95, ms", percentile([handle for handle, _ in as_task], 0.95), of=_STARTS),
        Figure("pickup, p50, ms", percentile(pickups, 0.5), of=len(pickups)),
        Figure("pickup, p95, ms", percentile(pickups, 0.95), 250, len(pickups)),
        Figure("pickup of the second of two at once, p50, ms", percentile(pairs, 0.5), of=_PAIRS),
        Figure("cancel acknowledged, p95, ms", percentile([told for told, _, _ in stops], 0.95), of=_CANCELS),
        Figure("cancel to step stopped, p50, ms", percentile([stop for _, stop, _ in stops], 0.5), of=_CANCELS),
        Figure("cancel to step stopped, p95, ms", percentile([stop for _, stop, _ in stops], 0.95), 500, _CANCELS),
        Figure("cancel to process gone, p95, ms", percentile([gone for _, _, gone in stops], 0.95), of=_CANCELS),
    ]


async def _first() -> tuple[float, float]:
    """Handle and pickup of the first run of a new home, in ms."""
    async with home_for_runs() as home, home.server() as server:
        return await _one(home, server)


async def _spaced(home: ServedHome, server: Server) -> list[tuple[float, float]]:
    """Handles and pickups of runs that are started one by one, in ms."""
    found: list[tuple[float, float]] = []
    for turn in range(_STARTS):
        found += [await _one(home, server)]
        await anyio.sleep(_SPACE_SECONDS + turn % 10 / 100)  # over all phases of what is done every tenth of a second
    return found


async def _one(home: ServedHome, server: Server) -> tuple[float, float]:
    began = time.perf_counter()
    run_id = await server.start(steps=1, delay_s=0)
    handle = time.perf_counter() - began
    assert (await server.ended(run_id))["status"] == "completed"
    return handle * 1000, _pickup(home, run_id)


async def _second_of_two(home: ServedHome, server: Server) -> float:
    """The later pickup of two that are started together, in ms: one child is ready, the other has to be started."""
    run_ids = [await server.start(steps=1, delay_s=0.5) for _ in range(2)]
    for run_id in run_ids:
        await server.ended(run_id)
    await anyio.sleep(_SPACE_SECONDS)
    return max(_pickup(home, run_id) for run_id in run_ids)


def _pickup(home: ServedHome, run_id: str) -> float:
    created = datetime.fromisoformat(str(home.document(run_id, "run.json")["created_at"]))
    return (home.written_at(run_id, "config.json") - created.timestamp()) * 1000


async def _cancelled(home: ServedHome, server: Server, *, as_task: bool) -> tuple[float, float, float]:
    """Until the cancel is acknowledged, the step has stopped, the process has gone; in ms since it was asked for."""
    with anyio.fail_after(_SECONDS):
        run_id = await server.start(steps=10, delay_s=10)
        while not home.has_document(run_id, "config.json"):  # noqa: ASYNC110  (another process writes it)
            await anyio.sleep(0.02)
        await anyio.sleep(_INTO_THE_STEP_SECONDS)
        process = home.process_of(run_id)
        asked, began = time.time(), time.perf_counter()
        await (server.cancel_task(run_id) if as_task else server.call("cancel_run", run_id=run_id))
        told = time.perf_counter() - began
        while not has_gone(process):  # noqa: ASYNC110  (another process)
            await anyio.sleep(0.005)
        gone = time.perf_counter() - began
    assert home.document(run_id, "result.json")["finished_at"] is not None
    await anyio.sleep(_SPACE_SECONDS)
    return told * 1000, (home.written_at(run_id, "result.json") - asked) * 1000, gone * 1000
