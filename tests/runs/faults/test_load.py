"""Many runs, many messages, many questions, and large results (F21, F22, F24, F26)."""

import hashlib
import time

import anyio
import psutil
import pytest

from handrail.runs import QueueFullError, RunReason, RunStatus
from tests.runs.worker.bodies_worker import Options
from tests.runs.worker.homes import OWNER, Home, ended, is_completed, until

_MEGABYTE = 1024 * 1024


async def test_a_queue_of_runs_is_done_in_order_and_leaves_nothing(home: Home) -> None:
    # F22
    count = 16
    async with home.engine(seconds=60) as engine:
        runs = [await engine.start(home.request(["act", f"run{number}"])) for number in range(count)]
        ends = [await ended(engine, run, seconds=40) for run in runs]
        await until(lambda: home.child(runs[-1]) is None)
        assert (await home.worker()).running == []

    assert all(map(is_completed, ends)), ends
    begun = sorted(range(count), key=lambda number: home.times(f"run{number}")[0])
    assert [home.acts(f"run{number}") for number in range(count)] == [1] * count
    # They are taken in order; a process that starts slowly lets those in the other slot pass it.
    assert all(abs(number - place) <= 2 * Options().slots for place, number in enumerate(begun)), begun


async def test_a_thousand_runs_that_wait_cost_little_and_the_next_one_is_refused_with_its_place(home: Home) -> None:
    # F22
    count = 1000
    process = psutil.Process()
    async with home.engine(Options(slots=1), limit=count + 1, seconds=60) as engine:
        blocker = await engine.start(home.request(["wait", "go"]))
        await home.until_acted("begun")
        before = process.memory_info().rss
        runs = [await engine.start(home.request(["act", "never"])) for _ in range(count)]
        grown = process.memory_info().rss - before
        with pytest.raises(QueueFullError) as caught:
            await engine.start(home.request(["act", "never"]))
        for run in runs:
            assert (await engine.cancel(run.run_id, OWNER)).status is RunStatus.CANCELLED
        home.say("go")
        assert is_completed(await ended(engine, blocker))
        await until(lambda: home.child(blocker) is None)
        assert is_completed(await ended(engine, await engine.start(home.request(["act", "next"]))))

    assert caught.value.data == {"limit": count + 1, "position": count + 1, "running": [blocker.run_id]}
    assert grown < 25 * _MEGABYTE
    assert (home.acts("never"), home.acts("begun")) == (0, 2)


async def test_a_storm_of_questions_about_a_run_is_answered_and_the_run_goes_on(home: Home) -> None:
    # F21
    async with home.engine() as engine:
        run = await engine.start(home.request(["keep_acting", "acts"]))
        await home.until_acted("acts")
        waits: list[float] = []
        began = time.monotonic()

        async def ask() -> None:
            for _ in range(40):
                before = time.monotonic()
                assert (await engine.get(run.run_id, OWNER)).status is RunStatus.WORKING
                waits.append(time.monotonic() - before)

        acts = home.acts("acts")
        async with anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(ask)
        took = time.monotonic() - began
        await home.until_acted("acts", acts + 5)
        await engine.cancel(run.run_id, OWNER)

    assert len(waits) == 2000
    assert took < 15
    assert max(waits) < 5


@pytest.mark.promise("progress-is-bounded")
async def test_a_flood_of_messages_costs_few_writes_and_the_last_one_is_seen(home: Home) -> None:
    # F26
    count = 3000
    async with home.engine() as engine:
        began = time.monotonic()
        run = await engine.start(home.request(["flood", count], ["wait", "go"]))
        seen: list[str] = []
        async with engine.watch(run.run_id, OWNER) as states:
            async for state in states:
                seen.append(state.message)
                if state.message == f"number {count - 1}":
                    home.say("go")
        took = time.monotonic() - began
        end = await engine.get(run.run_id, OWNER)

    assert is_completed(end)
    assert seen[-2:] == [f"number {count - 1}", "done"]
    # One a second, and one each for: queued, started, done.
    assert end.revision <= took + 3
    log = (home.place.records / run.run_id / "log.jsonl").read_text().splitlines()
    assert len(log) <= took + 1


async def test_a_result_of_ten_megabytes_arrives_whole_and_a_larger_one_is_told_of(home: Home) -> None:
    # F24
    size = 10 * _MEGABYTE
    async with home.engine() as engine:
        run = await engine.start(home.request(["big", size]))
        too_big = await engine.start(home.request(["big", 33 * _MEGABYTE]))
        end, other = await ended(engine, run), await ended(engine, too_big)
        page = await engine.list_runs(OWNER)

    assert end.result is not None
    text = str(end.result["text"])
    assert (len(text), hashlib.sha256(text.encode()).hexdigest()) == (size, hashlib.sha256(b"x" * size).hexdigest())
    assert (other.status, other.reason) == (RunStatus.FAILED, RunReason.CRASHED)
    assert "no more than" in other.message
    assert [listed.result for listed in page.runs] == [None, None]


async def test_a_body_that_prints_very_much_is_not_held_up_by_it(home: Home) -> None:
    async with home.engine() as engine:
        end = await ended(engine, await engine.start(home.request(["shout", 4 * _MEGABYTE])))

    assert is_completed(end)
    assert home.place.log.stat().st_size >= 4 * _MEGABYTE


async def test_a_crash_is_told_without_its_words(home: Home) -> None:
    secret = "sk-canary-in-an-error"
    async with home.engine() as engine:
        end = await ended(engine, await engine.start(home.request(["crash", secret])))

    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.CRASHED)
    assert "ValueError" in end.message
    assert secret not in end.message
    assert secret not in home.told()
    assert secret not in str(end.result)
