"""kill -9 of the worker, of the process of a run, and of both, at each phase of a run (F3, F4, F6, F7)."""

import json
from enum import StrEnum

import pytest

from handrail.runs import DurableEngine, Run, RunReason, RunStatus
from tests.runs.worker.bodies_worker import Options
from tests.runs.worker.homes import OWNER, Home, ended, is_completed, is_running, kill, until


class Victim(StrEnum):
    """Who is killed."""

    WORKER = "worker"
    CHILD = "child"
    BOTH = "both"


async def _kill(home: Home, victim: Victim, child: int) -> None:
    worker = (await home.worker()).pid
    kill(*{Victim.WORKER: [worker], Victim.CHILD: [child], Victim.BOTH: [worker, child]}[victim])


@pytest.mark.promise("killed-runs-are-interrupted")
@pytest.mark.parametrize("victim", Victim)
async def test_a_run_that_cannot_go_on_is_interrupted_and_nothing_of_it_is_left(home: Home, victim: Victim) -> None:
    # F4, F7
    async with home.engine() as engine:
        run = await engine.start(
            home.request(
                ["report", "far"], ["record", "doc", {"a": 1}], ["browser", "browser"], ["keep_acting", "acts"]
            )
        )
        await home.until_acted("acts")
        await until(lambda: home.column("message", run) == "far")
        await _kill(home, victim, home.begun_by()[0])
        end = await ended(engine, run, seconds=7)
        browser = home.pid_of("browser")
        await until(lambda: not is_running(browser), what="the browser's end")
        again = await engine.start(home.request(["act", "other"]))
        assert is_completed(await ended(engine, again)), "its slot is free"

    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED), end
    assert ("signal 9" if victim is Victim.CHILD else "its worker has gone") in end.message
    assert end.message.endswith("Last heard: far")
    assert home.acts("begun") == 2
    assert json.loads((home.place.records / run.run_id / "run.json").read_text())["status"] == "failed"
    assert (home.place.records / run.run_id / "doc.json").exists()


@pytest.mark.promise("killed-runs-are-resumed")
@pytest.mark.parametrize(("victim", "episode"), [(Victim.WORKER, 2), (Victim.CHILD, 0), (Victim.BOTH, 2)])
async def test_a_resumable_run_goes_on_at_its_first_unfinished_episode(
    home: Home, victim: Victim, episode: int
) -> None:
    # F4
    home.say(f"e{episode}-stop")
    async with home.engine() as engine:
        run = await engine.start(home.request(["episodes", 4, "e"], resumable=True))
        await home.until_acted(f"e{episode}")
        child = home.begun_by()[0]
        await _kill(home, victim, child)
        await until(lambda: not is_running(child), what="the end of the first attempt")
        (home.folder / f"e{episode}-stop").unlink()
        end = await ended(engine, run)

    assert is_completed(end), end
    assert end.attempt == 2
    assert end.result == {"ok": True, "saved_before": [f"e{number}" for number in range(episode)]}
    assert [home.acts(f"e{number}") for number in range(4)] == [2 if number == episode else 1 for number in range(4)]


async def test_a_run_that_brings_its_process_down_each_time_is_not_begun_for_ever(home: Home) -> None:
    # F7
    async with home.engine() as engine:
        run = await engine.start(home.request(["kill", 11], resumable=True))
        end = await ended(engine, run)

    assert (end.status, end.reason, end.attempt) == (RunStatus.FAILED, RunReason.INTERRUPTED, 3)
    assert "signal 11" in end.message
    assert home.acts("begun") == 3


@pytest.mark.parametrize("number", [0, 5])
async def test_a_process_that_ends_by_itself_is_named_by_its_exit_code(home: Home, number: int) -> None:
    # F7
    async with home.engine() as engine:
        run = await engine.start(home.request(["browser", "browser"], ["exit", number]))
        end = await ended(engine, run)
        await until(lambda: not is_running(home.pid_of("browser")))

    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)
    assert f"exit code {number}" in end.message


async def test_what_waits_when_the_worker_dies_is_done_once_afterwards(home: Home) -> None:
    # F3
    async with home.engine(Options(slots=1)) as engine:
        first = await engine.start(home.request(["keep_acting", "acts"]))
        second = await engine.start(home.request(["act", "second"]))
        await home.until_acted("acts")
        kill((await home.worker()).pid)
        assert (await ended(engine, first)).reason is RunReason.INTERRUPTED
        assert is_completed(await ended(engine, second))

    assert home.acts("second") == 1


async def test_a_killed_process_that_was_kept_ready_costs_no_run(home: Home) -> None:
    # F3: its worker had started it ahead of time, and gave it nothing yet.
    async with home.engine() as engine:
        first = await engine.start(home.request(["act", "first"]))
        assert is_completed(await ended(engine, first))
        worker = (await home.worker()).pid
        await until(lambda: home.child(first) is None and len(home.processes()) == 2)
        ready = [process for process in home.processes() if process != worker]
        kill(*ready)
        runs = [await engine.start(home.request(["act", "later"])) for _ in range(3)]
        ends = [await ended(engine, run) for run in runs]

    assert all(map(is_completed, ends)), ends
    assert home.acts("later") == 3


@pytest.mark.parametrize(
    ("victim", "resumable"),
    [(Victim.WORKER, True), (Victim.WORKER, False), (Victim.CHILD, True), (Victim.BOTH, False)],
)
async def test_a_run_that_asks_when_it_is_killed_asks_again_or_asks_nothing_more(
    home: Home, victim: Victim, *, resumable: bool
) -> None:
    # F4
    async with home.engine() as engine:
        run = await engine.start(home.request(["ask", "how many?", 60], resumable=resumable))
        asked = await engine.wait(run.run_id, OWNER, 10)
        assert [question.message for question in asked.questions] == ["how many?"]
        await _kill(home, victim, home.begun_by()[0])
        if not resumable:
            end = await ended(engine, run)
            assert (end.status, end.reason, end.questions) == (RunStatus.FAILED, RunReason.INTERRUPTED, ())
            return
        again = await _asked(engine, run)
        await engine.answer(run.run_id, OWNER, {again.questions[0].key: {"n": 1}})
        end = await ended(engine, run)

    assert (end.status, end.result) == (RunStatus.COMPLETED, {"answer": {"n": 1}})


async def _asked(engine: DurableEngine, run: Run) -> Run:
    async with engine.watch(run.run_id, OWNER) as states:
        async for state in states:
            if state.attempt == 2 and state.questions:
                return state
    raise AssertionError(await engine.get(run.run_id, OWNER))


@pytest.mark.parametrize(
    ("victim", "how"),
    [
        (Victim.WORKER, "swallow"),
        (Victim.WORKER, "block"),
        (Victim.WORKER, "wait"),
        (Victim.CHILD, "block"),
        (Victim.BOTH, "swallow"),
    ],
)
async def test_a_run_that_is_killed_while_it_unwinds_stays_cancelled(home: Home, victim: Victim, how: str) -> None:
    # F6
    async with home.engine() as engine:
        run = await engine.start(home.request(["browser", "browser"], [how, "never"]))
        await home.until_there("browser")
        browser, child, worker = home.pid_of("browser"), home.begun_by()[0], (await home.worker()).pid
        cancelled = await engine.cancel(run.run_id, OWNER)
        kill(*{Victim.WORKER: [worker], Victim.CHILD: [child], Victim.BOTH: [worker, child]}[victim])
        # Somebody has something to do here, so that there is a worker: it finds what the other one left.
        assert is_completed(await ended(engine, await engine.start(home.request(["act", "other"]))))
        await until(lambda: not is_running(child) and not is_running(browser), what=home.told())
        await until(lambda: home.scratch() == [], what=str(home.scratch()))
        later = await engine.get(run.run_id, OWNER)

    assert later == cancelled
    assert (later.status, later.reason) == (RunStatus.CANCELLED, RunReason.CANCELLED)


@pytest.mark.parametrize("victim", [Victim.WORKER, Victim.BOTH])
async def test_a_result_that_is_in_the_row_outlives_every_process(home: Home, victim: Victim) -> None:
    # F5, F4: killed after the result, before the process has ended
    async with home.engine() as engine:
        run = await engine.start(home.request(["browser", "browser"], ["act", "one"]))
        await home.until_acted("one")
        worker, child = (await home.worker()).pid, home.begun_by()[0]
        end = await ended(engine, run)
        await home.until_acted("unwound")
        if victim is Victim.BOTH and is_running(child):
            kill(child)
        kill(worker)
        assert is_completed(await ended(engine, await engine.start(home.request(["act", "other"]))))
        await until(lambda: not is_running(home.pid_of("browser")), what=home.told())
        assert await engine.get(run.run_id, OWNER) == end

    assert is_completed(end)
    assert home.acts("one") == 1
