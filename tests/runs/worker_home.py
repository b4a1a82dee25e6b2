"""A home folder with runs, and the end of its worker."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import psutil
import pytest

from handrail.runs import RunPlace
from handrail.runs.worker import Order, OrderKind, WorkerLink
from handrail.storage.lock import try_lock

__all__ = ["home_of_runs", "processes_of", "stop_worker"]

_SECONDS = 20


@contextmanager
def home_of_runs(folder: Path) -> Iterator[RunPlace]:
    """A home folder of a test's own, as this process and all that it starts see it. Its worker ends with it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HANDRAIL_HOME", str(folder))
        place = RunPlace(folder)
        try:
            yield place
        finally:
            stop_worker(place)


def stop_worker(place: RunPlace) -> None:
    """Have the worker of a home end, and wait until no process of the home is left."""
    if not place.lock.exists():
        return
    until = time.monotonic() + _SECONDS
    while (lock := try_lock(place.lock)) is None:
        anyio.run(_tell_to_stop, place)
        if time.monotonic() > until:
            raise TimeoutError(f"the worker of {place.home} does not end:\n{place.log.read_text()}")
    os.close(lock)
    while left := processes_of(place):
        if time.monotonic() > until:
            raise TimeoutError(f"left of {place.home}: {left}\n{place.log.read_text()}")


def processes_of(place: RunPlace) -> list[psutil.Process]:
    """The processes whose working folder is this home: its worker, and the children of that."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(place.home) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


async def _tell_to_stop(place: RunPlace) -> None:
    link = WorkerLink(place, [sys.executable], version="")
    await link.tell(Order(kind=OrderKind.STOP))
    await anyio.sleep(0.02)
