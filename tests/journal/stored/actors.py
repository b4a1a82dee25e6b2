"""Processes of their own that use a journal, for tests that hold, kill or bound them.

Each says on stdout what it has done, one line at a time, and goes on when a line comes in.
"""

import os
import pwd
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType
from typing import Final

import anyio

from handrail.errors import HandrailError
from handrail.journal import Bounds, JournalError
from handrail.journal.archives import Archives
from handrail.journal.rotation import Rotation
from handrail.storage.database import closing
from tests.journal.places import Kind, Place, entry

_EACH: Final = 125
_POINTS: Final = 60
_LAST: Final = 60  # the rows go at the very end
_SMALL: Final = Bounds(rows=8)


def _say(*words: object) -> None:
    sys.stdout.write(" ".join(str(word) for word in words) + "\n")
    sys.stdout.flush()


def _wait() -> None:
    sys.stdin.readline()


async def _begin(place: Place) -> None:
    """Begin a call, and be in it until told to end it."""
    async with place.journal() as journal:
        journal_id = await journal.begin(entry())
        _say(journal_id)
        await anyio.to_thread.run_sync(_wait)
        await journal.finish(journal_id, "done")
        _say("ended")


async def _many(place: Place) -> None:
    """Begin and end many calls, ten at a time, once told to."""
    _say("ready")
    _wait()
    async with place.journal(bounds=Bounds(rows=400) if place.kind is Kind.SQLITE else None) as journal:

        async def some(first: int) -> None:
            for number in range(first, _EACH, 10):
                journal_id = await journal.begin(entry(number))
                await journal.finish(journal_id, "done", status=number)
                _say(journal_id, number)

        async with anyio.create_task_group() as group:
            for first in range(10):
                group.start_soon(some, first)


async def _begin_once(place: Place) -> None:
    async with place.journal() as journal:
        await journal.begin(entry())


async def _unprivileged(place: Place) -> None:
    """Begin a call as a user who may only read; what is wrong with that."""
    with tempfile.TemporaryDirectory() as warm:  # whatever is loaded late is loaded now, while that may be read
        await _begin_once(Place(place.kind, Path(warm)))
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
    async with place.journal() as journal:
        try:
            await journal.begin(entry())
        except JournalError as error:
            _say(error.data["problem"])


async def _bounded(place: Place) -> None:
    """Begin calls in a file that may grow to so many pages and no further, more of them each time."""
    async with place.journal() as journal:
        await journal.note(entry(), "refused")
    for pages in range(1, 400):
        resource.setrlimit(resource.RLIMIT_FSIZE, (pages * 1024, resource.RLIM_INFINITY))
        async with place.journal() as journal:
            try:
                await journal.begin(entry())
            except JournalError as error:
                _say(error.data["problem"])
            else:
                _say("done")
                return


async def _rotate(place: Place) -> None:
    """Archive in processes that are killed, each a little later than the last, on copies of one home."""
    _archive(_copied(place, "warm"))  # whatever is loaded late is loaded
    calls = _calls_of(_copied(place, "whole"))
    points = {max(1, calls * number // _POINTS) for number in range(1, _POINTS + 1)}
    for point in sorted(points | {calls - left for left in range(0, _LAST, 2)}):
        copy = _copied(place, f"at-{point}")
        _say(point, copy.home, _ended(copy, point))


def _copied(place: Place, name: str) -> Place:
    copy = place.home / name
    copy.mkdir()
    for file in place.home.glob("journal*"):
        shutil.copy(file, copy)
    return Place(place.kind, copy)


def _calls_of(place: Place) -> int:
    """How many calls of functions it takes to archive."""
    seen = 0

    def count(_frame: FrameType, event: str, _value: object) -> None:
        nonlocal seen
        seen += event in {"call", "c_call"}

    sys.setprofile(count)
    _archive(place)
    sys.setprofile(None)
    return seen


def _ended(place: Place, point: int) -> str:
    child = os.fork()
    if child == 0:
        _kill_at(point)
        _archive(place)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    return "killed" if os.WIFSIGNALED(status) else "ended"


def _kill_at(point: int) -> None:
    left = point

    def look(_frame: FrameType, event: str, _value: object) -> None:
        nonlocal left
        left -= event in {"call", "c_call"}
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(look)


def _archive(place: Place) -> None:
    with closing(place.open()) as database:
        Rotation(place.book(database), Archives(place.home), _SMALL, lambda: False).run()


_ACTORS: Final[dict[str, Callable[[Place], Awaitable[None]]]] = {
    "begin": _begin,
    "many": _many,
    "unprivileged": _unprivileged,
    "bounded": _bounded,
    "rotate": _rotate,
}


def main() -> None:
    name, home, url = sys.argv[1:]
    place = Place(Kind.POSTGRES if url else Kind.SQLITE, Path(home), url)
    try:
        anyio.run(_ACTORS[name], place)
    except HandrailError as error:
        _say("failed", error)
        raise


if __name__ == "__main__":
    main()
