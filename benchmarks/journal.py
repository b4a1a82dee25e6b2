"""What the journal costs a write: begin and finish, each on disk; also when fifty come at once; memory over 10,000."""

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import anyio
import psutil

from benchmarks.figures import Figure, percentile, print_verdicts
from handrail.journal import Entry, Journal, open_journal

__all__ = ["compare"]

_WRITES: Final = 500
_AT_ONCE: Final = 50
_ROUNDS: Final = 20
_MANY: Final = 10_000
_BOUND_MS: Final = 15
_GROWTH_MB: Final = 8
_ENTRY: Final = Entry(
    owner="local",
    client="client 1.0",
    surface="appwrite_call_tool",
    tool="tables_db_update_row",
    project="main",
    arguments={"database_id": "shop", "table_id": "orders", "row_id": "42", "data": {"state": "sent", "total": 12.5}},
    hints={"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": True},
    risks={"money"},
    rule="a PATCH changes what is there",
    level="model",
    by="model: confirm_write",
    request_line="PATCH /v1/tablesdb/shop/tables/orders/rows/42",
)


async def compare() -> bool:
    """Print the figures; whether each is within its bound."""
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        home = Path(folder)
        disk = _disk(home)
        async with open_journal(lambda: home, secrets={"an-api-key-of-some-length"}) as journal:
            await _write(journal)
            alone = [await _write(journal) for _ in range(_WRITES)]
            together = [await _at_once(journal) for _ in range(_ROUNDS)]
            growth = await _growth(journal)
    return print_verdicts(
        [
            Figure("a write and fsync of 500 bytes, ms, p50", percentile(disk, 0.5), None, len(disk)),
            Figure("begin + finish, ms, p50", percentile(alone, 0.5), _BOUND_MS, len(alone)),
            Figure("begin + finish, ms, p95", percentile(alone, 0.95), None, len(alone)),
            Figure("50 begin + finish at once, ms for all, p50", percentile(together, 0.5), None, len(together)),
            Figure("memory over 10,000 begin + finish, MB more", growth, _GROWTH_MB, _MANY),
        ]
    )


def _disk(home: Path) -> list[float]:
    """What the disk itself takes, in ms."""
    times = []
    with (home / "plain").open("wb", buffering=0) as file:
        for _ in range(_WRITES):
            before = time.perf_counter()
            file.write(b"x" * 500)
            os.fsync(file.fileno())
            times.append((time.perf_counter() - before) * 1000)
    return times


async def _write(journal: Journal) -> float:
    """One journaled write, in ms."""
    before = time.perf_counter()
    await journal.finish(await journal.begin(_ENTRY), "done", status=200)
    return (time.perf_counter() - before) * 1000


async def _at_once(journal: Journal) -> float:
    before = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(_AT_ONCE):
            group.start_soon(_write, journal)
    return (time.perf_counter() - before) * 1000


async def _growth(journal: Journal) -> float:
    """How many MB more this process has after many of them."""
    process = psutil.Process()
    before = process.memory_info().rss
    for _ in range(_MANY // _AT_ONCE):
        await _at_once(journal)
    return (process.memory_info().rss - before) / 1e6


if __name__ == "__main__":
    sys.exit(0 if anyio.run(compare) else 1)
