"""What the engine of runs costs the process that has it, in a process of its own: import, memory, a start on disk."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Final

import psutil

__all__ = ["EngineCost", "engine_cost"]

_ENDS_WITHIN_SECONDS: Final = 30
_ENGINE: Final = """
import json, sys, time
from datetime import UTC, datetime, timedelta
from pathlib import Path
began = time.process_time()
from handrail.runs import StartRequest
from handrail.runs.store import StoredLedger, open_store
from handrail.runs.worker import WorkerLink
imported = time.process_time() - began
database = open_store(Path(sys.argv[1]), "")
ledger, starts = StoredLedger(database, age=timedelta(days=7)), []
for _ in range(100):
    before = time.perf_counter()
    ledger.add(StartRequest("counter", {"steps": 1}, "local"), datetime.now(UTC), limit=1000)
    starts.append((time.perf_counter() - before) * 1000)
print(json.dumps({"import_s": imported, "starts": sorted(starts)}), flush=True)
sys.stdin.read()
database.close()
"""


@dataclass(frozen=True, slots=True)
class EngineCost:
    """Seconds of CPU to import it; resident memory and what is the process's alone, in MB; a start in ms."""

    import_s: float
    memory_mb: tuple[float, float]
    start_p50_ms: float


def engine_cost() -> EngineCost:
    """Measure it."""
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as home:
        command = [sys.executable, "-c", _ENGINE, home]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                found = json.loads(process.stdout.readline())
                memory = psutil.Process(process.pid).memory_full_info()
            finally:
                process.stdin.close()
                process.wait(_ENDS_WITHIN_SECONDS)
    starts = found["starts"]
    return EngineCost(found["import_s"], (memory.rss / 1e6, memory.uss / 1e6), starts[len(starts) // 2])
