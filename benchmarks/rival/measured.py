"""DBOS 3.4.0 beside our own queue of runs: the same questions, in the same minutes, on the same machine.

What is not the same: a workflow of DBOS runs in the worker itself, a run of ours in a process of its own. So it is
asked a second time with a process for each workflow that loads what a process of ours loads. A pickup of DBOS counts
from the moment the client's enqueue has returned. SQLite stands as DBOS sets it up: a rollback journal, where ours has
a write-ahead log; both are on disk when a start returns.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from benchmarks.figures import percentile
from benchmarks.served_home import cpu_seconds

__all__ = ["Rival", "measure_rival"]

_VERSION: Final = "3.4.0"
_ENVIRONMENT: Final = Path(__file__).parents[2] / ".cache" / "dbos"
_PYTHON: Final = str(_ENVIRONMENT / "bin" / "python")
_HERE: Final = Path(__file__).parent
_STARTS: Final = 40
_PROCESSES: Final = 15
_SPACE_SECONDS: Final = 0.3
_WATCHED_SECONDS: Final = 20
_BODY: Final = "import time; import handrail.run_child; from handrail.agents import loop; print(time.time())"


@dataclass(frozen=True, slots=True)
class Rival:
    """DBOS: times in ms but for the import, which is in seconds of CPU; memory in MB; the idle worker in % of a core.

    Memory is the resident set, then what is the process's alone.
    """

    enqueue_p50: float
    pickup_p50: float
    pickup_p95: float
    process_pickup_p50: float
    process_pickup_p95: float
    idle_percent: float
    worker_mb: tuple[float, float]
    client_mb: tuple[float, float]
    client_import_s: float


@dataclass(frozen=True, slots=True)
class _Asked:
    enqueue: list[float]
    pickup: list[float]
    import_s: float
    memory_mb: tuple[float, float]


def measure_rival() -> Rival:
    """Measure it. Its environment is made at the first call."""
    _make_environment()
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        url = f"sqlite:///{folder}/dbos.sqlite"
        with _running("dbos_worker.py", url, sys.executable, "-c", _BODY) as (worker, _):
            inside = _asked(url, "inside", _STARTS)
            in_process = _asked(url, "in_process", _PROCESSES)
            idle, memory = _idle(worker), _memory(worker)
    return Rival(
        enqueue_p50=percentile(inside.enqueue, 0.5),
        pickup_p50=percentile(inside.pickup, 0.5),
        pickup_p95=percentile(inside.pickup, 0.95),
        process_pickup_p50=percentile(in_process.pickup, 0.5),
        process_pickup_p95=percentile(in_process.pickup, 0.95),
        idle_percent=idle,
        worker_mb=memory,
        client_mb=inside.memory_mb,
        client_import_s=inside.import_s,
    )


def _make_environment() -> None:
    if not Path(_PYTHON).exists():
        subprocess.run([sys.executable, "-m", "venv", str(_ENVIRONMENT)], check=True)
    install = [_PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"dbos=={_VERSION}"]
    if not [*_ENVIRONMENT.glob(f"lib/*/site-packages/dbos-{_VERSION}.dist-info")]:
        subprocess.run(install, check=True)


@contextmanager
def _running(script: str, *arguments: str) -> Iterator[tuple[psutil.Process, str]]:
    """A script in the environment of DBOS, once it has printed its line; it ends with its standard input."""
    command = [_PYTHON, str(_HERE / script), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line, f"{script} said nothing"
            yield psutil.Process(process.pid), line
        finally:
            process.stdin.close()
            process.wait(30)


def _asked(url: str, workflow: str, times: int) -> _Asked:
    with _running("dbos_client.py", url, workflow, str(times), str(_SPACE_SECONDS)) as (client, line):
        found = json.loads(line)
        return _Asked(found["enqueue_ms"], found["pickup_ms"], found["import_s"], _memory(client))


def _idle(worker: psutil.Process) -> float:
    before, began = cpu_seconds(worker), time.perf_counter()
    time.sleep(_WATCHED_SECONDS)
    return 100 * (cpu_seconds(worker) - before) / (time.perf_counter() - began)


def _memory(process: psutil.Process) -> tuple[float, float]:
    found = process.memory_full_info()
    return found.rss / 1e6, found.uss / 1e6
