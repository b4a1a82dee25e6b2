"""What a run leaves on disk while it works."""

import errno
import json
import os
import stat
from pathlib import Path

import anyio
import pytest

from handrail.json_types import JsonObject
from handrail.runs import (
    MemoryEngine,
    RecordError,
    RecordNameError,
    Run,
    RunContext,
    RunReason,
    RunStatus,
    StartRequest,
)
from handrail.runs import record as record_module
from tests.runs.bodies import OWNER, Puppets, instant, request, running
from tests.runs.records import document_of, recorded, recorded_runs

pytestmark = pytest.mark.unit


def _files(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


async def _recording(ctx: RunContext, _request: StartRequest) -> JsonObject:
    ctx.record("config.json", {"a": "ü"})
    ctx.append("one/agent/ticks.jsonl", {"step": 1})
    ctx.append("one/agent/ticks.jsonl", {"step": 2})
    ctx.record("config.json", {"a": 2})
    return {"folder": str(ctx.folder)}


async def test_what_is_recorded_is_there_whole_and_for_its_owner_only(tmp_path: Path) -> None:
    records = tmp_path / "runs"
    async with running(_recording, records=records) as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)
    folder = records / run.run_id

    assert run.result == {"folder": str(folder)}
    assert _files(folder) == {"config.json", "ticks.jsonl", "run.json"}
    assert json.loads((folder / "config.json").read_text()) == {"a": 2}
    lines = (folder / "one/agent/ticks.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [{"step": 1}, {"step": 2}]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (records, *records.rglob("*")) if path.is_dir()}
    assert modes == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()} == {0o600}


async def test_the_record_says_where_the_run_stands_before_anybody_is_told(tmp_path: Path) -> None:
    puppets = Puppets()
    async with running(puppets, records=tmp_path) as engine:
        run = await engine.start(request())
        started = recorded(tmp_path, run.run_id)
        async with engine.watch(run.run_id, OWNER) as changes:
            await puppets.until_started(1)
            puppets.tell(run.run_id, "finish")
            async for change in changes:
                if change.status.is_terminal:
                    assert recorded(tmp_path, run.run_id) == document_of(change)

    assert started == document_of(run)


async def test_a_cancelled_run_reads_as_cancelled(tmp_path: Path) -> None:
    async with running(Puppets(), records=tmp_path) as engine:
        run = await engine.start(request())
        cancelled = await engine.cancel(run.run_id, OWNER)
        read = recorded(tmp_path, run.run_id)

    assert read == document_of(cancelled)


@pytest.mark.promise("record-holds-no-secret")
async def test_secrets_among_the_arguments_are_masked(tmp_path: Path) -> None:
    given: JsonObject = {
        "params": {"apiKey": "canary-1", "user_password": "canary-2", "steps": 3, "key": "canary-3"},
        "list": [{"Authorization": "canary-4", "token": None}],
        "monkey": "stays",
    }
    async with running(instant, records=tmp_path) as engine:
        run = await engine.start(StartRequest("agent", given, OWNER))
        content = (tmp_path / run.run_id / "run.json").read_text()

    assert "canary" not in content
    assert recorded(tmp_path, run.run_id)["arguments"] == {
        "params": {"apiKey": "***", "user_password": "***", "steps": 3, "key": "***"},
        "list": [{"Authorization": "***", "token": None}],
        "monkey": "stays",
    }


@pytest.mark.parametrize("records", [True, False])
@pytest.mark.parametrize(
    "name",
    [
        "",
        "/etc/passwd",
        "../x",
        "a/../b",
        "a//b",
        "a/",
        ".hidden",
        "run.json",
        "a\0b",
        "a b",
        "ü",
        "a\\b",
        "a/" * 9 + "b",
    ],
)
async def test_a_name_that_is_no_plain_relative_path_is_refused(tmp_path: Path, name: str, records: bool) -> None:  # noqa: FBT001  (a parameter of the test)
    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        refused = 0
        for write in (ctx.record, ctx.append):
            try:
                write(name, {})
            except RecordNameError:
                refused += 1
        return {"refused": refused}

    async with running(body, records=tmp_path / "runs" if records else None) as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    assert run.result == {"refused": 2}
    assert _files(tmp_path) <= {"run.json"}


async def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"

    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        assert ctx.folder
        (ctx.folder / "log.jsonl").symlink_to(target)
        ctx.append("log.jsonl", 1)
        raise NotImplementedError

    async with running(body, records=tmp_path / "runs") as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    assert run.reason is RunReason.CRASHED
    assert not target.exists()


async def test_a_start_whose_record_cannot_be_written_is_refused_and_leaves_no_run(tmp_path: Path) -> None:
    records = tmp_path / "runs"
    records.write_text("in the way")
    async with running(instant, records=records) as engine:
        with pytest.raises(RecordError) as caught:
            await engine.start(request(run_key="k"))
        listed = await engine.list_runs(OWNER)

    assert caught.value.next_step
    assert listed.runs == ()


async def test_a_body_that_cannot_record_ends_as_failed_and_says_why(tmp_path: Path) -> None:
    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        assert ctx.folder
        (ctx.folder / "steps").write_text("in the way")
        ctx.record("steps/1.json", {})
        raise NotImplementedError

    async with running(body, records=tmp_path) as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    assert (run.status, run.reason) == (RunStatus.FAILED, RunReason.CRASHED)
    assert "steps/1.json" in run.message
    assert recorded(tmp_path, run.run_id) == document_of(run)


async def test_an_end_that_cannot_be_recorded_is_still_the_end_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    puppets = Puppets()
    async with running(puppets, records=tmp_path) as engine:
        run = await engine.start(request())
        await puppets.until_started(1)
        folder = tmp_path / run.run_id
        folder.rename(tmp_path / "moved")
        folder.write_text("in the way")
        puppets.tell(run.run_id, "finish")
        ended = await engine.wait(run.run_id, OWNER, 5)

    assert (ended.status, ended.result) == (RunStatus.COMPLETED, {"ok": True})
    assert "could not be written" in ended.message
    assert run.run_id in caplog.text


async def test_a_run_cannot_record_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_module, "MAX_RECORD_BYTES", 1000)

    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        for _ in range(50):
            ctx.append("log.jsonl", "x" * 100)
        return {}

    async with running(body, records=tmp_path) as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    assert "recorded more than" in run.message
    assert (tmp_path / run.run_id / "log.jsonl").stat().st_size <= 1000


async def test_documents_count_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_module, "MAX_RECORD_BYTES", 1000)

    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        for number in range(50):
            ctx.record(f"{number}.json", "x" * 100)
        return {}

    async with running(body, records=tmp_path) as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    assert "recorded more than" in run.message
    assert len(_files(tmp_path / run.run_id)) == 10  # nine documents and run.json


async def test_a_write_that_fails_half_way_leaves_no_part_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int, _content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        ctx.record("a.json", {"version": 1})
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(RecordError) as caught:
                ctx.record("a.json", {"version": 2})
        return {"problem": caught.value.data["problem"]}

    async with running(body, records=tmp_path) as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    assert run.result == {"problem": "No space left on device"}
    assert _files(tmp_path / run.run_id) == {"run.json", "a.json"}
    assert json.loads((tmp_path / run.run_id / "a.json").read_text()) == {"version": 1}


async def test_two_runs_at_once_do_not_mix(tmp_path: Path) -> None:
    both = anyio.Event()
    working: list[str] = []

    async def body(ctx: RunContext, asked: StartRequest) -> JsonObject:
        working.append(ctx.run_id)
        if len(working) == 2:
            both.set()
        await both.wait()
        for number in range(20):
            ctx.append("lines.jsonl", {"of": asked.arguments["n"], "number": number})
            await ctx.report(f"{asked.arguments['n']}: {number}")
        return {"n": asked.arguments["n"]}

    async with running(body, records=tmp_path) as engine:
        ids = [(await engine.start(request(n=n))).run_id for n in range(2)]
        ended = [await engine.wait(run_id, OWNER, 5) for run_id in ids]

    for n, run in enumerate(ended):
        lines = [json.loads(line) for line in (tmp_path / run.run_id / "lines.jsonl").read_text().splitlines()]
        assert lines == [{"of": n, "number": number} for number in range(20)]
        assert run.result == {"n": n}


async def test_two_engines_on_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    async with running(instant, records=tmp_path) as one, MemoryEngine(instant, records=tmp_path) as other:
        mine = await one.start(request())
        yours = await other.start(request(owner="you"))
        await one.wait(mine.run_id, OWNER, 5)

    assert recorded_runs(tmp_path) == {mine.run_id, yours.run_id}
    assert [recorded(tmp_path, run.run_id)["owner"] for run in (mine, yours)] == [OWNER, "you"]


async def test_a_lone_surrogate_does_not_spoil_the_record(tmp_path: Path) -> None:
    async with running(instant, records=tmp_path) as engine:
        run = await engine.start(request(text="a\ud800b", run_key="\ud800"))

    assert recorded(tmp_path, run.run_id)["arguments"] == {"text": "a?b"}


async def test_a_message_reaches_the_record_at_most_once_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[str] = []
    really_write = record_module.DiskRecord.write_run

    def write(self: record_module.DiskRecord, run: Run) -> None:
        writes.append(run.message)
        really_write(self, run)

    monkeypatch.setattr(record_module.DiskRecord, "write_run", write)

    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        for number in range(1000):
            await ctx.report(str(number))
        return {}

    async with running(body, records=tmp_path) as engine:
        await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    assert (writes[0], writes[-1]) == ("queued", "done")
    assert len(writes) <= 8  # five seconds at most


async def test_a_run_that_works_does_not_stand_in_its_record_as_queued(tmp_path: Path) -> None:
    puppets = Puppets()
    async with running(puppets, records=tmp_path) as engine:
        run = await engine.start(request())
        await puppets.until_started(1)

        assert recorded(tmp_path, run.run_id)["message"] == "started"


async def test_the_questions_of_a_run_that_asks_stand_in_its_record(tmp_path: Path) -> None:
    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        return {"answer": await ctx.ask("Buy it?", {"type": "boolean"}, seconds=60)}

    async with running(body, records=tmp_path) as engine:
        run = await engine.start(request())
        asking = await engine.wait(run.run_id, OWNER, 5)
        kept = recorded(tmp_path, run.run_id)

    (question,) = asking.questions
    assert kept["status"] == RunStatus.INPUT_REQUIRED
    assert kept["questions"] == [{"key": question.key, "message": "Buy it?", "schema": {"type": "boolean"}}]
