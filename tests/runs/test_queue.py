"""Runs wait in order, up to a bound; a key makes a repeated start safe; lists come in pages."""

import anyio
import pytest

from handrail.errors import UsageError
from handrail.json_types import JsonObject
from handrail.runs import QueueFullError, RunContext, RunKeyReusedError, RunStatus, StartRequest
from tests.runs.bodies import OWNER, Puppets, instant, request, running

pytestmark = pytest.mark.unit


@pytest.mark.promise("queue-is-bounded")
async def test_a_thousand_starts_keep_their_order_and_the_next_is_refused() -> None:
    order: list[str] = []
    go = anyio.Event()
    at_once = [0, 0]

    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        order.append(ctx.run_id)
        at_once[0] += 1
        at_once[1] = max(at_once)
        await go.wait()
        await ctx.check()
        at_once[0] -= 1
        return {}

    async with running(body, limit=1000) as engine:
        ids = [(await engine.start(request(n=n))).run_id for n in range(1000)]
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(QueueFullError) as caught:
            await engine.start(request())
        go.set()
        ended = [await engine.wait(run_id, OWNER, 5) for run_id in ids]

    assert caught.value.data == {"limit": 1000, "position": 999, "running": ids[:2]}
    assert order == ids
    assert at_once == [0, 2]
    assert {run.status for run in ended} == {RunStatus.COMPLETED}


async def test_a_refused_start_leaves_no_run_behind() -> None:
    async with running(Puppets(), limit=1) as engine:
        run = await engine.start(request())
        with pytest.raises(QueueFullError):
            await engine.start(request(run_key="k"))
        await engine.cancel(run.run_id, OWNER)
        await engine.start(request(other=True, run_key="k"))
        runs = (await engine.list_runs(OWNER)).runs

    assert len(runs) == 2


async def test_the_same_key_gives_the_same_run_even_when_it_has_ended_or_the_queue_is_full() -> None:
    async with running(instant, limit=1) as engine:
        first = await engine.start(request(n=1, run_key="k"))
        again = await engine.start(request(n=1, run_key="k"))
        await engine.wait(first.run_id, OWNER, 5)
        ended = await engine.start(request(n=1, run_key="k"))

    assert again.run_id == first.run_id == ended.run_id
    assert ended.status is RunStatus.COMPLETED


async def test_the_same_key_with_other_arguments_is_refused_and_names_the_run() -> None:
    async with running(instant) as engine:
        first = await engine.start(request(n=1, run_key="k"))
        with pytest.raises(RunKeyReusedError) as other_arguments:
            await engine.start(request(n=2, run_key="k"))
        with pytest.raises(RunKeyReusedError) as other_agent:
            await engine.start(StartRequest("other", {"n": 1}, OWNER, "k"))

    assert other_arguments.value.data["run_id"] == first.run_id
    assert other_agent.value.data["run_id"] == first.run_id


async def test_a_key_belongs_to_its_owner() -> None:
    async with running(instant) as engine:
        mine = await engine.start(request(n=1, run_key="k"))
        yours = await engine.start(request(n=2, run_key="k", owner="you"))

    assert mine.run_id != yours.run_id


async def test_pages_show_each_of_the_owners_runs_once_newest_first() -> None:
    async with running(instant) as engine:
        ids = [(await engine.start(request(n=n))).run_id for n in range(7)]
        await engine.start(request(owner="you"))
        seen: list[str] = []
        sizes: list[int] = []
        cursor: str | None = None
        while True:
            page = await engine.list_runs(OWNER, limit=3, cursor=cursor)
            seen += [run.run_id for run in page.runs]
            sizes.append(len(page.runs))
            cursor = page.next_cursor
            if cursor is None:
                break
            await engine.start(request(owner="you"))

    assert seen == ids[::-1]
    assert sizes == [3, 3, 1]


@pytest.mark.parametrize("cursor", ["", "x", "-1", "²", "9" * 40])
async def test_a_cursor_that_is_not_ours_is_refused(cursor: str) -> None:
    async with running(instant) as engine:
        with pytest.raises(UsageError):
            await engine.list_runs(OWNER, cursor=cursor)
