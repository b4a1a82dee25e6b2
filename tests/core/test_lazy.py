"""A value that is made at its first use."""

import threading

import anyio
import pytest

from handrail.lazy import Lazy

pytestmark = pytest.mark.unit


async def test_all_who_ask_at_once_get_the_one_value_that_is_made() -> None:
    made: list[object] = []

    def make() -> object:
        made.append(object())
        return made[-1]

    lazy = Lazy.of(make)
    got: list[object] = []

    async def ask() -> None:
        got.append(await lazy.get())

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            for _ in range(10):
                group.start_soon(ask)

    assert len(made) == 1
    assert got == made * 10


async def test_a_value_that_could_not_be_made_is_made_for_the_next_one_who_asks() -> None:
    attempts = iter([ValueError("first"), None])

    def make() -> str:
        error = next(attempts)
        if error:
            raise error
        return "made"

    lazy = Lazy.of(make)

    with pytest.raises(ValueError, match="first"):
        await lazy.get()
    assert await lazy.get() == "made"


async def test_the_loop_goes_on_while_the_value_is_made_and_who_asked_can_be_cancelled() -> None:
    may_end = threading.Event()
    lazy = Lazy.of(lambda: may_end.wait(5))

    with anyio.move_on_after(0.05) as scope:
        await lazy.get()
    may_end.set()

    assert scope.cancelled_caught
    assert await lazy.get() is True


async def test_what_is_made_of_a_value_is_made_once_of_the_same_one() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    first = Lazy.of(make)
    second = first.then(lambda value: [value])

    assert await second.get() is await second.get()
    assert await second.get() == [await first.get()]
    assert made == [0]
