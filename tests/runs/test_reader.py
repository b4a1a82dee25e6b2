"""Records of runs, read file by file."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.json_types import JsonObject
from handrail.runs import (
    RecordFileMissingError,
    RecordNameError,
    RecordTooLargeError,
    RunContext,
    RunRecords,
    StartRequest,
)
from handrail.runs.reader import MAX_FILE_BYTES, MAX_TAIL_BYTES
from tests.runs.bodies import OWNER, request, running

pytestmark = pytest.mark.unit

RUN = "0" * 44


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of one run's record, with a file beside it that is nobody's business."""
    (tmp_path / "secret.json").write_text("canary")
    inside = tmp_path / "runs" / RUN
    inside.mkdir(parents=True)
    return inside


@pytest.fixture
def records(folder: Path) -> RunRecords:
    return RunRecords(folder.parent)


def write(folder: Path, name: str, content: str) -> None:
    """A file of the record."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def lines(*items: object) -> str:
    return "".join(json.dumps(item) + "\n" for item in items)


def test_a_file_is_found_by_the_name_that_it_was_recorded_under(folder: Path, records: RunRecords) -> None:
    write(folder, "one--0__a/agent/episode.json", "{}")

    assert records.file(RUN, "one--0__a/agent/episode.json") == b"{}"


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "/", "../secret.json", "a/../../secret.json", "/etc/passwd", "a//b", ".hidden", "a\0", "a\n",
     "run.json", "a/.part", "x" * 200, "/".join("a" * 20), "..%2fsecret.json", "\ud800"],
)  # fmt: skip
@pytest.mark.promise("records-are-contained")
def test_a_name_that_is_no_plain_relative_path_is_refused(records: RunRecords, name: str) -> None:
    with pytest.raises(RecordNameError):
        records.file(RUN, name)


@pytest.mark.parametrize("run_id", ["", ".", "..", "../runs/" + RUN, "/", RUN + "/..", "a\0", "unknown"])
@pytest.mark.promise("records-are-contained")
def test_no_run_id_leads_out_of_the_records(folder: Path, records: RunRecords, run_id: str) -> None:
    write(folder, "config.json", "{}")
    write(folder.parent, "config.json", "canary")

    with pytest.raises(RecordFileMissingError):
        records.file(run_id, "config.json")
    assert records.steps(run_id).lines == ()


def _link_to_file(folder: Path) -> None:
    (folder / "a").symlink_to(folder.parents[1] / "secret.json")


def _link_inside(folder: Path) -> None:
    write(folder, "b", "canary")
    (folder / "a").symlink_to(folder / "b")


def _folder(folder: Path) -> None:
    (folder / "a").mkdir()


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "a")


def _nothing(_folder: Path) -> None:
    pass


@pytest.mark.parametrize("place", [_link_to_file, _link_inside, _folder, _pipe, _nothing])
@pytest.mark.promise("records-are-contained")
def test_only_a_regular_file_is_read_and_no_link_followed(
    folder: Path, records: RunRecords, place: Callable[[Path], None]
) -> None:
    place(folder)

    with pytest.raises(RecordFileMissingError):
        records.file(RUN, "a")


@pytest.mark.promise("records-are-contained")
def test_a_link_in_the_place_of_a_folder_is_not_followed(folder: Path, records: RunRecords) -> None:
    outside = folder.parents[1] / "outside"
    write(outside, "agent/ticks.jsonl", lines({"step": 1}))
    (folder / "trial--0__a").symlink_to(outside)

    with pytest.raises(RecordFileMissingError):
        records.file(RUN, "trial--0__a/agent/ticks.jsonl")
    assert records.steps(RUN).lines == ()


def test_a_file_that_is_too_large_says_how_large_and_no_path(folder: Path, records: RunRecords) -> None:
    with (folder / "a.json").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)

    with pytest.raises(RecordTooLargeError) as caught:
        records.file(RUN, "a.json")

    assert caught.value.data == {"name": "a.json", "size": MAX_FILE_BYTES + 1, "limit": MAX_FILE_BYTES}
    assert str(folder.parent) not in json.dumps(caught.value.as_json())


def test_a_file_as_large_as_may_be_is_given(folder: Path, records: RunRecords) -> None:
    with (folder / "a.json").open("wb") as file:
        file.truncate(MAX_FILE_BYTES)

    assert len(records.file(RUN, "a.json")) == MAX_FILE_BYTES


def test_the_summary_is_none_until_it_is_written(folder: Path, records: RunRecords) -> None:
    assert records.summary(RUN) is None

    write(folder, "summary.json", '{"ok":true}')

    assert records.summary(RUN) == b'{"ok":true}'


def test_the_steps_of_all_trials_come_in_order_with_the_name_of_their_trial(folder: Path, records: RunRecords) -> None:
    for number in (10, 2, 0):
        write(folder, f"walk--{number}__abc/agent/ticks.jsonl", lines({"step": 1}, {"step": 2}))
    write(folder, "walk--1__abc/result.json", "{}")

    tail = records.steps(RUN)

    trials = ["walk--0__abc"] * 2 + ["walk--2__abc"] * 2 + ["walk--10__abc"] * 2
    assert [json.loads(line) for line in tail.lines] == [
        {"trial": trial, "step": step} for trial, step in zip(trials, [1, 2] * 3, strict=True)
    ]
    assert not tail.cut


@pytest.mark.promise("records-survive-a-kill")
def test_a_line_that_a_kill_tore_is_left_out(folder: Path, records: RunRecords) -> None:
    write(folder, "walk--0__abc/agent/ticks.jsonl", lines({"step": 1}) + '{"step": 2, "ke')
    write(folder, "log.jsonl", lines({"at": "now", "message": "a"}) + '{"at"')

    assert [json.loads(line) for line in records.steps(RUN).lines] == [{"trial": "walk--0__abc", "step": 1}]
    assert [json.loads(line)["message"] for line in records.log(RUN).lines] == ["a"]


def test_of_many_steps_the_last_are_given_whole_and_it_is_said_that_there_are_earlier_ones(
    folder: Path, records: RunRecords
) -> None:
    for trial in range(3):
        ticks = [{"step": step, "pad": "x" * 1_000} for step in range(700)]
        write(folder, f"walk--{trial}__abc/agent/ticks.jsonl", lines(*ticks))

    tail = records.steps(RUN)

    steps = [json.loads(line) for line in tail.lines]
    assert tail.cut
    assert sum(len(line) for line in tail.lines) < 1.1 * MAX_TAIL_BYTES
    assert [(step["trial"], step["step"]) for step in steps][-700:] == [("walk--2__abc", n) for n in range(700)]
    earlier = [step["step"] for step in steps][:-700]
    assert earlier == list(range(700 - len(earlier), 700))
    assert earlier
    assert all(step["trial"] == "walk--1__abc" for step in steps[:-700])


def test_of_a_long_log_the_end_is_given(folder: Path, records: RunRecords) -> None:
    write(folder, "log.jsonl", lines(*({"n": n, "pad": "ü" * 500} for n in range(2_000))))

    tail = records.log(RUN)

    assert tail.cut
    assert json.loads(tail.lines[-1])["n"] == 1_999
    assert json.loads(tail.lines[0])["n"] > 0


def test_where_nothing_was_recorded_there_is_nothing_and_no_error(tmp_path: Path, records: RunRecords) -> None:
    for reader in (records, RunRecords(tmp_path / "missing")):
        assert (reader.summary(RUN), reader.log(RUN).lines, reader.steps(RUN).lines) == (None, (), ())


async def test_what_a_run_says_is_in_its_log_at_once_and_then_once_a_second_at_most(tmp_path: Path) -> None:
    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        for number in range(1_000):
            await ctx.report(f"step  {number}")
        return {}

    async with running(body, records=tmp_path) as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    said = [json.loads(line) for line in RunRecords(tmp_path).log(run.run_id).lines]
    assert said[0] == {"at": said[0]["at"], "message": "step 0"}
    assert said[0]["at"].endswith("+00:00")
    assert len(said) < 10
