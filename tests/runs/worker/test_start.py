"""How a worker comes to be: started by who needs it, one a home, replaced by another version, or not able to start."""

import socket
from pathlib import Path

import anyio
import pytest

from handrail.runs import Run, RunPlace, RunReason, RunStatus
from handrail.runs.worker import Order, WorkerLink, WorkerUnavailableError, control, link
from tests.runs.worker.bodies_worker import Options
from tests.runs.worker.homes import OWNER, Home, ended, is_completed, is_running, kill, until
from tests.runs.worker_home import home_of_runs, processes_of


@pytest.mark.promise("one-worker-a-home")
async def test_of_twenty_that_start_a_worker_at_once_each_reaches_the_same_one(home: Home) -> None:
    pids: list[int] = []

    async def wake() -> None:
        pids.append((await home.link().wake()).pid)

    with anyio.fail_after(40):
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(wake)

    assert len(pids) == 20
    assert len(set(pids)) == 1


async def test_a_killed_worker_is_replaced_by_one_and_not_by_a_crowd(home: Home) -> None:
    before = (await home.link().wake()).pid
    kill(before)
    assert home.place.socket.is_socket(), "it left its socket"
    log = home.place.home / "started"
    command = ["/bin/sh", "-c", f'echo x >>"{log}"; exec "$@"', "sh", *home.command()]

    after = (await home.link(command=command).wake()).pid

    assert after != before
    assert log.read_text().split() == ["x"]


async def test_a_worker_with_nothing_to_do_ends_and_the_next_run_starts_another(home: Home) -> None:
    options = Options(idle_s=0.2)
    async with home.engine(options) as engine:
        assert is_completed(await ended(engine, await engine.start(home.request(["act", "one"]))))
        await home.until_gone()
        assert not home.place.socket.exists()
        assert is_completed(await ended(engine, await engine.start(home.request(["act", "one"]))))


@pytest.mark.promise("another-version-takes-over")
async def test_another_version_takes_new_runs_at_once_while_the_old_one_ends_its_own(home: Home) -> None:
    async with home.engine(Options(version="1")) as old, home.engine(Options(version="2")) as new:
        first = await old.start(home.request(["act", "first"], ["wait", "go"]))
        waiting = [await old.start(home.request(["wait", "go"], ["act", "waiting"])) for _ in range(2)]
        await home.until_acted("first")
        worker = home.worker_of(first)
        second = await new.start(home.request(["act", "second"], ["wait", "go"]))
        await home.until_acted("second")
        assert home.worker_of(second) not in {worker, None}
        assert is_running(worker or 0)
        home.say("go")
        ends = [await ended(new, run) for run in (first, second, *waiting)]
        await until(lambda: not is_running(worker or 0), what="the old worker's end")

    assert all(map(is_completed, ends)), ends
    assert home.acts("begun") == 4


async def test_an_old_server_and_a_new_one_do_not_take_the_worker_from_each_other_for_ever(home: Home) -> None:
    async with home.engine(Options(version="1")) as old, home.engine(Options(version="2")) as new:
        for number in range(3):
            for engine in (old, new):
                assert is_completed(await ended(engine, await engine.start(home.request(["act", f"{number}"]))))

    assert [home.acts(str(number)) for number in range(3)] == [2, 2, 2]


async def _interrupted(home: Home, way: WorkerLink, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The end of a run that no worker can do; the engine serves on."""
    monkeypatch.setattr(link, "_START_SECONDS", 1.0)
    async with home.engine(link=way) as engine:
        run = await engine.start(home.request(["act", "never"]))
        end = await ended(engine, run, seconds=8)
        assert (await engine.list_runs(OWNER)).runs[0].run_id == run.run_id
    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)
    assert home.acts("never") == 0
    return end


@pytest.mark.promise("no-worker-is-told")
@pytest.mark.parametrize(
    "command",
    [["/no/such/program"], ["/bin/false"], ["/bin/sh", "-c", "exec sleep 5"]],
    ids=["no program", "ends at once", "never listens"],
)
async def test_a_run_that_no_worker_can_do_ends_with_the_reason(
    home: Home, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    end = await _interrupted(home, WorkerLink(home.place, command, version="1"), monkeypatch)

    assert "No worker could be started" in end.message
    assert str(home.place.log) in end.message


async def test_a_worker_that_cannot_listen_says_why(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.place.socket.mkdir()
    monkeypatch.setattr(link, "_START_SECONDS", 10.0)
    async with home.engine() as engine:
        end = await ended(engine, await engine.start(home.request(["act", "never"])))

    assert "The worker could not start: Is a directory" in end.message
    home.place.socket.rmdir()


async def test_a_home_that_has_gone_is_told_of_and_ends_nothing(home: Home) -> None:
    gone = RunPlace(home.folder / "gone")
    with pytest.raises(WorkerUnavailableError, match="No such file"):
        await WorkerLink(gone, ["/bin/true"], version="1").wake()


async def test_runs_whose_processes_cannot_be_started_end_with_the_reason(home: Home) -> None:
    async with home.engine(Options(child=("/no/such/child",))) as engine:
        runs = [await engine.start(home.request(["act", "never"], resumable=number > 0)) for number in range(2)]
        ends = [await ended(engine, run) for run in runs]
        assert (await home.worker()).running == []

    assert {end.reason for end in ends} == {RunReason.INTERRUPTED}
    assert all("its process could not be started: No such file" in end.message for end in ends), ends


async def test_runs_whose_processes_end_before_they_begin_end_with_the_reason(home: Home) -> None:
    async with home.engine(Options(child=("/bin/false",))) as engine:
        end = await ended(engine, await engine.start(home.request(["act", "never"])))

    assert (end.reason, "exit code 1" in end.message) == (RunReason.INTERRUPTED, True)


@pytest.mark.parametrize("name", ["with a space", "d" * 120, "quote'and\"more $HOME"], ids=["spaces", "long", "signs"])
def test_a_home_may_have_any_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    acts = tmp_path / "acts"
    folder.mkdir(mode=0o700)
    acts.mkdir()
    with home_of_runs(folder) as place:
        home = Home(place, acts)

        async def one_run() -> None:
            async with home.engine() as engine:
                assert is_completed(await ended(engine, await engine.start(home.request(["act", "one"]))))

        anyio.run(one_run)
        assert len(processes_of(place)) > 0


async def test_a_socket_that_nobody_listens_at_is_no_worker(tmp_path: Path) -> None:
    path = tmp_path / "worker.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    assert await control.tell_worker(path, Order()) is None


async def test_two_engines_of_one_home_follow_each_other_s_runs(home: Home) -> None:
    async with home.engine() as one, home.engine() as other:
        run = await one.start(home.request(["report", "on the way"], ["wait", "go"]))
        again = await other.start(home.request(["report", "on the way"], ["wait", "go"]))
        async with one.watch(again.run_id, OWNER) as states:
            async for state in states:
                if state.message == "on the way":
                    home.say("go")
        ends = [await ended(other, run), await ended(one, again)]

    assert all(map(is_completed, ends))
    assert home.acts("begun") == 2
