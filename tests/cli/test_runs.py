"""`handrail run`, `handrail runs` and `handrail agents`: how they end, and what a damaged home does to them."""

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from handrail.agents import built_in_agents
from handrail.cli.running import RecordsUnreadableError, RunIdAmbiguousError
from handrail.decisions import built_in_models
from handrail.errors import UsageError
from handrail.runs import RecordError, RunNotFoundError
from tests.cli.conftest import Command, Invoke
from tests.cli.terminal_process import at_terminal

SHORT = ("run", "counter", "--params", '{"steps": 1, "delay_s": 0}', "--json")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own."""
    monkeypatch.setenv("HANDRAIL_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "runs").mkdir(parents=True)
    return tmp_path / "home"


def _copy(home: Path, run_id: str, last: str) -> str:
    """Another run, whose id differs in its last letter."""
    other = f"{run_id[:-1]}{last}"
    shutil.copytree(home / "runs" / run_id, home / "runs" / other)
    path = home / "runs" / other / "run.json"
    path.write_text(path.read_text().replace(run_id, other))
    return other


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_run_that_is_interrupted_is_cancelled_and_says_so(
    home: Path, invoke: Invoke, sent: signal.Signals, code: int
) -> None:
    with at_terminal("run", "counter", "--params", '{"steps": 1000, "delay_s": 0.05}', home=home) as running:
        running.until(b"step 2/1000")
        running.process.send_signal(sent)
        last = running.rest()

    run = json.loads(invoke("runs", "--json").output)["runs"][0]
    assert (running.process.returncode, run["status"]) == (code, "cancelled")
    assert last.rstrip().endswith(f"cancelled: run {run['run_id']}".encode())
    assert last.count(b"\n") == 1


def test_a_run_is_shown_by_how_its_id_begins(home: Path, invoke: Invoke) -> None:
    run_id = json.loads(invoke(*SHORT).stdout)["run_id"]
    other = _copy(home, run_id, "f" if run_id[-1] != "f" else "e")
    far = _copy(home, run_id, "longer")
    shutil.move(home / "runs" / far, home / "runs" / f"zz{far}")

    assert json.loads(invoke("runs", "show", run_id, "--json").output)["run_id"] == run_id
    assert json.loads(invoke("runs", "show", "zz", "--json").output)["run_id"] == far
    ambiguous = invoke("runs", "show", run_id[:-1]).exception
    assert isinstance(ambiguous, RunIdAmbiguousError)
    assert ambiguous.data["run_ids"] == sorted([run_id, other])


@pytest.mark.parametrize("given", ["", "nothing-begins-so", "../../etc/passwd", "\x1b[2J"])
def test_an_id_that_no_run_has_is_not_found(home: Path, invoke: Invoke, given: str) -> None:
    assert home.is_dir()
    invoke(*SHORT)

    assert isinstance(invoke("runs", "show", given).exception, RunNotFoundError)


def test_damaged_records_are_counted_and_named_beside_the_list(home: Path, invoke: Invoke) -> None:
    run_id = json.loads(invoke(*SHORT).stdout)["run_id"]
    damaged = _copy(home, run_id, "f" if run_id[-1] != "f" else "e")
    (home / "runs" / damaged / "run.json").write_text("{")

    listed, shown = json.loads(invoke("runs", "--json").stdout), invoke("runs")

    assert ([run["run_id"] for run in listed["runs"]], listed["unreadable"]) == ([run_id], [damaged])
    assert f"left out: 1 ({damaged})" in shown.stderr
    assert run_id in shown.stdout
    assert shown.exit_code == 0


def test_a_record_cannot_steer_the_terminal(home: Path, invoke: Invoke) -> None:
    run_id = json.loads(invoke(*SHORT).stdout)["run_id"]
    path = home / "runs" / run_id / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "message": "\x1b[2Jcleared\u202e"}))

    for shown in (invoke("runs").stdout, invoke("runs", "show", run_id).stdout):
        assert r"\x1b[2Jcleared\u202e" in shown


@pytest.mark.parametrize("arguments", [("runs",), ("runs", "show", "x")])
def test_a_file_in_the_place_of_the_records_is_said_with_what_mends_it(
    home: Path, invoke: Invoke, arguments: tuple[str, ...]
) -> None:
    (home / "runs").rmdir()
    (home / "runs").write_text("")

    error = invoke(*arguments).exception

    assert isinstance(error, RecordsUnreadableError)
    assert error.data["path"] == str(home / "runs")
    assert error.next_step


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_records_that_may_not_be_read_are_said_with_what_mends_it(home: Path, invoke: Invoke) -> None:
    (home / "runs").chmod(0)

    error = invoke("runs").exception
    (home / "runs").chmod(0o700)

    assert isinstance(error, RecordsUnreadableError)


def test_a_record_that_cannot_be_written_ends_a_run_in_one_error(command: Command, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")

    ended = command(*SHORT, HANDRAIL_HOME=str(tmp_path))

    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 2)
    assert ended.stderr.startswith("error: The run's record")
    assert RecordError.type == "record_failed"


@pytest.mark.parametrize(
    "params",
    ['{"delay_s": NaN}', '{"steps": 1e400}', '{"a": -Infinity}', '{"a": "\\ud800"}', '{"a": "\udcff"}', "[" * 100_000],
)
def test_parameters_that_json_cannot_say_are_a_usage_error(invoke: Invoke, params: str) -> None:
    error = invoke("run", "counter", "--params", params).exception

    assert isinstance(error, UsageError)
    assert "--params" in error.message
    assert len(error.message) < 200


def test_the_agents_are_listed_with_their_parameters_and_the_models(invoke: Invoke) -> None:
    listed, shown = json.loads(invoke("agents", "--json").output), invoke("agents").output

    assert [agent["name"] for agent in listed["agents"]] == built_in_agents().names()
    assert [model["name"] for model in listed["models"]] == built_in_models().names()
    assert all(isinstance(agent["available"], bool) and agent["params"] for agent in listed["agents"])
    for word in ("counter", "delay_s", "default 0.2", "blackjack", "random"):
        assert word in shown


def test_the_help_of_run_says_where_the_agents_are(invoke: Invoke) -> None:
    words = " ".join(invoke("run", "--help").output.split())

    assert "`handrail agents` lists them" in words
    assert "lists none" not in words
