"""Reads in a batch: each for itself, in order, and none for longer than the batch."""

from dataclasses import dataclass

import anyio
import pytest

from handrail.appwrite.outcome import CallResult, Outcome
from handrail.appwrite.read_many import MOST_READS, read_many
from handrail.errors import ArgumentError, NotFoundError

pytestmark = pytest.mark.unit


@dataclass(frozen=True)
class _Read:
    tool: str


def _reads(count: int) -> list[_Read]:
    return [_Read(f"t{number}") for number in range(count)]


async def _done(read: _Read) -> CallResult:
    return CallResult(read.tool, Outcome.DONE, 200)


async def test_the_results_are_in_the_order_of_the_calls() -> None:
    last_has_ended = anyio.Event()

    async def read_one(read: _Read) -> CallResult:
        if read.tool == "t7":
            last_has_ended.set()
        await last_has_ended.wait()
        return await _done(read)

    with anyio.fail_after(5):
        results = await read_many(_reads(8), read_one)

    assert [result.tool for result in results] == [f"t{number}" for number in range(8)]


async def test_eight_are_read_at_once_and_never_more() -> None:
    now, most = 0, 0
    eight = anyio.Event()

    async def read_one(read: _Read) -> CallResult:
        nonlocal now, most
        now += 1
        most = max(most, now)
        if now == 8:
            eight.set()
        await eight.wait()
        await anyio.lowlevel.checkpoint()
        now -= 1
        return await _done(read)

    with anyio.fail_after(5):
        await read_many(_reads(20), read_one)

    assert most == 8


async def test_one_that_hangs_keeps_no_other_one() -> None:
    async def read_one(read: _Read) -> CallResult:
        if read.tool == "t3":
            await anyio.sleep_forever()
        return await _done(read)

    with anyio.fail_after(5):
        results = await read_many(_reads(20), read_one, within_s=0.3)

    late = results.pop(3)
    assert {result.outcome for result in results} == {Outcome.DONE}
    assert late.outcome is Outcome.FAILED
    assert late.error is not None
    assert (late.error["type"], late.error["data"]) == ("batch_time_over", {"begun": True})


async def test_what_never_had_its_turn_says_that_it_was_not_sent() -> None:
    async def read_one(_read: _Read) -> CallResult:
        await anyio.sleep_forever()
        raise NotImplementedError

    with anyio.fail_after(5):
        results = await read_many(_reads(9), read_one, within_s=0.1)

    begun = [result.error["data"] for result in results if result.error]
    assert begun == [{"begun": True}] * 8 + [{"begun": False}]


async def test_one_that_fails_fails_alone() -> None:
    async def read_one(read: _Read) -> CallResult:
        if read.tool == "t0":
            raise NotFoundError("There is none.")
        return await _done(read)

    first, second = await read_many(_reads(2), read_one)

    assert (first.outcome, second.outcome) == (Outcome.FAILED, Outcome.DONE)


async def test_a_batch_that_is_cancelled_cancels_its_reads() -> None:
    ended: list[str] = []
    begun = anyio.Event()

    async def read_one(read: _Read) -> CallResult:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(read.tool)
        raise NotImplementedError

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(read_many, _reads(3), read_one)
            await begun.wait()
            await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()

    assert sorted(ended) == ["t0", "t1", "t2"]


@pytest.mark.parametrize("count", [0, MOST_READS + 1])
async def test_a_batch_of_none_or_too_many_sends_nothing(count: int) -> None:
    sent: list[str] = []

    async def read_one(read: _Read) -> CallResult:
        sent.append(read.tool)
        return await _done(read)

    with pytest.raises(ArgumentError):
        await read_many(_reads(count), read_one)

    assert sent == []
