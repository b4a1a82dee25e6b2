"""kill -9 of the server around the start of a run (F1, F2, F3), and its end while a run goes on (F9)."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from handrail.run_composition import run_engine
from handrail.runs.ledger import KEPT_FOR
from handrail.runs.store import StoredLedger, open_store
from handrail.settings import load_settings
from tests.protocol.process import ServerProcess, serving
from tests.runs.faults.server import KEY, Point
from tests.runs.worker.homes import OWNER, Home, ended, is_completed, until

_ROOT = Path(__file__).parents[3]


def _run_ids(home: Home, owner: str = OWNER) -> list[str]:
    with closing(open_store(home.place.home)) as database:
        page = StoredLedger(database, age=KEPT_FOR).page(owner, datetime.now(UTC), limit=10, cursor=None)
    return [run.run_id for run in page.runs]


async def _serve(home: Home, point: Point) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tests.runs.faults.server", str(home.place.home), str(home.folder), point]
    with anyio.fail_after(30):
        return await anyio.run_process(command, check=False, cwd=_ROOT, stderr=None)


@pytest.mark.parametrize("point", Point)
@pytest.mark.promise("told-runs-are-on-disk")
async def test_a_server_that_is_killed_around_a_start_leaves_the_whole_run_or_none(home: Home, point: Point) -> None:
    # F1, F2, F3
    done = await _serve(home, point)

    assert done.returncode == (0 if point is Point.NEVER else -signal.SIGKILL)
    kept = _run_ids(home)
    assert len(kept) == (0 if point is Point.BEFORE_COMMIT else 1)
    assert done.stdout.decode() in {"", *kept}
    async with home.engine() as engine:
        run = await engine.start(home.request(["act", "one"], run_key=KEY))
        assert kept in ([], [run.run_id]), "the same key gives the same run"
        assert is_completed(await ended(engine, run))
    assert home.acts("one") == 1


async def test_a_run_that_a_dead_server_has_queued_is_done_once_somebody_comes(home: Home) -> None:
    # F3
    await _serve(home, Point.AFTER_COMMIT)
    assert home.processes() == []

    async with home.engine():
        await home.until_acted("done")
    assert home.acts("one") == 1


@asynccontextmanager
async def _real_server(home: Home, *, layer: bool) -> AsyncIterator[ServerProcess]:
    """The real command with a run of a second or two at work; `layer`: below a shell that keeps its input open."""
    environment = {"HANDRAIL_HOME": str(home.place.home), "PATH": os.defpath, "HANDRAIL_WORKER_IDLE_S": "60"}
    serve = [sys.executable, "-m", "handrail", "serve", "--toolset", "agents"]
    command = ["/bin/sh", "-c", f"exec 3<&0; {' '.join(serve)} <&3 & exec sleep 1000"] if layer else serve
    async with serving(home.folder, command=command, environment=environment) as server:
        await server.greet()
        params = {"steps": 15, "delay_s": 0.1}
        await server.call(1, "run_agent", agent="counter", params=params, wait_seconds=0)
        answer = await server.receive()
        assert '"working"' in json.dumps(answer), answer
        yield server


@pytest.mark.parametrize("way", ["end of input", "SIGKILL", "its host killed, its input open"])
@pytest.mark.promise("runs-outlive-the-server")
async def test_a_run_goes_on_when_its_server_ends_and_the_next_one_finds_its_result(home: Home, way: str) -> None:
    # F9, F10
    async with _real_server(home, layer="host" in way) as server:
        before = time.monotonic()
        if way == "end of input":
            await server.close_input()
        else:
            server.process.kill()
        await server.rest()  # the end of the output is the end of whoever holds it
        assert time.monotonic() - before < (10 if "host" in way else 2)
        (run_id,) = _run_ids(home, "local")
    assert _state(home, run_id) == "working"

    async with run_engine(load_settings()) as engine:
        await until(lambda: _state(home, run_id) != "working", seconds=15)
        run = await engine.get(run_id, "local")
    assert is_completed(run), run
    assert run.attempt == 1
    assert run.result is not None
    assert run.result["count"] == 15


def _state(home: Home, run_id: str) -> object:
    with closing(sqlite3.connect(home.place.home / "runs.db")) as rows:
        return rows.execute("SELECT status FROM runs WHERE run_id = ?", (run_id,)).fetchone()[0]
