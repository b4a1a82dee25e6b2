"""Watching a run, and answering what it asks."""

import anyio
import pytest

from handrail.errors import ArgumentError
from handrail.json_types import JsonObject
from handrail.runs import QuestionExpiredError, Run, RunContext, RunStatus, StartRequest
from tests.runs.bodies import OWNER, Puppets, request, running

pytestmark = pytest.mark.unit

YES_NO: JsonObject = {
    "type": "object",
    "properties": {"yes": {"type": "boolean"}},
    "required": ["yes"],
    "additionalProperties": False,
}


async def test_a_watcher_sees_the_run_as_it_stands_then_each_change_up_to_the_end() -> None:
    puppets = Puppets()
    seen: list[Run] = []
    async with running(puppets) as engine:
        run = await engine.start(request())
        await puppets.until_started(1)
        async with engine.watch(run.run_id, OWNER) as changes:
            async for change in changes:
                seen.append(change)
                puppets.tell(run.run_id, "report half" if len(seen) == 1 else "finish")

    assert [(change.status, change.message) for change in seen] == [
        (RunStatus.WORKING, "started"),
        (RunStatus.WORKING, "half"),
        (RunStatus.COMPLETED, "done"),
    ]
    assert [change.revision for change in seen] == sorted({change.revision for change in seen})


async def test_a_slow_watcher_skips_to_the_last_value() -> None:
    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        for number in range(10_000):
            await ctx.report(str(number))
        return {}

    async with running(body) as engine:
        run = await engine.start(request())
        async with engine.watch(run.run_id, OWNER) as changes:
            first = await anext(changes)
            await engine.wait(run.run_id, OWNER, 5)
            rest = [change async for change in changes]

    assert first.status is RunStatus.WORKING
    assert [change.status for change in rest] == [RunStatus.COMPLETED]


async def test_a_watcher_that_leaves_early_leaves_nothing_behind_and_the_run_alone() -> None:
    puppets = Puppets()
    async with running(puppets) as engine:
        run = await engine.start(request())
        for _ in range(3):
            with anyio.move_on_after(0.01):
                async with engine.watch(run.run_id, OWNER) as changes:
                    async for _change in changes:
                        pass
        async with engine.watch(run.run_id, OWNER) as changes:
            await anext(changes)
        puppets.tell(run.run_id, "finish")
        ended = await engine.wait(run.run_id, OWNER, 5)

    assert ended.status is RunStatus.COMPLETED


async def test_a_watcher_outlives_the_retention_of_its_run() -> None:
    puppets = Puppets()
    async with running(puppets) as engine:
        run = await engine.start(request())
        async with engine.watch(run.run_id, OWNER) as changes:
            await anext(changes)
            await engine.cancel(run.run_id, OWNER)
            for n in range(1001):
                await engine.reject(request(n=n), {})
            rest = [change.status async for change in changes]

    assert rest == [RunStatus.CANCELLED]


async def _asking(ctx: RunContext, _request: StartRequest) -> JsonObject:
    return {"answer": await ctx.ask("Buy it?", YES_NO, seconds=60)}


async def test_a_run_that_asks_is_shown_so_and_goes_on_with_the_answer() -> None:
    async with running(_asking) as engine:
        run = await engine.start(request())
        asking = await engine.wait(run.run_id, OWNER, 5)
        key = asking.questions[0].key
        answered = await engine.answer(run.run_id, OWNER, {"unknown": 1, key: {"yes": True}})
        ended = await engine.wait(run.run_id, OWNER, 5)

    assert (asking.status, asking.questions[0].message) == (RunStatus.INPUT_REQUIRED, "Buy it?")
    assert (answered.status, answered.questions) == (RunStatus.WORKING, ())
    assert ended.result == {"answer": {"yes": True}}


async def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays() -> None:
    async with running(_asking) as engine:
        run = await engine.start(request())
        asking = await engine.wait(run.run_id, OWNER, 5)
        key = asking.questions[0].key
        with pytest.raises(ArgumentError) as caught:
            await engine.answer(run.run_id, OWNER, {key: {"yes": "maybe"}})
        later = await engine.get(run.run_id, OWNER)

    assert caught.value.argument == f"{key}.yes"
    assert later == asking


async def test_a_question_that_nobody_answers_expires() -> None:
    expired: list[QuestionExpiredError] = []
    asked = False

    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        try:
            await ctx.ask("Anybody?", YES_NO, seconds=0.01)
        except QuestionExpiredError as error:
            expired.append(error)
        await ctx.report("went on")
        await anyio.sleep_forever()
        raise NotImplementedError

    async with running(body) as engine:
        run = await engine.start(request())
        async with engine.watch(run.run_id, OWNER) as changes:
            async for change in changes:
                asked = asked or change.status is RunStatus.INPUT_REQUIRED
                if change.message == "went on":
                    break

    assert asked
    assert (change.status, change.questions) == (RunStatus.WORKING, ())
    assert expired[0].data == {"question": "Anybody?", "seconds": 0.01}


async def test_a_run_that_is_cancelled_while_it_asks_asks_no_more() -> None:
    async with running(_asking) as engine:
        run = await engine.start(request())
        asking = await engine.wait(run.run_id, OWNER, 5)
        await engine.cancel(run.run_id, OWNER)
        await anyio.wait_all_tasks_blocked()
        late = await engine.answer(run.run_id, OWNER, {asking.questions[0].key: {"yes": True}})

    assert (late.status, late.questions) == (RunStatus.CANCELLED, ())
