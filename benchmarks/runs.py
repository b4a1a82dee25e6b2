"""Runs: the bounds that they keep, and DBOS beside them. Takes six minutes, most of it waiting."""

import os
import sys

import anyio
import anyio.to_thread

from benchmarks.figures import Figure, print_table, print_verdicts
from benchmarks.rival.measured import Rival, measure_rival
from benchmarks.run_cost import EngineCost, engine_cost
from benchmarks.run_latency import latency
from benchmarks.run_load import Idle, idle_worker, thousand_runs

__all__ = ["compare"]


async def compare() -> bool:
    """Print what was measured; whether everything is within its bounds."""
    print(f"runs over stdio (load of the machine: {_load()})")
    handed = await latency()
    loaded = await thousand_runs()
    left, idle = await idle_worker()
    figures = [*handed, *loaded, *left]
    within = print_verdicts(figures)
    print(f"\nbeside DBOS (load of the machine: {_load()})")
    rival = await anyio.to_thread.run_sync(measure_rival)
    _print_beside({figure.name: figure for figure in figures}, idle, engine_cost(), rival)
    print(f"load of the machine at the end: {_load()}")
    return within


def _print_beside(figures: dict[str, Figure], idle: Idle, cost: EngineCost, rival: Rival) -> None:
    """What there is of both. A run of ours has a process of its own, a workflow of DBOS has not."""
    pickup_p50, pickup_p95 = figures["pickup, p50, ms"].value, figures["pickup, p95, ms"].value
    rows = [
        ("start on disk, in one process, p50, ms", cost.start_p50_ms, rival.enqueue_p50),
        ("pickup, p50, ms", pickup_p50, rival.pickup_p50),
        ("pickup, p95, ms", pickup_p95, rival.pickup_p95),
        ("pickup, a process for each run, p50, ms", pickup_p50, rival.process_pickup_p50),
        ("pickup, a process for each run, p95, ms", pickup_p95, rival.process_pickup_p95),
        ("idle worker, % of a core", idle.cpu_percent, rival.idle_percent),
        ("worker, RSS, MB", idle.rss_mb, rival.worker_mb[0]),
        ("worker, USS, MB", idle.uss_mb, rival.worker_mb[1]),
        ("its child that is kept ready, RSS, MB", idle.child_rss_mb, None),
        ("its child that is kept ready, USS, MB", idle.child_uss_mb, None),
        ("client imported and at work, CPU s", cost.import_s, rival.client_import_s),
        ("client, RSS, MB", cost.memory_mb[0], rival.client_mb[0]),
        ("client, USS, MB", cost.memory_mb[1], rival.client_mb[1]),
    ]
    cells = [(name, f"{ours:.3g}", "-" if theirs is None else f"{theirs:.3g}") for name, ours, theirs in rows]
    print_table([("", "handrail", "dbos"), *cells])


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


if __name__ == "__main__":
    sys.exit(0 if anyio.run(compare) else 1)
