"""`handrail runs list`, `show`, `result`, `log`, `cancel` and `keep`: they read the store and need no worker."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from handrail.cli.runs.looking import NoResultError
from handrail.cli.runs.opened import RunIdAmbiguousError
from handrail.json_types import JsonObject
from handrail.runs import RunNotFoundError, RunStatus
from tests.cli.conftest import Invoke
from tests.cli.stored_runs import StoredRuns, stored_runs
from tests.cli.terminal_process import Stream, at_terminal

EVIL = "\x1b[2Jcleared\u202e"


@pytest.fixture
def runs(home: Path) -> Iterator[StoredRuns]:
    """Runs in the store of a home that has no worker, and gets none."""
    with stored_runs(home) as found:
        yield found
    assert not (home / "worker.log").exists(), "a worker was started"


@pytest.mark.parametrize("arguments", [("runs", "--json"), ("runs", "list", "--json")])
def test_the_runs_are_listed_newest_first(invoke: Invoke, runs: StoredRuns, arguments: tuple[str, ...]) -> None:
    first, second = runs.ended(result={"count": 3}), runs.add()
    runs.add(owner="somebody else")

    listed = json.loads(invoke(*arguments).stdout)

    assert [run["run_id"] for run in listed["runs"]] == [second.run_id, first.run_id]
    assert [(run["status"], run["kept"]) for run in listed["runs"]] == [("working", False), ("completed", False)]
    assert listed["runs"][1]["created_at"] == first.created_at.isoformat()
    assert listed["more"] is False


def test_a_list_has_as_many_runs_as_are_asked_for_and_says_that_there_are_more(
    invoke: Invoke, runs: StoredRuns
) -> None:
    ids = [runs.add().run_id for _ in range(250)][::-1]

    some, all_of_them = invoke("runs", "--limit", "230", "--json"), invoke("runs", "--limit", "250", "--json")
    shown = invoke("runs", "--limit", "3")

    assert [run["run_id"] for run in json.loads(some.stdout)["runs"]] == ids[:230]
    assert (json.loads(some.stdout)["more"], json.loads(all_of_them.stdout)["more"]) == (True, False)
    assert [run["run_id"] for run in json.loads(all_of_them.stdout)["runs"]] == ids
    assert (len(shown.stdout.splitlines()), "There are more" in shown.stderr) == (4, True)


def test_a_table_is_aligned_and_plain_in_a_pipe(invoke: Invoke, runs: StoredRuns) -> None:
    runs.ended(ago=timedelta(minutes=3))
    runs.ended(status=RunStatus.FAILED, message=EVIL)

    head, *rows = invoke("runs").stdout.splitlines()

    assert "\x1b" not in "".join(rows)
    assert r"\x1b[2Jcleared\u202e" in rows[0]
    assert {row.index("counter") for row in rows} == {head.index("agent")}
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d  ", row[head.index("started") :]) for row in rows)


def test_a_terminal_shows_ages_and_colours_and_no_line_is_too_long(home: Path) -> None:
    with stored_runs(home) as runs:
        listed = [
            runs.ended(ago=timedelta(minutes=3, seconds=30)),
            runs.ended(status=RunStatus.FAILED, message=f"{EVIL} {'long ' * 40}", ago=timedelta(hours=2)),
            runs.ended(status=RunStatus.CANCELLED, ago=timedelta(days=2)),
        ]
    with at_terminal("runs", home=home, streams=(Stream.OUTPUT,)) as command:
        shown = command.rest().decode()

    rows = shown.splitlines()[1:]
    assert [" ".join(re.findall(r"(3 min ago|2 h ago|\d{4}-\d\d-\d\d) ", row)) for row in rows][1:] == [
        "2 h ago",
        "3 min ago",
    ]
    assert [row.split()[0] for row in rows] == [run.run_id[:16] for run in reversed(listed)]
    assert [re.findall(r"\x1b\[(\d+)m(\w+)\x1b\[0m", row) for row in rows] == [
        [("33", "cancelled")],
        [("31", "failed")],
        [("32", "completed")],
    ]
    assert max(len(re.sub(r"\x1b\[\d+m", "", row)) for row in rows) <= 80
    assert "\x1b[2J" not in shown


def test_a_run_is_shown_by_how_its_id_begins(invoke: Invoke, runs: StoredRuns) -> None:
    one, other = runs.ended(ago=timedelta(days=3)), runs.ended()
    common = "".join(a for a, b in zip(one.run_id, other.run_id, strict=True) if a == b)[:3]

    assert json.loads(invoke("runs", "show", one.run_id, "--json").output)["run_id"] == one.run_id
    assert json.loads(invoke("runs", "show", one.run_id[:12], "--json").output)["run_id"] == one.run_id
    ambiguous = invoke("runs", "show", common).exception
    assert isinstance(ambiguous, RunIdAmbiguousError)
    assert ambiguous.data["run_ids"] == [other.run_id, one.run_id]


@pytest.mark.parametrize("given", ["", "nothing-begins-so", "../../etc/passwd", "\x1b[2J", "0" * 44, "\udcff"])
@pytest.mark.parametrize("verb", ["show", "result", "log", "cancel", "keep", "answer", "watch"])
def test_an_id_that_no_run_has_is_not_found(invoke: Invoke, runs: StoredRuns, verb: str, given: str) -> None:
    runs.ended()
    runs.add(owner="somebody else")

    error = invoke("runs", verb, given).exception

    assert isinstance(error, RunNotFoundError)
    assert error.next_step == "`handrail runs` lists them."


def test_another_owners_run_is_not_found(invoke: Invoke, runs: StoredRuns) -> None:
    theirs = runs.add(owner="somebody else")

    assert isinstance(invoke("runs", "show", theirs.run_id).exception, RunNotFoundError)
    assert isinstance(invoke("runs", "cancel", theirs.run_id[:20]).exception, RunNotFoundError)


def test_what_is_shown_of_a_run_is_what_a_person_wants_to_know(invoke: Invoke, runs: StoredRuns, home: Path) -> None:
    run = runs.ended(message=EVIL, result={"count": 3, "mean_score": 2.5, "wins": 0, "mean_score_ci95": [1, 4]})
    (home / "runs" / run.run_id).mkdir(parents=True)

    shown = invoke("runs", "show", run.run_id).stdout
    document = json.loads(invoke("runs", "show", run.run_id, "--json").stdout)

    assert r"\x1b[2Jcleared\u202e" in shown
    assert re.search(r"count +3\n +mean_score +2.5\n +mean_score_ci95 1 to 4\n", shown)
    assert str(home / "runs" / run.run_id) in shown
    assert "wins" not in shown
    assert document["record"] == str(home / "runs" / run.run_id)


def test_a_result_of_ten_megabytes_comes_whole(invoke: Invoke, runs: StoredRuns) -> None:
    result: JsonObject = {"text": "é\u202e" * 2_500_000, "more": [1, {"a": None}]}
    run = runs.ended(result=result)

    plain, one_line = invoke("runs", "result", run.run_id).stdout, invoke("runs", "result", run.run_id, "--json").stdout

    assert json.loads(plain) == json.loads(one_line) == result
    assert (plain.count("\n") > 1, one_line.count("\n")) == (True, 1)
    assert "\u202e" not in plain


@pytest.mark.parametrize("status", [RunStatus.CANCELLED, RunStatus.FAILED])
def test_a_run_without_a_result_says_so(invoke: Invoke, runs: StoredRuns, status: RunStatus) -> None:
    run = runs.ended(status=status)

    ended = invoke("runs", "result", run.run_id)

    assert (ended.stdout, isinstance(ended.exception, NoResultError)) == ("", True)
    assert status.value in str(ended.exception)


def test_the_log_of_a_run_is_printed_in_its_order_and_damaged_lines_are_left_out(
    invoke: Invoke, runs: StoredRuns, home: Path
) -> None:
    run = runs.ended()
    folder = home / "runs" / run.run_id
    folder.mkdir(parents=True)
    lines = [json.dumps({"at": f"2026-01-01T00:00:0{n}+00:00", "message": f"step {n}\n{EVIL}"}) for n in range(3)]
    (folder / "log.jsonl").write_text("\n".join([*lines[:2], "{", '"x"', lines[2]]) + "\n")

    shown, as_json = invoke("runs", "log", run.run_id).stdout, invoke("runs", "log", run.run_id, "--json").stdout

    assert shown.splitlines() == [rf"2026-01-01 00:00:0{n}  step {n} \x1b[2Jcleared\u202e" for n in range(3)]
    assert [json.loads(line)["message"] for line in as_json.splitlines()] == [f"step {n}\n{EVIL}" for n in range(3)]


def test_a_run_without_a_record_here_has_no_log(invoke: Invoke, runs: StoredRuns) -> None:
    ended = invoke("runs", "log", runs.ended().run_id)

    assert (ended.exit_code, ended.stdout, "Nothing is in the log" in ended.stderr) == (0, "", True)


@pytest.mark.promise("cancel-without-a-worker")
def test_a_run_is_cancelled_without_a_worker_and_stays_so(invoke: Invoke, runs: StoredRuns) -> None:
    run = runs.add()

    ends = [invoke("runs", "cancel", run.run_id[:30]) for _ in range(2)]

    assert [(end.exit_code, end.stdout) for end in ends] == [(0, f"cancelled: run {run.run_id}\n")] * 2
    assert json.loads(invoke("runs", "show", run.run_id, "--json").stdout)["status"] == "cancelled"


def test_a_run_that_had_ended_stays_as_it_is(invoke: Invoke, runs: StoredRuns) -> None:
    run = runs.ended()

    ended, as_json = invoke("runs", "cancel", run.run_id), invoke("runs", "cancel", run.run_id, "--json")

    assert (ended.exit_code, "had ended already. completed: done" in ended.stdout) == (1, True)
    assert json.loads(as_json.stdout)["status"] == "completed"


def test_a_run_is_kept_for_ever_until_it_is_no_longer(invoke: Invoke, runs: StoredRuns) -> None:
    run = runs.ended(ago=timedelta(days=8))
    kept = runs.ended()
    invoke("runs", "keep", kept.run_id)
    with_kept = json.loads(invoke("runs", "--json").stdout)["runs"]
    said = invoke("runs", "keep", kept.run_id, "--not")

    assert isinstance(invoke("runs", "keep", run.run_id).exception, RunNotFoundError), "its time is over"
    assert [(one["run_id"], one["kept"]) for one in with_kept] == [(kept.run_id, True)]
    assert said.stdout == f"Run {kept.run_id} is kept for 7 days from its end.\n"
    assert json.loads(invoke("runs", "keep", kept.run_id, "--json").stdout) == {"run_id": kept.run_id, "kept": True}
