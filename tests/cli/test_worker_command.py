"""`handrail worker`: at work in the foreground, shown, drained, stopped, in a home that it cannot use."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import pytest

from handrail.runs import RunPlace
from handrail.runs.store import MAX_ATTEMPTS
from handrail.runs.worker import link
from tests.cli.conftest import Command, Invoke
from tests.runs.worker_home import home_of_runs, processes_of, stop_worker

LONG = ("run", "counter", "--params", '{"steps": 1000, "delay_s": 0.05}', "--detach")
_BOUND_S = 60


@contextmanager
def _foreground(home: Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A worker in the foreground, once it takes orders."""
    with subprocess.Popen(
        [sys.executable, "-m", "handrail", "worker"],
        env={**os.environ, "HANDRAIL_HOME": str(home), **environment},
        stderr=subprocess.PIPE,
        text=True,
    ) as worker:
        try:
            _until(lambda: (home / "worker.sock").exists() or worker.poll() is not None)
            yield worker
        finally:
            worker.kill()


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + _BOUND_S
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def _shown(invoke: Invoke) -> dict[str, object] | None:
    """What `--show` says of the worker."""
    found = json.loads(invoke("worker", "--show", "--json").stdout)["worker"]
    return None if found is None else dict(found)


def _status(invoke: Invoke, run_id: str) -> str:
    return str(json.loads(invoke("runs", "show", run_id, "--json").stdout)["status"])


def test_a_worker_with_nothing_to_do_ends_by_itself(home: Path) -> None:
    with _foreground(home, HANDRAIL_WORKER_IDLE_S="0.2") as worker:
        said = worker.stderr.read() if worker.stderr else ""

    assert (worker.wait(_BOUND_S), said.count("begins"), said.count("ends")) == (0, 1, 1)
    assert not (home / "worker.sock").exists()


def test_a_worker_does_what_waits_before_it_ends(home: Path, invoke: Invoke) -> None:
    run_id = invoke(*LONG[:3], '{"steps": 5, "delay_s": 0}', "--detach").stdout.strip()
    _until(lambda: _status(invoke, run_id) == "completed")
    invoke("worker", "--drain")
    _until(lambda: _shown(invoke) is None)
    with closing(sqlite3.connect(home / "runs.db", isolation_level=None)) as store:
        store.execute("UPDATE runs SET status = 'working', worker = NULL, child = NULL")

    with _foreground(home, HANDRAIL_WORKER_IDLE_S="0.2") as worker:
        code = worker.wait(_BOUND_S)

    assert (code, _status(invoke, run_id)) == (0, "completed")


def test_a_second_worker_of_a_home_says_that_there_is_one(home: Path, command: Command) -> None:
    with _foreground(home):
        second = command("worker", HANDRAIL_HOME=str(home))

    assert (second.returncode, "is the worker of this home folder already" in second.stderr) == (0, True)


def test_where_there_is_no_worker_that_is_said_and_none_is_started(home: Path, invoke: Invoke) -> None:
    for option in ("--show", "--drain", "--stop"):
        told, as_json = invoke("worker", option), invoke("worker", option, "--json")
        assert (told.exit_code, "No worker is at work" in told.stdout) == (1, True)
        assert (as_json.exit_code, json.loads(as_json.stdout)) == (1, {"worker": None})
    assert not (home / "worker.log").exists()


def test_a_worker_is_shown_with_its_runs_and_drained_without_beginning_another(home: Path, invoke: Invoke) -> None:
    assert home.is_dir()
    run_id = invoke(*LONG).stdout.strip()
    _until(lambda: (_shown(invoke) or {}).get("running") == [run_id])
    shown = invoke("worker", "--show").stdout
    drained = invoke("worker", "--drain").stdout
    invoke("runs", "cancel", run_id)
    _until(lambda: _shown(invoke) is None)

    assert (f"  {run_id}\n" in shown, "does 1 run\n" in shown) == (True, True)
    assert "does 1 run, ends when its runs have" in drained


@pytest.mark.parametrize("how", ["--stop", "SIGTERM"])
def test_a_stopped_worker_puts_a_run_back_that_goes_on_with_the_next_one(home: Path, invoke: Invoke, how: str) -> None:
    with _foreground(home) as worker:
        params = ("--episodes", "2", "--params", '{"steps": 20, "delay_s": 0.05}')
        run_id = invoke("run", "counter", *params, "--detach").stdout.strip()
        _until(lambda: "step" in json.loads(invoke("runs", "show", run_id, "--json").stdout)["message"])
        if how == "--stop":
            invoke("worker", how)
        else:
            worker.send_signal(signal.SIGTERM)
        code = worker.wait(_BOUND_S)
    left = processes_of(RunPlace(home))
    status = json.loads(invoke("runs", "--json").stdout)["runs"][0]["status"]
    watched = invoke("runs", "watch", run_id)

    assert (code, left, status) == (0, [], "working")
    assert (watched.exit_code, json.loads(invoke("runs", "result", run_id).stdout)["count"]) == (0, 40)


@pytest.mark.promise("killed-run-reads-as-interrupted")
def test_a_run_whose_process_is_killed_each_time_ends_as_interrupted_with_a_readable_record(
    home: Path, invoke: Invoke
) -> None:
    run_id = invoke(*LONG).stdout.strip()
    worker = psutil.Process(int(str((_shown(invoke) or {})["pid"])))
    for attempt in range(1, MAX_ATTEMPTS + 1):
        _until(lambda: _at_work(home, run_id) == attempt)  # noqa: B023  (called at once)
        for child in worker.children():
            child.kill()
    ended = invoke("runs", "watch", run_id)
    run = json.loads(invoke("runs", "show", run_id, "--json").stdout)
    record = json.loads((Path(run["record"]) / "run.json").read_text())

    assert (ended.exit_code, run["status"], run["reason"]) == (1, "failed", "interrupted")
    assert (record["status"], record["reason"], record["message"]) == ("failed", "interrupted", run["message"])
    assert "signal 9" in run["message"]


def _at_work(home: Path, run_id: str) -> int:
    """At which attempt the run counts; 0: it does not."""
    with closing(sqlite3.connect(home / "runs.db")) as store:
        ((attempt, message),) = store.execute("SELECT attempt, message FROM runs WHERE run_id = ?", (run_id,))
    return int(attempt) if message.startswith("episode") else 0


@pytest.fixture
def spoilt(home: Path, request: pytest.FixtureRequest) -> Path:
    """A home whose store cannot be used."""
    store = home / "runs.db"
    if request.param == "damaged":
        store.write_bytes(b"This is no database. " * 500)
    elif request.param == "a folder":
        store.mkdir()
    else:
        with closing(sqlite3.connect(store)) as newer:
            newer.execute("PRAGMA user_version = 999")
    return home


SPOILT = pytest.mark.parametrize("spoilt", ["damaged", "newer", "a folder"], indirect=True)


@pytest.mark.promise("unusable-store-is-said")
@SPOILT
@pytest.mark.parametrize(
    "arguments",
    [
        ("runs",),
        ("runs", "show", "0"),
        ("runs", "cancel", "0" * 44),
        ("runs", "watch", "0"),
        ("run", "counter"),
        ("run", "counter", "--detach"),
    ],
)
def test_a_store_that_cannot_be_used_is_one_error_with_what_mends_it(
    spoilt: Path, command: Command, arguments: tuple[str, ...]
) -> None:
    ended = command(*arguments, HANDRAIL_HOME=str(spoilt))

    lines = ended.stderr.splitlines()
    assert (ended.returncode, ended.stdout, len(lines)) == (1, "", 2), ended.stderr
    assert lines[0].startswith("error: ")
    assert str(spoilt / "runs.db") in lines[0]
    assert lines[1].strip()


@SPOILT
def test_a_worker_that_cannot_use_the_store_says_why_and_leaves_a_note(spoilt: Path, command: Command) -> None:
    ended = command("worker", HANDRAIL_HOME=str(spoilt))

    noted = json.loads((spoilt / "worker.failed").read_text())
    assert (ended.returncode, ended.stdout) == (1, "")
    assert str(spoilt / "runs.db") in ended.stderr
    assert (noted["type"], bool(noted["next"])) == ("store_unusable", True)


def test_a_run_for_which_no_worker_can_start_ends_as_interrupted_with_the_reason(
    tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "handrail.run_composition._WORKER",
        (sys.executable, "-c", f"import os; open('worker.failed', 'w').write({json.dumps(FAILURE)!r})"),
    )
    with home_of_runs(tmp_path):
        view = json.loads(invoke("run", "counter", "--json").stdout)

    assert (view["status"], view["reason"]) == ("failed", "interrupted")
    assert "The disk sings" in view["message"]
    assert "Ask it to stop" in view["message"]


FAILURE = {"message": "The disk sings.", "next": "Ask it to stop."}


def test_a_log_that_has_grown_large_is_set_aside_before_a_worker_is_started(
    home: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_LARGEST_LOG", 1000)
    log, old = home / "worker.log", home / "worker.log.1"
    old.write_text("the one before")
    log.write_text("x" * 1001)
    invoke("run", "counter", "--params", '{"steps": 1, "delay_s": 0}')
    large, first = old.read_text(), log.read_text()
    stop_worker(RunPlace(home))
    invoke("run", "counter", "--params", '{"steps": 1, "delay_s": 0}')

    assert large == "x" * 1001
    assert " begins, 2 slots" in first
    assert log.read_text().startswith(first), "a small one is gone on with"
