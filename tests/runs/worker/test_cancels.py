"""A cancel of a run that a process does: felt at once, whatever the process does about it (F17, F18, F19)."""

import time
from contextlib import closing
from datetime import UTC, datetime, timedelta

import anyio
import anyio.to_thread
import pytest

from handrail.json_types import Json
from handrail.runs import Run, RunNotFoundError, RunReason, RunStatus
from handrail.runs.outcome import Outcome
from handrail.runs.store import RunAttempt, RunQueue, StoredLedger, WorkerMark, open_store
from handrail.storage.process import ProcessMark
from tests.runs.worker.bodies_worker import Options
from tests.runs.worker.homes import OWNER, Home, ended, is_completed, is_running, until

_SECONDS_TO_KILL = 5.0


async def test_a_cancel_reaches_a_running_step_and_frees_the_slot(home: Home) -> None:
    async with home.engine() as engine:
        run = await engine.start(home.request(["keep_acting", "acts"]))
        await home.until_acted("acts", 3)
        cancelled = await engine.cancel(run.run_id, OWNER)
        acknowledged = time.time()
        await home.until_acted("unwound", seconds=2)
        stopped = time.time()
        await until(lambda: home.child(run) is None, what="the end of its process")
        assert (await home.worker()).running == []

    assert (cancelled.status, cancelled.reason) == (RunStatus.CANCELLED, RunReason.CANCELLED)
    assert stopped - acknowledged < 2
    # Between an act's check and the act itself lie microseconds, in another process; a whole loop of it is longer.
    assert [moment for moment in home.times("acts") if moment > acknowledged + 0.02] == []


@pytest.mark.parametrize(
    ("steps", "by_itself"),
    [
        ([["wait", "never"]], True),
        ([["swallow", "never"]], False),
        ([["block", "never"]], False),
        ([["deaf", ""], ["block", "never"]], False),
    ],
    ids=["unwinds", "swallows cancellation", "blocks", "blocks and heeds no SIGTERM"],
)
@pytest.mark.promise("cancel-escalates")
async def test_a_cancelled_run_is_cancelled_at_once_and_its_processes_are_gone_in_time(
    home: Home, steps: list[list[Json]], *, by_itself: bool
) -> None:
    # F19
    async with home.engine() as engine:
        run = await engine.start(home.request(["browser", "other"], *steps))
        await home.until_there("other")
        if ["swallow", "never"] in steps:
            await home.until_acted("acts", 3)
        before = time.time()
        assert (await engine.cancel(run.run_id, OWNER)).status is RunStatus.CANCELLED
        acknowledged = time.time()
        pids = [home.begun_by()[0], home.pid_of("other")]
        await until(lambda: not any(map(is_running, pids)), seconds=_SECONDS_TO_KILL + 3)
        took = time.time() - acknowledged
        await until(lambda: home.scratch() == [])
        assert is_completed(await ended(engine, await engine.start(home.request(["act", "next"]))))
        later = await engine.get(run.run_id, OWNER)

    assert later.status is RunStatus.CANCELLED
    assert acknowledged - before < 2
    assert took < _SECONDS_TO_KILL + 2
    assert home.acts("unwound") == 1 + by_itself, "the next run always does"
    if ["deaf", ""] in steps:  # else SIGKILL follows at once, with the end of the run's own process
        assert home.acts("other.heard") == 1, "SIGTERM goes to the whole group"
    assert [moment for moment in home.times("acts") if moment > acknowledged + 0.02] == []


async def test_a_run_that_takes_too_long_is_ended_for_good(home: Home) -> None:
    async with home.engine(Options(run_s=0.4)) as engine:
        run = await engine.start(home.request(["episodes", 1, "e"], ["keep_acting", "acts"], resumable=True))
        end = await ended(engine, run)
        at = time.time()
        await until(lambda: home.child(run) is None)
        assert (await engine.get(run.run_id, OWNER)) == end

    assert (end.status, end.reason, end.attempt) == (RunStatus.FAILED, RunReason.INTERRUPTED, 1)
    assert "it took longer than 0.4 s" in end.message
    assert [moment for moment in home.times("acts") if moment > at + 0.02] == []


async def test_cancels_that_come_too_late_or_to_nobody_change_nothing(home: Home) -> None:
    # F18
    async with home.engine() as engine:
        done = await ended(engine, await engine.start(home.request(["act", "one"])))
        assert await engine.cancel(done.run_id, OWNER) == done
        waiting = await engine.start(home.request(["wait", "never"]))
        first = await engine.cancel(waiting.run_id, OWNER)
        assert await engine.cancel(waiting.run_id, OWNER) == first
        for run_id, owner in ((waiting.run_id, "another"), ("0" * 44, OWNER)):
            with pytest.raises(RunNotFoundError) as caught:
                await engine.cancel(run_id, owner)
            assert caught.value.data == {"run_id": run_id}
        assert await engine.get(waiting.run_id, OWNER) == first


async def test_a_cancel_that_races_with_the_end_of_the_run_has_one_winner(home: Home) -> None:
    # F17, with real processes
    seen: set[RunStatus] = set()
    async with home.engine(seconds=60) as engine:
        for number in range(6):
            run = await engine.start(home.request(["wait", f"go{number}"]))
            await home.until_acted("begun", number + 1)
            home.say(f"go{number}")
            await anyio.sleep(number * 0.002)  # another moment of the race each time
            told = await engine.cancel(run.run_id, OWNER)
            await until(lambda run=run: home.child(run) is None)  # type: ignore[misc]  # bound for this round
            assert told.status.is_terminal
            assert await engine.get(run.run_id, OWNER) == told
            seen.add(told.status)

    assert seen <= {RunStatus.CANCELLED, RunStatus.COMPLETED}


async def test_of_many_races_between_a_result_and_a_cancel_each_has_one_winner(home: Home) -> None:
    # F17, at the store, each side with a connection of its own
    winners: list[RunStatus] = []
    with closing(open_store(home.place.home)) as mine, closing(open_store(home.place.home)) as its:
        ledger = StoredLedger(mine, age=timedelta(days=7))
        queue = RunQueue(its, WorkerMark("home", ProcessMark(1, "")))
        for _ in range(200):
            waiting = ledger.add(home.request(), _now(), limit=1)
            claim = queue.claim(_now(), handed=())
            assert claim is not None
            told = await _raced(ledger, RunAttempt(its, waiting.run_id, 1), claim.run)
            winners.append(told)

    assert set(winners) <= {RunStatus.CANCELLED, RunStatus.COMPLETED}


async def _raced(ledger: StoredLedger, attempt: RunAttempt, run: Run) -> RunStatus:
    """The one state that both sides are told, and that stays."""
    told: list[Run] = []
    done = Outcome(RunStatus.COMPLETED, "done", result={"ok": True})
    cancelled = Outcome(RunStatus.CANCELLED, "cancelled by request", RunReason.CANCELLED)

    def cancel() -> None:
        told.append(ledger.end(run.run_id, OWNER, cancelled, _now()))

    async with anyio.create_task_group() as group:
        group.start_soon(anyio.to_thread.run_sync, cancel)
        by_itself = await anyio.to_thread.run_sync(attempt.end, done, _now())
    now = ledger.get(run.run_id, OWNER, _now())
    assert told == [now]
    assert by_itself == (now if now.status is RunStatus.COMPLETED else None)
    return now.status


def _now() -> datetime:
    return datetime.now(UTC)
