"""Signals to the worker, to a run's process and to the server (F9, F10, F11, F16)."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from handrail.json_types import Json
from handrail.runs import RunReason, RunStatus
from handrail.runs.worker import Order, OrderKind, control
from tests.runs.worker.bodies_worker import Options
from tests.runs.worker.homes import OWNER, Home, ended, is_completed, is_running, kill, until

_GONE_SECONDS = 10.0
_STEPS: dict[str, list[list[Json]]] = {
    "waits": [["wait", "never"]],
    "blocks": [["block", "never"]],
    "swallows and is deaf": [["deaf", ""], ["swallow", "never"]],
}


@pytest.mark.promise("stopped-workers-leave-nothing")
@pytest.mark.parametrize(
    ("way", "steps"),
    [
        (signal.SIGTERM, "waits"),
        (signal.SIGTERM, "blocks"),
        (signal.SIGTERM, "swallows and is deaf"),
        (signal.SIGINT, "waits"),
        (signal.SIGHUP, "waits"),
        (OrderKind.STOP, "blocks"),
    ],
)
async def test_a_worker_that_is_asked_to_end_leaves_no_process_and_no_run_in_doubt(
    home: Home, way: signal.Signals | OrderKind, steps: str
) -> None:
    # F10, F11
    async with home.engine(Options(slots=1)) as engine:
        run = await engine.start(home.request(["browser", "browser"], *_STEPS[steps]))
        await home.until_there("browser")
        browser, child, worker = home.pid_of("browser"), home.begun_by()[0], (await home.worker()).pid
        if isinstance(way, OrderKind):
            await home.link().tell(Order(kind=way))
        else:
            os.kill(worker, way)
        await until(lambda: not any(map(is_running, (worker, child, browser))), seconds=_GONE_SECONDS)
        end = await ended(engine, run)

    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)
    assert "the worker was stopped" in end.message
    assert not home.place.socket.exists() or not home.processes()


async def test_a_stopped_worker_gives_back_what_can_be_resumed_and_what_waits(home: Home) -> None:
    # F10
    async with home.engine(Options(slots=1)) as engine:
        home.say("e1-stop")
        first = await engine.start(home.request(["episodes", 3, "e"], resumable=True))
        second = await engine.start(home.request(["act", "second"]))
        await home.until_acted("e1")
        child = home.begun_by()[0]
        await home.link().tell(Order(kind=OrderKind.STOP))
        await until(lambda: not is_running(child))
        (home.folder / "e1-stop").unlink()
        ends = [await ended(engine, first), await ended(engine, second)]

    assert all(map(is_completed, ends)), ends
    assert [home.acts(f"e{number}") for number in range(3)] == [1, 2, 1]
    assert home.acts("second") == 1


@contextmanager
def _stopped(pid: int) -> Iterator[None]:
    """While this is open, a process sleeps as it does with a laptop's lid closed."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def test_a_worker_that_sleeps_loses_nothing_and_its_runs_are_not_done_twice(home: Home) -> None:
    # F16
    async with home.engine(seconds=40) as engine:
        run = await engine.start(home.request(["wait", "go"], ["act", "one"]))
        await home.until_acted("begun")
        worker = (await home.worker()).pid
        with _stopped(worker):
            before = time.monotonic()
            late = await engine.start(home.request(["act", "late"]))
            assert (await engine.wait(late.run_id, OWNER, 0.5)).message == "queued"
            took = time.monotonic() - before
            assert (await engine.get(run.run_id, OWNER)).status is RunStatus.WORKING
        home.say("go")
        assert is_completed(await ended(engine, run))
        assert is_completed(await ended(engine, late))
        assert (await home.worker()).pid == worker
        assert is_completed(await ended(engine, await engine.start(home.request(["act", "next"]))))

    assert took < 8
    assert (home.acts("one"), home.acts("late"), home.acts("begun")) == (1, 1, 3)


async def test_a_run_that_sleeps_goes_on_and_can_be_cancelled(home: Home) -> None:
    # F16
    async with home.engine() as engine:
        run = await engine.start(home.request(["wait", "go"], ["act", "one"]))
        other = await engine.start(home.request(["wait", "never"]))
        await home.until_acted("begun", 2)
        await until(lambda: home.child(run) and home.child(other))
        mine, its = home.child(run) or 0, home.child(other) or 0
        with _stopped(mine):
            assert (await engine.get(run.run_id, OWNER)).status is RunStatus.WORKING
            home.say("go")
        os.kill(its, signal.SIGSTOP)
        assert (await engine.cancel(other.run_id, OWNER)).status is RunStatus.CANCELLED
        await until(lambda: not is_running(its), seconds=_GONE_SECONDS)
        assert is_completed(await ended(engine, run))

    assert home.acts("one") == 1


async def test_a_stuck_run_of_a_killed_worker_is_gone_in_time_though_no_other_worker_comes(home: Home) -> None:
    # F11
    async with home.engine() as engine:
        run = await engine.start(home.request(["browser", "browser"], *_STEPS["blocks"]))
        await home.until_there("browser")
        child, worker = home.begun_by()[0], (await home.worker()).pid
    kill(worker)
    await until(lambda: not any(map(is_running, (child, home.pid_of("browser")))), seconds=_GONE_SECONDS)
    assert home.column("status", run) == "working"

    async with home.engine() as engine:
        before = time.monotonic()
        end = await ended(engine, run)
        assert time.monotonic() - before < 5
    assert end.reason is RunReason.INTERRUPTED


async def test_a_run_that_unwinds_after_its_worker_was_killed_takes_its_browser_with_it(home: Home) -> None:
    # F4: nobody else is there to see to it
    async with home.engine() as engine:
        await engine.start(home.request(["browser", "browser"], ["wait", "never"]))
        await home.until_there("browser")
        child, worker = home.begun_by()[0], (await home.worker()).pid
    kill(worker)

    await until(lambda: not is_running(child) and not is_running(home.pid_of("browser")))
    assert home.acts("unwound") == 1
    async with home.engine():
        await until(lambda: home.scratch() == [], what="the next worker removes its temporary files")


async def test_an_order_to_a_worker_that_sleeps_is_given_up_in_time(home: Home) -> None:
    # F16
    worker = (await home.link().wake()).pid
    with _stopped(worker), pytest.raises(TimeoutError):
        await control.tell_worker(home.place.socket, Order(), seconds=0.3)
    assert (await home.worker()).pid == worker
