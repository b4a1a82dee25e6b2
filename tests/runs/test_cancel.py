"""A cancel is acknowledged at once and never taken back."""

from collections.abc import Awaitable, Callable

import anyio
import pytest

from handrail.json_types import JsonObject
from handrail.runs import MemoryEngine, RunContext, RunReason, RunStatus, StartRequest
from tests.runs.bodies import OWNER, Puppets, request, running

pytestmark = pytest.mark.unit

Unwinding = Callable[[RunContext], Awaitable[JsonObject]]


async def _returns(_ctx: RunContext) -> JsonObject:
    return {"ok": True}


async def _raises(_ctx: RunContext) -> JsonObject:
    raise ValueError


async def _reports(ctx: RunContext) -> JsonObject:
    with anyio.CancelScope(shield=True):
        await ctx.report("still here")
    raise NotImplementedError


async def _checks_in_a_shield(ctx: RunContext) -> JsonObject:
    with anyio.CancelScope(shield=True):
        await ctx.check()
    raise NotImplementedError


async def _asks(ctx: RunContext) -> JsonObject:
    with anyio.CancelScope(shield=True):
        await ctx.ask("Really?", {"type": "object"}, seconds=5)
    raise NotImplementedError


@pytest.mark.promise("one-terminal-state")
@pytest.mark.parametrize("unwinding", [_returns, _raises, _reports, _checks_in_a_shield, _asks])
@pytest.mark.logs_errors
async def test_a_cancelled_run_stays_cancelled_whatever_its_body_does_later(unwinding: Unwinding) -> None:
    working, unwound = anyio.Event(), anyio.Event()

    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        try:
            working.set()
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            try:
                return await unwinding(ctx)
            finally:
                unwound.set()
        raise NotImplementedError

    async with running(body) as engine:
        run = await engine.start(request())
        await working.wait()
        acknowledged = await engine.cancel(run.run_id, OWNER)
        await unwound.wait()
        await anyio.wait_all_tasks_blocked()
        later = await engine.get(run.run_id, OWNER)

    assert (acknowledged.status, acknowledged.reason) == (RunStatus.CANCELLED, RunReason.CANCELLED)
    assert later == acknowledged


async def test_a_run_that_was_cancelled_while_it_waited_never_begins() -> None:
    puppets = Puppets()
    async with running(puppets, slots=1) as engine:
        first, second, third = [await engine.start(request(n=n)) for n in range(3)]
        await puppets.until_started(1)
        await engine.cancel(second.run_id, OWNER)
        puppets.tell(first.run_id, "finish")
        await puppets.until_started(2)

    assert puppets.started == [first.run_id, third.run_id]


async def test_a_run_that_was_cancelled_before_its_task_began_never_begins() -> None:
    puppets = Puppets()
    async with running(puppets) as engine:
        run = await engine.start(request())
        await engine.cancel(run.run_id, OWNER)
        await anyio.wait_all_tasks_blocked()

    assert puppets.started == []


async def test_cancelled_runs_do_not_pile_up_behind_a_busy_slot() -> None:
    puppets = Puppets()
    with anyio.fail_after(5):
        async with MemoryEngine(puppets, records=None, slots=1, limit=3) as engine:
            await engine.start(request())
            for n in range(10):
                run = await engine.start(request(n=n))
                await engine.cancel(run.run_id, OWNER)
            waiting = len(engine._waiting)

    assert waiting == 0


async def test_a_cancel_frees_the_slot_for_the_next_run() -> None:
    puppets = Puppets()
    async with running(puppets, slots=1) as engine:
        first, second = [await engine.start(request(n=n)) for n in range(2)]
        await puppets.until_started(1)
        await engine.cancel(first.run_id, OWNER)
        await puppets.until_started(2)

    assert puppets.started == [first.run_id, second.run_id]


async def test_a_second_cancel_and_a_cancel_after_the_end_change_nothing() -> None:
    puppets = Puppets()
    async with running(puppets) as engine:
        cancelled, finished = [await engine.start(request(n=n)) for n in range(2)]
        puppets.tell(finished.run_id, "finish")
        await engine.wait(finished.run_id, OWNER, 5)
        once = await engine.cancel(cancelled.run_id, OWNER)
        twice = await engine.cancel(cancelled.run_id, OWNER)
        after = await engine.cancel(finished.run_id, OWNER)

    assert once == twice
    assert after.status is RunStatus.COMPLETED


async def test_a_finish_and_a_cancel_at_the_same_time_have_one_winner() -> None:
    puppets = Puppets()
    async with running(puppets) as engine:
        run = await engine.start(request())
        await puppets.until_started(1)
        puppets.tell(run.run_id, "finish")
        answered = await engine.cancel(run.run_id, OWNER)
        await anyio.wait_all_tasks_blocked()
        later = await engine.get(run.run_id, OWNER)

    assert answered == later


async def test_a_cancel_wakes_who_waits_for_the_run() -> None:
    async with running(Puppets()) as engine:
        run = await engine.start(request())
        async with anyio.create_task_group() as group:

            async def wait() -> None:
                assert (await engine.wait(run.run_id, OWNER, 60)).status is RunStatus.CANCELLED

            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await engine.cancel(run.run_id, OWNER)


async def test_cancelling_who_waits_leaves_the_run_alone() -> None:
    async with running(Puppets()) as engine:
        run = await engine.start(request())
        with anyio.move_on_after(0.01) as scope:
            await engine.wait(run.run_id, OWNER, 60)
        later = await engine.get(run.run_id, OWNER)

    assert scope.cancelled_caught
    assert later.status is RunStatus.WORKING


@pytest.mark.promise("cancel-spares-others-runs")
async def test_a_run_that_its_starter_leaves_goes_on_while_somebody_waits_for_it_or_watches_it() -> None:
    puppets = Puppets()
    async with running(puppets) as engine:
        run = await engine.start(request())
        async with engine.watch(run.run_id, OWNER), anyio.create_task_group() as group:
            watched = await engine.abandon(run.run_id, OWNER)
            group.start_soon(engine.wait, run.run_id, OWNER, 60)
            await anyio.wait_all_tasks_blocked()
            waited_for = await engine.abandon(run.run_id, OWNER)
            group.cancel_scope.cancel()
        alone = await engine.abandon(run.run_id, OWNER)

    assert (watched.status, waited_for.status) == (RunStatus.WORKING, RunStatus.WORKING)
    assert alone.status is RunStatus.CANCELLED
