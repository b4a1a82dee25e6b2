"""Several reads at once, each with an outcome of its own."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, Protocol, TypeVar

import anyio

from handrail.appwrite.outcome import CallResult, failed
from handrail.errors import ArgumentError, HandrailError, UnavailableError

__all__ = ["MOST_READS", "BatchTimeError", "NamedCall", "read_many"]

MOST_READS: Final = 20
"""How many reads one batch may hold."""

_AT_ONCE: Final = 8
_SECONDS: Final = 300.0


class NamedCall(Protocol):
    """One read of a batch, whatever else it holds."""

    @property
    def tool(self) -> str:
        """The method's tool name."""


C = TypeVar("C", bound=NamedCall)


class BatchTimeError(UnavailableError):
    """The time of the batch was over before this read had its answer. `data["begun"]` says whether it was sent."""

    type = "batch_time_over"


async def read_many(
    calls: Sequence[C], read_one: Callable[[C], Awaitable[CallResult]], *, within_s: float = _SECONDS
) -> list[CallResult]:
    """Read several things at once. One that hangs keeps no other one waiting beyond the time of the batch.

    Args:
        calls: at least one, at most 20.
        read_one: makes one of them; says itself what became of it, or raises a `HandrailError`.
        within_s: seconds for all of them together.

    Returns:
        What became of each, in the order of the calls.

    Raises:
        ArgumentError: there are none, or too many; nothing was sent.
    """
    if not 1 <= len(calls) <= MOST_READS:
        raise ArgumentError(
            f"'calls' must have 1 to {MOST_READS} entries, not {len(calls)}.",
            argument="calls",
            next_step=f"Give at most {MOST_READS} reads at once.",
            problem="value",
        )
    batch = _Batch(calls, read_one, within_s)
    await batch.run()
    return batch.results()


class _Batch(Generic[C]):
    """The reads of one batch as they come to an end."""

    def __init__(self, calls: Sequence[C], read_one: Callable[[C], Awaitable[CallResult]], within_s: float) -> None:
        self._calls = calls
        self._read_one = read_one
        self._within_s = within_s
        self._places = anyio.Semaphore(_AT_ONCE)
        self._begun: set[int] = set()
        self._done: dict[int, CallResult] = {}

    async def run(self) -> None:
        """Until all have ended, or the time is over."""
        with anyio.move_on_after(self._within_s):
            async with anyio.create_task_group() as group:
                for place in range(len(self._calls)):
                    group.start_soon(self._read, place)

    async def _read(self, place: int) -> None:
        async with self._places:
            self._begun.add(place)
            try:
                self._done[place] = await self._read_one(self._calls[place])
            except HandrailError as error:
                self._done[place] = failed(self._calls[place].tool, error)

    def results(self) -> list[CallResult]:
        """What became of each."""
        return [self._done.get(place) or self._late(place) for place in range(len(self._calls))]

    def _late(self, place: int) -> CallResult:
        begun = place in self._begun
        what = "was over before its answer came" if begun else "was over before its turn came; it was not sent"
        error = BatchTimeError(
            f"The time of the batch ({self._within_s:g} s) {what}.",
            next_step="A read changes nothing: call it again, by itself or in a smaller batch.",
            begun=begun,
        )
        return failed(self._calls[place].tool, error)
