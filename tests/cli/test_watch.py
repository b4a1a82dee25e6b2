"""`handrail runs watch`, `log` and `answer` of runs at work."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.cli.runs.answering import NothingAskedError, UnansweredError
from handrail.cli.runs.looking import NoResultError
from handrail.errors import ArgumentError, UsageError
from tests.cli.conftest import Invoke
from tests.cli.terminal_process import Stream, at_terminal


@pytest.fixture(autouse=True)
def _home(busy_home: Path) -> None:
    """All of them share a home and its worker."""
    assert busy_home.is_dir()


def _started(invoke: Invoke, **params: float) -> str:
    return str(invoke("run", "counter", "--params", json.dumps(params), "--detach").stdout.strip())


def _asking(invoke: Invoke) -> str:
    """A run that has asked."""
    run_id = _started(invoke, steps=3, delay_s=0, ask_at=2)
    command = [sys.executable, "-m", "handrail", "runs", "watch", run_id]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        assert watching.stderr is not None
        assert "The run asks" in watching.stderr.readline()
        watching.kill()
    return run_id


def test_in_a_pipe_each_change_is_a_line_and_the_end_is_told_with_the_exit_code(invoke: Invoke) -> None:
    run_id = _started(invoke, steps=4, delay_s=0.4)

    good = invoke("runs", "watch", run_id[:30])
    cancelled = _started(invoke, steps=1000)
    invoke("runs", "cancel", cancelled)
    bad = invoke("runs", "watch", cancelled)

    lines = [line.rpartition(" (")[0] for line in good.stdout.split(f"{run_id}  counter")[0].splitlines()]
    assert (good.exit_code, lines[-1]) == (0, "completed: done")
    assert len(lines) >= 3
    assert len({*lines}) == len(lines)
    assert (bad.exit_code, "cancelled" in bad.stdout) == (1, True)


def test_for_a_program_each_change_is_a_line_of_json(invoke: Invoke) -> None:
    run_id = _started(invoke, steps=3, delay_s=0.4)

    views = [json.loads(line) for line in invoke("runs", "watch", run_id, "--json").stdout.splitlines()]

    assert {view["run_id"] for view in views} == {run_id}
    assert (views[-1]["status"], views[-1]["result"]["count"]) == ("completed", 3)
    assert all(view["status"] == "working" and view["next"] for view in views[:-1])


def test_on_a_terminal_one_line_changes_and_tells_the_time(invoke: Invoke, busy_home: Path) -> None:
    run_id = _started(invoke, steps=2, delay_s=1.5)
    with at_terminal("runs", "watch", run_id, home=busy_home, streams=(Stream.OUTPUT, Stream.ERROR)) as watching:
        watching.until(b"counter")
        watching.rest()

    live, *_rest = watching.shown.decode().split("\n")
    assert watching.process.returncode == 0
    assert live.count("\r") >= 3
    assert "completed: done (" in live
    assert len({part[part.rfind("(") :].strip() for part in live.split("\r")}) >= 3, "the time goes on"


@pytest.mark.promise("watching-touches-no-run")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_end_of_the_watching_leaves_the_run_alone_and_says_how_to_end_it(
    invoke: Invoke, busy_home: Path, sent: signal.Signals, code: int
) -> None:
    run_id = _started(invoke, steps=1000, delay_s=0.05)
    with at_terminal("runs", "watch", run_id, home=busy_home, streams=(Stream.OUTPUT, Stream.ERROR)) as watching:
        watching.until(b"step")
        watching.process.send_signal(sent)
        said = watching.rest().decode()

    stands = json.loads(invoke("runs", "show", run_id, "--json").stdout)
    unfinished = invoke("runs", "result", run_id).exception
    ended = invoke("runs", "cancel", run_id)

    assert (watching.process.returncode, stands["status"]) == (code, "working")
    assert f"Run {run_id} goes on. `handrail runs cancel {run_id}` ends it." in said
    assert isinstance(unfinished, NoResultError)
    assert ended.exit_code == 0


def test_a_reader_who_has_read_enough_ends_the_watching_and_not_the_run(invoke: Invoke, busy_home: Path) -> None:
    run_id = _started(invoke, steps=1000, delay_s=0.05)
    with subprocess.Popen(
        [sys.executable, "-m", "handrail", "runs", "watch", run_id],
        env={**os.environ, "HANDRAIL_HOME": str(busy_home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as watching:
        assert watching.stdout is not None
        watching.stdout.readline()
        watching.stdout.close()
        errors = watching.stderr.read() if watching.stderr else b""

    assert (watching.wait(60), errors) == (1, b"")
    assert json.loads(invoke("runs", "show", run_id, "--json").stdout)["status"] == "working"
    invoke("runs", "cancel", run_id)


def test_a_run_is_answered_by_values_and_what_does_not_fit_changes_nothing(invoke: Invoke) -> None:
    run_id = _asking(invoke)

    nobody, wrong = invoke("runs", "answer", run_id).exception, invoke("runs", "answer", run_id, "go_on=7").exception
    both = invoke("runs", "answer", run_id, "go_on=yes", "--decline").exception
    shown = invoke("runs", "show", run_id).stdout
    answered = invoke("runs", "answer", run_id, "go_on=yes")
    ended = invoke("runs", "watch", run_id)
    again = invoke("runs", "answer", run_id, "go_on=yes").exception

    assert isinstance(nobody, UnansweredError)
    assert nobody.next_step == f"handrail runs answer {run_id} go_on=..., or --decline."
    assert (isinstance(wrong, ArgumentError), type(both), type(again)) == (True, UsageError, NothingAskedError)
    assert "asks: Counted to 2 of 3. Go on?" in shown
    assert (answered.exit_code, ended.exit_code) == (0, 0)
    assert "count           3" in ended.stdout


def test_a_question_can_be_declined_and_the_log_tells_how_far_the_run_came(invoke: Invoke) -> None:
    run_id = _asking(invoke)

    invoke("runs", "answer", run_id, "--decline")
    watched = invoke("runs", "watch", run_id)
    log = [json.loads(line) for line in invoke("runs", "log", run_id, "--json").stdout.splitlines()]

    assert "declined" in watched.stdout
    assert "counted 1" in log[0]["message"]


def test_a_person_who_gives_no_values_is_asked_for_them(invoke: Invoke, busy_home: Path) -> None:
    run_id = _asking(invoke)
    with at_terminal("runs", "answer", run_id, home=busy_home, streams=tuple(Stream)) as left_open:
        left_open.until(b"go_on (yes or no): ")
        left_open.type("\x04")
        left_open.rest()
    with at_terminal("runs", "answer", run_id, home=busy_home, streams=tuple(Stream)) as answering:
        answering.until(b"go_on (yes or no): ")
        answering.type("no\n")
        answering.rest()
    ended = invoke("runs", "watch", run_id)

    assert (left_open.process.returncode, answering.process.returncode) == (0, 0)
    assert "Stopped at 2 of 3" in ended.stdout
