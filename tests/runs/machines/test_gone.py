"""A machine that has gone, sleeps, or has lost its way to the database: others take over, and only in time."""

import time

import pytest

from handrail.json_types import Json
from handrail.runs import RunReason, RunStatus
from tests.runs.machines.machine import (
    LEASE_SECONDS,
    LOOK_SECONDS,
    OPTIONS,
    Machines,
    asleep,
    lease_of,
    power_off,
    signatures,
    until_taken_by,
)
from tests.runs.machines.wire import Wire
from tests.runs.worker.homes import OWNER, ended, is_completed, is_running, until

_SLACK_SECONDS = 3.0  # for a machine that tests much else
_SIGNED: list[list[Json]] = [["sign", "acts"], ["wait", "end"]]


@pytest.mark.promise("machines-take-over-after-the-lease")
async def test_a_run_of_a_machine_that_has_gone_goes_on_elsewhere_after_its_lease(machines: Machines) -> None:
    gone, left = machines.homes
    gone.say("e1-stop")
    async with gone.engine(OPTIONS) as engine:
        run = await engine.start(gone.request(["episodes", 3, "e"], resumable=True))
        await gone.until_acted("e1")
    await left.link(OPTIONS).wake()
    power_off(gone)
    lease = lease_of(left, run)
    (gone.folder / "e1-stop").unlink()
    async with left.engine(OPTIONS) as engine:
        end = await ended(engine, run)

    assert is_completed(end), end
    assert (end.attempt, end.result) == (2, {"ok": True, "saved_before": ["e0"]})
    assert [left.acts(f"e{number}") for number in range(3)] == [1, 2, 1]
    begun = left.times("begun")[1]
    assert lease < begun < lease + LOOK_SECONDS + _SLACK_SECONDS
    assert left.place.records.joinpath(run.run_id, "run.json").exists()


async def test_a_run_that_cannot_go_on_elsewhere_is_interrupted_after_its_lease(machines: Machines) -> None:
    gone, left = machines.homes
    async with gone.engine(OPTIONS) as engine:
        run = await engine.start(gone.request(["report", "far"], ["keep_acting", "acts"]))
        await until(lambda: gone.column("message", run) == "far")
    await left.link(OPTIONS).wake()
    power_off(gone)
    lease = lease_of(left, run)
    async with left.engine(OPTIONS) as engine:
        end = await ended(engine, run)

    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)
    assert "its machine has not been heard of" in end.message
    assert end.message.endswith("Last heard: far")
    assert lease - 0.1 < end.updated_at.timestamp() < lease + LOOK_SECONDS + _SLACK_SECONDS
    assert left.acts("begun") == 1


async def test_a_machine_that_lives_keeps_its_run_however_long_it_takes(machines: Machines) -> None:
    one, other = machines.homes
    async with one.engine(OPTIONS) as engine:
        run = await engine.start(one.request(["wait", "go"], resumable=True))
        await one.until_acted("begun")
        await other.link(OPTIONS).wake()
        first = lease_of(one, run)
        await until(lambda: lease_of(one, run) > first + 2 * LEASE_SECONDS, what="it is renewed")
        one.say("go")
        end = await ended(engine, run)

    assert (is_completed(end), end.attempt, one.acts("begun")) == (True, 1, 1)


@pytest.mark.promise("sleeping-machines-are-fenced")
@pytest.mark.parametrize(("how", "acts_at_waking"), [("wait", True), ("block", False)])
async def test_what_a_machine_says_and_does_that_slept_past_its_lease_is_lost(
    machines: Machines, how: str, *, acts_at_waking: bool
) -> None:
    sleeper, other = machines.homes
    async with sleeper.engine(OPTIONS) as engine:
        run = await engine.start(sleeper.request(["deaf", ""], [how, "go"], *_SIGNED, resumable=True))
        await sleeper.until_acted("begun")
        await until_taken_by(sleeper, run)
    async with other.engine(OPTIONS, seconds=40) as engine:
        with asleep(sleeper):
            await other.link(OPTIONS).wake()
            await other.until_acted("begun", 2)
            if acts_at_waking:
                other.say("go")
                await other.until_acted("acts")
        woken = time.time()
        late, taker = other.begun_by()
        await until(lambda: not is_running(late), what=sleeper.told())
        took = time.time() - woken
        other.say("go")
        await other.until_acted("acts")
        other.say("end")
        end = await ended(engine, run)
        assert await engine.get(run.run_id, OWNER) == end

    assert took < 5 + 1
    assert (is_completed(end), end.attempt) == (True, 2)
    assert [pid for pid, _at in signatures(other, "acts")] == [taker]
    assert other.acts("begun") == 2


async def test_a_machine_that_wakes_before_anybody_came_goes_on(machines: Machines) -> None:
    sleeper = machines.one
    async with sleeper.engine(OPTIONS) as engine:
        run = await engine.start(sleeper.request(["wait", "go"], *_SIGNED, resumable=True))
        await sleeper.until_acted("begun")
        await until_taken_by(sleeper, run)
        with asleep(sleeper):
            lease = lease_of(sleeper, run)
            await until(lambda: time.time() > lease + 0.5, what="the end of the lease")
        await until(lambda: lease_of(sleeper, run) > lease + 0.5, what="it is renewed")
        sleeper.say("go")
        sleeper.say("end")
        end = await ended(engine, run)

    assert (is_completed(end), end.attempt, sleeper.acts("begun")) == (True, 1, 1)


@pytest.mark.promise("cut-off-machines-end-their-runs")
@pytest.mark.parametrize(("how", "refused"), [("block", False), ("block", True)])
async def test_a_machine_that_is_cut_off_ends_its_runs_before_others_may_take_them(
    wired_machines: Machines, wire: Wire, how: str, *, refused: bool
) -> None:
    options = OPTIONS.model_copy(update={"lease_s": 3})
    cut, other = wired_machines.homes
    async with cut.engine(options) as engine:
        run = await engine.start(cut.request(["deaf", ""], [how, "go"], *_SIGNED, resumable=True))
        await cut.until_acted("begun")
        await until_taken_by(cut, run)
    worker = (await cut.worker()).pid
    async with other.engine(options, seconds=50) as engine:
        await other.link(options).wake()
        wire.refuse() if refused else wire.silence()
        mine = other.begun_by()[0]
        await until(lambda: not is_running(mine), what=cut.told())
        ended_at, lease = time.time(), lease_of(other, run)
        await other.until_acted("begun", 2)
        wire.mend()
        other.say("go")
        await other.until_acted("acts")
        other.say("end")
        end = await ended(engine, run)
        await until(lambda: other.column("child", run) is None)
    async with cut.engine(options) as engine:
        assert is_completed(await ended(engine, await engine.start(cut.request(["act", "next"])), seconds=30))
        assert (await cut.worker()).pid == worker, "it has outlived it"

    assert ended_at < lease < other.times("begun")[1]
    assert (is_completed(end), end.attempt) == (True, 2)
    assert [pid for pid, _at in signatures(other, "acts")] == [other.begun_by()[1]]
