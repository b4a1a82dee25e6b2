"""The runs of the home folder, as the commands reach them: through the engine, and so from the store."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Final, TypeVar

import anyio

from handrail.cli.caller import AtTerminal
from handrail.cli.causes import innermost
from handrail.errors import UsageError
from handrail.json_types import Json
from handrail.run_composition import run_engine
from handrail.runs import Run, RunEngine, RunNotFoundError
from handrail.settings import Settings, load_settings

__all__ = ["OWNER", "RunIdAmbiguousError", "all_runs", "some", "whole_id", "with_runs"]

OWNER: Final = AtTerminal.owner
_ID_CHARACTERS: Final = 44  # of a whole id
_PAGE: Final = 200
_NAMED: Final = 3  # ids in one message
_LISTED: Final = 20  # ids in an error's data

T = TypeVar("T")


class RunIdAmbiguousError(UsageError):
    """More than one run's id begins so. `data["run_ids"]` lists them, newest first, up to twenty."""

    type = "run_id_ambiguous"


def with_runs(work: Callable[[RunEngine], Awaitable[T]]) -> T:
    """What some work gives, while the engine over the store of runs is open.

    Raises:
        HomeError: the home folder cannot be used.
        StoreError: the store of runs cannot.
        HandrailError: what the work raises, itself and in no group.
    """
    return anyio.run(_entered, load_settings(), work)


async def _entered(settings: Settings, work: Callable[[RunEngine], Awaitable[T]]) -> T:
    try:
        async with run_engine(settings) as engine:
            return await work(engine)
    except BaseExceptionGroup as group:
        raise _for_terminal(innermost(group)) from group


def _for_terminal(error: BaseException) -> BaseException:
    """The error, naming the command in place of the tool."""
    if isinstance(error, RunNotFoundError):
        return RunNotFoundError(error.message, next_step="`handrail runs` lists them.", **error.data)
    return error


async def whole_id(engine: RunEngine, start: str) -> str:
    """The id of the one run that begins so; what was given, where it is none's or already whole.

    Raises:
        RunIdAmbiguousError: more than one run's id begins so.
    """
    if not start or len(start) >= _ID_CHARACTERS:
        return start
    found = [run.run_id async for run in all_runs(engine) if run.run_id.startswith(start)]
    if len(found) > 1 and start not in found:
        listed: list[Json] = [*found[:_LISTED]]
        raise RunIdAmbiguousError(
            f"{len(found)} runs begin with {start!r}: {some(found)}.", next_step="Give more of the id.", run_ids=listed
        )
    return found[0] if len(found) == 1 else start


async def all_runs(engine: RunEngine, *, limit: int | None = None) -> AsyncGenerator[Run]:
    """The runs without their results, newest first.

    Args:
        engine: keeps them.
        limit: how many at most; None: all.
    """
    cursor: str | None = None
    left = limit
    while left is None or left > 0:
        page = await engine.list_runs(OWNER, limit=_PAGE if left is None else min(left, _PAGE), cursor=cursor)
        for run in page.runs:
            yield run
        left = None if left is None else left - len(page.runs)
        cursor = page.next_cursor
        if cursor is None:
            return


def some(ids: Sequence[str]) -> str:
    """The first few ids, in one message."""
    return ", ".join([*ids[:_NAMED], *(["..."] if len(ids) > _NAMED else [])])
