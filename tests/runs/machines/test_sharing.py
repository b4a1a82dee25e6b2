"""Runs that several machines do together: each once, seen and cancelled from anywhere."""

import time
from datetime import UTC, datetime

import pytest

from handrail.runs import KEPT_FOR, DurableEngine, Run, RunReason, RunStatus
from handrail.runs.store import StoredLedger
from handrail.storage.database import closing
from tests.runs.machines.machine import OPTIONS, Machines, home_id, power_off, until_taken_by
from tests.runs.worker.homes import OWNER, ended, is_completed, until

_NAME = "SOME_MODEL_KEY"


@pytest.mark.promise("machines-share-runs")
async def test_twenty_runs_are_shared_out_and_each_is_done_once(machines: Machines) -> None:
    one, other = machines.homes
    count = 20
    async with one.engine(OPTIONS, seconds=60) as engine:
        await other.link(OPTIONS).wake()
        runs = [await engine.start(one.request(["act", f"run{number}"], ["wait", "go"])) for number in range(count)]
        await one.until_acted("begun", 4)
        at_work = {str(one.column("worker", run)).split()[0] for run in runs[:4]}
        one.say("go")
        ends = [await ended(engine, run, seconds=40) for run in runs]

    assert at_work == {home_id(one), home_id(other)}
    assert all(map(is_completed, ends)), ends
    assert [one.acts(f"run{number}") for number in range(count)] == [1] * count
    assert one.acts("begun") == one.acts("done") == count


@pytest.mark.promise("machines-cancel-each-others-runs")
async def test_a_run_of_another_machine_is_seen_and_cancelled_from_here(machines: Machines) -> None:
    here, there = machines.homes
    async with there.engine(OPTIONS) as far, here.engine(OPTIONS) as near:
        run = await _begun_there(machines, far)
        async with near.watch(run.run_id, OWNER) as states:
            async for state in states:
                if state.message == "on the way":
                    break
        assert (await near.wait(run.run_id, OWNER, 0.1)).status is RunStatus.WORKING
        cancelled = await near.cancel(run.run_id, OWNER)
        at = time.time()
        await there.until_acted("unwound", seconds=5)
        assert there.times("unwound")[0] - at < 1
        assert [moment for moment in there.times("acts") if moment > at + 0.02] == []
        assert (await near.wait(run.run_id, OWNER, 5)) == cancelled == await far.get(run.run_id, OWNER)

    assert (cancelled.status, cancelled.reason) == (RunStatus.CANCELLED, RunReason.CANCELLED)


async def _begun_there(machines: Machines, far: DurableEngine) -> Run:
    there = machines.other
    run = await far.start(there.request(["report", "on the way"], ["keep_acting", "acts"]))
    await there.until_acted("acts")
    await until_taken_by(there, run)
    return run


@pytest.mark.promise("handed-keys-stay-on-their-machine")
async def test_a_run_that_needs_a_key_waits_for_the_machine_that_has_it(machines: Machines) -> None:
    busy, idle = machines.homes
    impatient = OPTIONS.model_copy(update={"environment_s": 0.5})
    async with busy.engine(OPTIONS.model_copy(update={"slots": 1}), seconds=40) as engine:
        await engine.start(busy.request(["wait", "go"]))
        await busy.until_acted("begun")
        run = await engine.start(busy.request(["environment", _NAME], ["wait", "go"], environment={_NAME: "a"}))
        await until(lambda: busy.column("lease_until", run), what="its machine holds it while it waits")
        await idle.link(impatient).wake()
        assert (await ended(engine, _never_handed(machines))).reason is RunReason.INTERRUPTED, "it has looked"
        assert (await engine.get(run.run_id, OWNER)).message == "queued"
        assert is_completed(await ended(engine, await _done_by(machines, engine))), "what needs none is done there"
        busy.say("go")
        end = await ended(engine, run)

    assert is_completed(end)
    assert str(busy.column("worker", run)).split()[0] == home_id(busy)


def _never_handed(machines: Machines) -> Run:
    """A run whose key nobody hands over."""
    with closing(machines.other.open()) as store:
        ledger = StoredLedger(store, age=KEPT_FOR)
        return ledger.add(machines.other.request(environment={_NAME: "b"}), datetime.now(UTC), limit=9)


async def _done_by(machines: Machines, engine: DurableEngine) -> Run:
    run = await engine.start(machines.one.request(["act", "other"]))
    await until_taken_by(machines.other, run)
    return run


async def test_a_key_that_was_lost_with_its_machine_ends_the_run_after_the_lease(machines: Machines) -> None:
    gone, left = machines.homes
    impatient = OPTIONS.model_copy(update={"environment_s": 0.1})
    async with gone.engine(OPTIONS.model_copy(update={"slots": 1})) as engine:
        await engine.start(gone.request(["wait", "never"]))
        await gone.until_acted("begun")
        run = await engine.start(gone.request(["act", "never"], environment={_NAME: "a"}))
        await until(lambda: gone.column("lease_until", run))
    power_off(gone)
    lease = float(str(gone.column("lease_until", run)))
    async with left.engine(impatient) as engine:
        end = await ended(engine, run)

    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)
    assert "environment was lost" in end.message
    assert end.updated_at.timestamp() > lease - 0.1
    assert gone.acts("never") == 0
