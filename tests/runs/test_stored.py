"""Records as another process reads them."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from handrail.json_types import JsonObject
from handrail.runs import (
    MemoryEngine,
    RecordUnreadableError,
    Retention,
    RunContext,
    RunNotFoundError,
    RunReason,
    RunStatus,
    StartRequest,
    list_records,
    process,
    prune_records,
    read_record,
    run_view,
)
from handrail.runs.process import ProcessMark, is_alive, started_at, this_process
from tests.runs.bodies import OWNER, Puppets, instant, request, running

_CHILD = """
import sys
from pathlib import Path
import anyio
from handrail.agents import agent_body, built_in_agents
from handrail.decisions import built_in_models
from handrail.runs import MemoryEngine, StartRequest

async def main():
    body = agent_body(built_in_agents(), built_in_models())
    async with MemoryEngine(body, records=Path(sys.argv[1])) as engine:
        arguments = {"params": {"steps": 10000, "delay_s": 0.001}, "model": "rule", "episodes": 3, "seed": 0}
        run = await engine.start(StartRequest("counter", arguments, "me"))
        print(run.run_id, flush=True)
        async with engine.watch(run.run_id, "me") as changes:
            async for change in changes:
                print(change.message, flush=True)

anyio.run(main)
"""


def _killed_in_mid_run(records: Path) -> str:
    """The id of a run whose process was killed after its third step."""
    command = [sys.executable, "-c", _CHILD, str(records)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout
            run_id = child.stdout.readline().strip()
            while "step 3/" not in (line := child.stdout.readline()):
                assert line, "the child ended too early"
            alive = read_record(records, run_id)
        finally:
            child.kill()
    assert alive.status is RunStatus.WORKING
    return run_id


@pytest.mark.promise("killed-run-reads-as-interrupted")
def test_a_killed_process_leaves_a_readable_record_that_reads_as_interrupted(tmp_path: Path) -> None:
    run_id = _killed_in_mid_run(tmp_path)
    run = read_record(tmp_path, run_id)
    (trial,) = (path for path in (tmp_path / run_id).iterdir() if path.name.startswith("counter--0__"))
    ticks = [json.loads(line) for line in (trial / "agent/ticks.jsonl").read_text().splitlines()]
    stats = json.loads((tmp_path / run_id / "result.json").read_text())["stats"]

    assert (run.status, run.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)
    assert run_view(run)["next"] is None
    assert [tick["step"] for tick in ticks] == list(range(1, len(ticks) + 1))
    assert len(ticks) >= 3
    assert (stats["n_running_trials"], stats["n_pending_trials"]) == (1, 2)
    assert list_records(tmp_path).runs == (run,)


def test_another_process_with_the_same_id_does_not_keep_a_run_alive(tmp_path: Path) -> None:
    run_id = _killed_in_mid_run(tmp_path)
    path = tmp_path / run_id / "run.json"
    document = json.loads(path.read_text())
    document["process"]["pid"] = os.getpid()
    path.write_text(json.dumps(document))

    assert read_record(tmp_path, run_id).reason is RunReason.INTERRUPTED


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="this system cannot wait for an end without taking it")
def test_a_process_that_ended_and_was_not_waited_for_does_not_live() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        mark = ProcessMark(child.pid, started_at(child.pid) or "")
        alive = is_alive(mark)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        dead = not is_alive(mark)

    assert (alive, dead) == (True, True)


@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="this system has no /bin/ps")
def test_where_there_is_no_proc_folder_ps_tells_one_process_from_another() -> None:
    mine = process._started_by_ps(os.getpid())
    again = process._started_by_ps(os.getpid())
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        alive = process._started_by_ps(child.pid)
        child.kill()
    gone = process._started_by_ps(child.pid)

    assert mine
    assert mine == again
    assert alive
    assert gone is None


@pytest.mark.unit
def test_this_process_is_alive_and_one_that_never_was_is_not() -> None:
    mark = this_process()

    assert is_alive(mark)
    assert not is_alive(ProcessMark(mark.pid, "long ago"))
    assert not is_alive(ProcessMark(2**22 + 1, mark.started))
    assert not is_alive(ProcessMark(mark.pid, ""))


@pytest.mark.unit
@pytest.mark.parametrize("run_id", ["0" * 44, "..", "../../etc", "/etc/passwd", "", "a\0b"])
def test_a_record_that_is_not_there_is_not_found(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(RunNotFoundError):
        read_record(tmp_path, run_id)


@pytest.mark.unit
async def test_a_damaged_record_is_named_and_hides_no_other(tmp_path: Path) -> None:
    async with running(instant, records=tmp_path) as engine:
        good, damaged, empty = [(await engine.start(request(n=n))).run_id for n in range(3)]
        await engine.wait(empty, OWNER, 5)
    (tmp_path / damaged / "run.json").write_text('{"run_id": "x"')
    (tmp_path / empty / "run.json").unlink()
    (tmp_path / "something else").mkdir()

    listed = list_records(tmp_path)

    assert [run.run_id for run in listed.runs] == [good]
    assert listed.unreadable == (damaged,)
    with pytest.raises(RecordUnreadableError):
        read_record(tmp_path, damaged)


@pytest.mark.unit
async def test_what_is_no_regular_file_keeps_no_reader_waiting(tmp_path: Path) -> None:
    fifo, folder, link = (tmp_path / (letter * 44) for letter in "abc")
    for record in (fifo, folder, link):
        record.mkdir()
    os.mkfifo(fifo / "run.json")
    (folder / "run.json").mkdir()
    (link / "run.json").symlink_to(fifo / "run.json")

    with anyio.fail_after(5):
        listed = await anyio.to_thread.run_sync(list_records, tmp_path, abandon_on_cancel=True)

    assert (listed.runs, sorted(listed.unreadable)) == ((), ["a" * 44, "b" * 44, "c" * 44])


async def test_a_run_that_is_killed_while_it_works_does_not_read_as_queued(tmp_path: Path) -> None:
    puppets = Puppets()
    async with running(puppets, records=tmp_path) as engine:
        run = await engine.start(request())
        await puppets.until_started(1)

        assert read_record(tmp_path, run.run_id).message == "started"


@pytest.mark.unit
async def test_a_run_that_memory_has_forgotten_is_read_from_its_record_until_its_time_is_over(tmp_path: Path) -> None:
    moment = [datetime(2026, 1, 1, tzinfo=UTC)]
    kept = Retention(ended=1)
    with anyio.fail_after(5):
        async with MemoryEngine(instant, records=tmp_path, clock=lambda: moment[0], retention=kept) as engine:
            ids = [(await engine.start(request(n=n))).run_id for n in range(3)]
            first, *_ = [(await engine.wait(run_id, OWNER, 5)).run_id for run_id in ids]
            (last,) = (await engine.list_runs(OWNER)).runs
            moment[0] += kept.age
            found = await engine.wait(first, OWNER, 5)
            cancelled = await engine.cancel(first, OWNER)
            async with engine.watch(first, OWNER) as changes:
                watched = [change async for change in changes]
            with pytest.raises(RunNotFoundError):
                await engine.get(first, "somebody else")
            moment[0] += timedelta(seconds=1)
            with pytest.raises(RunNotFoundError):
                await engine.get(first, OWNER)

    assert last.run_id != first
    assert found.status is RunStatus.COMPLETED
    assert cancelled == found
    assert watched == [found]


@pytest.mark.unit
async def test_a_live_run_of_another_process_is_not_found_though_it_has_a_record(tmp_path: Path) -> None:
    puppets = Puppets()
    async with running(puppets, records=tmp_path) as engine, running(instant, records=tmp_path) as other:
        run = await engine.start(request())
        with pytest.raises(RunNotFoundError):
            await other.get(run.run_id, OWNER)


@pytest.mark.unit
async def test_records_are_listed_newest_first_up_to_a_limit(tmp_path: Path) -> None:
    moments = iter(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=n) for n in range(1000))
    async with MemoryEngine(instant, records=tmp_path, clock=lambda: next(moments)) as engine:
        ids = [(await engine.start(request(n=n))).run_id for n in range(4)]

    assert [run.run_id for run in list_records(tmp_path, limit=3).runs] == ids[:0:-1]
    assert list_records(tmp_path / "none").runs == ()


@pytest.mark.unit
async def test_old_records_are_removed_and_live_ones_stay(tmp_path: Path) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=30)
    puppets = Puppets()
    with anyio.fail_after(5):
        async with MemoryEngine(puppets, records=tmp_path, clock=lambda: long_ago) as engine:
            live = (await engine.start(request(n=1))).run_id
            ended = (await engine.start(request(n=2))).run_id
            await engine.cancel(ended, OWNER)
            removed = prune_records(tmp_path, datetime.now(UTC) - timedelta(days=7))
            left = [run.run_id for run in list_records(tmp_path).runs]

    assert removed == 1
    assert left == [live]


@pytest.mark.unit
def test_what_a_failed_start_left_is_removed_once_it_is_old(tmp_path: Path) -> None:
    fresh, old = tmp_path / ("a" * 44), tmp_path / ("b" * 44)
    fresh.mkdir()
    old.mkdir()
    os.utime(old, (0, 0))

    removed = prune_records(tmp_path, datetime.now(UTC) - timedelta(days=7))

    assert (removed, fresh.exists(), old.exists()) == (1, True, False)


@pytest.mark.unit
async def test_the_first_start_removes_what_is_older_than_a_week(tmp_path: Path) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=8)
    async with MemoryEngine(instant, records=tmp_path, clock=lambda: long_ago) as engine:
        old = (await engine.start(request())).run_id
        await engine.wait(old, OWNER, 5)
    async with running(instant, records=tmp_path) as engine:
        new = (await engine.start(request())).run_id
        while (tmp_path / old).exists():
            await anyio.lowlevel.checkpoint()

    assert [run.run_id for run in list_records(tmp_path).runs] == [new]


async def test_the_questions_of_a_run_that_asks_stand_in_its_record(tmp_path: Path) -> None:
    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        return {"answer": await ctx.ask("Buy it?", {"type": "boolean"}, seconds=60)}

    async with running(body, records=tmp_path) as engine:
        run = await engine.start(request())
        asking = await engine.wait(run.run_id, OWNER, 5)
        kept = read_record(tmp_path, run.run_id)

    assert (kept.status, kept.questions) == (RunStatus.INPUT_REQUIRED, asking.questions)
    assert asking.questions
