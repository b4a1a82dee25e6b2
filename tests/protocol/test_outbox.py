"""Lines that wait to be written: in order, bounded, and never in the way of an end."""

from contextlib import aclosing

import anyio
import pytest

from handrail.protocol.stdio.outbox import Outbox

pytestmark = pytest.mark.unit


async def test_lines_come_out_in_order_and_end_when_it_is_closed() -> None:
    outbox = Outbox(100)
    for line in (b"a", b"b", b"c"):
        await outbox.put(line)
    outbox.close()

    with anyio.fail_after(5):
        assert [line async for line in outbox.lines()] == [b"a", b"b", b"c"]


async def test_who_adds_a_line_waits_while_it_is_full() -> None:
    outbox, added = Outbox(3), []

    async def add() -> None:
        for line in (b"large line", b"next"):
            await outbox.put(line)
            added.append(line)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group, aclosing(outbox.lines()) as lines:
            group.start_soon(add)
            assert await anext(lines) == b"large line"
            await anyio.wait_all_tasks_blocked()
            assert added == [b"large line"]

            assert await anext(lines) == b"next"

    assert added == [b"large line", b"next"]


async def test_it_is_empty_once_the_last_line_has_been_written() -> None:
    outbox, seen = Outbox(3), []

    async def wait() -> None:
        await outbox.empty()
        seen.append("empty")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group, aclosing(outbox.lines()) as lines:
            await outbox.put(b"x")
            group.start_soon(wait)
            await anext(lines)
            await anyio.wait_all_tasks_blocked()
            assert seen == []
            outbox.close()
            assert await anext(lines, None) is None

    assert seen == ["empty"]


async def test_nobody_waits_for_what_is_dropped() -> None:
    outbox = Outbox(1)
    await outbox.put(b"never read")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(outbox.put, b"waits")
            group.start_soon(outbox.empty)
            await anyio.wait_all_tasks_blocked()
            outbox.discard()
        await outbox.put(b"late")

    assert [line async for line in outbox.lines()] == []
