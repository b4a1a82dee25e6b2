"""`handrail run`: followed, left alone, interrupted, asked."""

import json
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import pytest

from handrail.cli.runs.opened import OWNER
from handrail.errors import UsageError
from handrail.runs import RunKeyReusedError, RunPlace
from tests.cli.conftest import Command, Invoke
from tests.cli.terminal_process import Stream, at_terminal
from tests.runs.worker_home import processes_of

SHORT = ("run", "counter", "--params", '{"steps": 1, "delay_s": 0}', "--json")
LONG = ("run", "counter", "--params", '{"steps": 1000, "delay_s": 0.05}')
ASKS = ("run", "counter", "--params", '{"steps": 3, "delay_s": 0, "ask_at": 2}')
EVERYWHERE = tuple(Stream)


@pytest.fixture(autouse=True)
def _home(busy_home: Path) -> None:
    """All of them share a home and its worker."""
    assert busy_home.is_dir()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_run_that_is_interrupted_is_cancelled_and_says_so(
    busy_home: Path, invoke: Invoke, sent: signal.Signals, code: int
) -> None:
    with at_terminal(*LONG, home=busy_home) as running:
        running.until(b"step 1/1000")
        running.process.send_signal(sent)
        last = running.rest()

    run = json.loads(invoke("runs", "--json").output)["runs"][0]
    assert (running.process.returncode, run["status"]) == (code, "cancelled")
    assert last.rstrip().endswith(f"cancelled: run {run['run_id']}".encode())
    assert last.count(b"\n") == 1


def test_a_second_interrupt_leaves_at_once_whatever_the_cancel_waits_for(busy_home: Path) -> None:
    with at_terminal(*LONG, home=busy_home) as running:
        running.until(b"started")
        with _nothing_can_be_written(busy_home):
            running.process.send_signal(signal.SIGINT)
            running.until(b"once more leaves at once")
            began = time.monotonic()
            running.process.send_signal(signal.SIGINT)
            code = running.process.wait(20)
            took = time.monotonic() - began

    assert (code, took < 2) == (-signal.SIGINT, True)


def test_a_cancel_that_the_store_does_not_take_is_said_to_leave_the_run_going(busy_home: Path) -> None:
    with at_terminal(*LONG, home=busy_home) as running:
        running.until(b"started")
        with _nothing_can_be_written(busy_home):
            running.process.send_signal(signal.SIGINT)
            running.until(b"not cancelled, goes on: run ")
            running.rest()

    assert running.process.returncode == 1


@contextmanager
def _nothing_can_be_written(home: Path) -> Iterator[None]:
    with closing(sqlite3.connect(home / "runs.db", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        yield
        holder.execute("ROLLBACK")


@pytest.mark.promise("run-outlives-its-terminal")
def test_a_run_goes_on_when_the_command_that_started_it_is_killed(busy_home: Path, invoke: Invoke) -> None:
    params = '{"steps": 20, "delay_s": 0.1}'
    with at_terminal("run", "counter", "--params", params, home=busy_home) as running:
        running.until(b"step 1/20")
        running.process.kill()
        running.process.wait(20)

    run_id = json.loads(invoke("runs", "--json").output)["runs"][0]["run_id"]
    ended = invoke("runs", "watch", run_id)

    assert (ended.exit_code, json.loads(invoke("runs", "result", run_id).stdout)["count"]) == (0, 20)


def test_a_run_that_is_left_alone_prints_its_id_and_goes_on_to_its_end(command: Command, busy_home: Path) -> None:
    started = command(*SHORT[:-1], "--detach", HANDRAIL_HOME=str(busy_home))
    run_id = started.stdout.strip()
    watched = command("runs", "watch", run_id, HANDRAIL_HOME=str(busy_home))

    assert (started.returncode, len(run_id)) == (0, 44)
    assert f"handrail runs watch {run_id}" in started.stderr
    assert (watched.returncode, "completed: done" in watched.stdout) == (0, True)


def test_the_start_of_a_run_that_is_left_alone_is_a_view_of_it(invoke: Invoke) -> None:
    view = json.loads(invoke(*SHORT, "--detach").stdout)

    assert (view["agent"], view["status"]) == ("counter", "working")
    assert json.loads(invoke("runs", "show", view["run_id"], "--json").stdout)["run_id"] == view["run_id"]
    invoke("runs", "watch", view["run_id"])


def test_the_same_key_gives_the_same_run_and_another_run_is_refused_under_it(invoke: Invoke) -> None:
    first, again = (json.loads(invoke(*SHORT, "--run-key", "once").stdout) for _ in range(2))
    detached = invoke(*SHORT[:-1], "--run-key", "once", "--detach").stdout.strip()
    other = invoke("run", "counter", "--run-key", "once").exception

    assert first == again
    assert detached == first["run_id"]
    assert isinstance(other, RunKeyReusedError)


def test_a_person_is_asked_what_the_run_asks_until_an_answer_fits(busy_home: Path) -> None:
    with at_terminal(*ASKS, home=busy_home, streams=EVERYWHERE) as running:
        running.until(b"go_on (yes or no)")
        running.type("perhaps\n")
        running.until(b"go_on must be true or false")
        running.type("yes\n")
        running.until(b"count           3")
        running.rest()

    assert running.process.returncode == 0


def test_a_run_that_is_answered_elsewhere_is_no_longer_asked_about(busy_home: Path, invoke: Invoke) -> None:
    with at_terminal(*ASKS, home=busy_home, streams=EVERYWHERE) as running:
        running.until(b"go_on (yes or no)")
        run_id = json.loads(invoke("runs", "--json").output)["runs"][0]["run_id"]
        invoke("runs", "answer", run_id, "go_on=yes")
        running.until(b"no longer asked")
        running.until(b"completed")
        running.rest()

    assert running.process.returncode == 0


def test_an_interrupt_at_a_question_cancels_the_run(busy_home: Path, invoke: Invoke) -> None:
    with at_terminal(*ASKS, home=busy_home, streams=EVERYWHERE) as running:
        running.until(b"go_on (yes or no)")
        running.process.send_signal(signal.SIGINT)
        running.rest()

    assert running.process.returncode == 130
    assert json.loads(invoke("runs", "--json").output)["runs"][0]["status"] == "cancelled"


def test_in_a_pipe_it_is_said_how_to_answer(busy_home: Path, invoke: Invoke) -> None:
    with at_terminal(*ASKS, home=busy_home, TERM="dumb") as running:
        running.until(b"go_on=...")
        words = running.shown.decode().split("handrail runs answer ")[1].split()
        invoke("runs", "answer", words[0], "go_on=no")
        running.rest()

    assert words == [json.loads(invoke("runs", "--json").output)["runs"][0]["run_id"], "go_on=..."]
    assert running.process.returncode == 0


def test_the_worker_is_nobodys_child_and_has_no_key_of_its_starters(
    busy_home: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APPWRITE_API_KEY", "standard_canary_11")
    invoke(*SHORT)

    workers = processes_of(RunPlace(busy_home))

    assert workers
    assert {*workers}.isdisjoint(psutil.Process().children(recursive=True))
    assert not any("standard_canary_11" in str(worker.environ()) for worker in workers)


@pytest.mark.parametrize(
    "params",
    ['{"delay_s": NaN}', '{"steps": 1e400}', '{"a": -Infinity}', '{"a": "\\ud800"}', '{"a": "\udcff"}', "[" * 100_000],
)
def test_parameters_that_json_cannot_say_are_a_usage_error(invoke: Invoke, params: str) -> None:
    error = invoke("run", "counter", "--params", params).exception

    assert isinstance(error, UsageError)
    assert "--params" in error.message
    assert len(error.message) < 200


def test_the_help_of_run_says_where_the_agents_are(invoke: Invoke) -> None:
    words = " ".join(invoke("run", "--help").output.split())

    assert "`handrail agents` lists them" in words
    assert "lists none" not in words


def test_a_run_belongs_to_whoever_uses_this_home(busy_home: Path, invoke: Invoke) -> None:
    run_id = json.loads(invoke(*SHORT).stdout)["run_id"]

    with closing(sqlite3.connect(busy_home / "runs.db")) as store:
        (owner,) = store.execute("SELECT owner FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    assert (owner, (busy_home / "runs.db").stat().st_mode & 0o077) == (OWNER, 0)
