"""The end of the worker that did the demo's runs: its home is about to go."""

import os
import signal
import time
from typing import Final

import anyio

from handrail.cli.output import print_note
from handrail.runs import RunPlace
from handrail.runs.worker import Order, OrderKind, WorkerState
from handrail.runs.worker.control import tell_worker
from handrail.storage.lock import try_lock
from handrail.storage.process import ProcessMark, is_alive, mark_of

__all__ = ["end_worker"]

_BOUND_S: Final = 15.0
_LOOK_S: Final = 0.02


def end_worker(place: RunPlace) -> None:
    """Have the worker of a home end, and wait until it has: told over its socket, again where it was just starting.

    Whoever holds the worker's lock is one. A second interrupt does not keep this from being done.
    """
    if not place.lock.exists():
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        if not _has_ended(place):
            print_note(f"A worker of the demo is left, in {place.home}: `HANDRAIL_HOME={place.home} handrail worker`.")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _has_ended(place: RunPlace) -> bool:
    until = time.monotonic() + _BOUND_S
    worker: ProcessMark | None = None
    while time.monotonic() < until:
        lock = try_lock(place.lock)
        if lock is None:
            state = anyio.run(_tell, place)
            worker = mark_of(state.pid) if state else worker
        else:
            os.close(lock)
            if worker is None or not is_alive(worker):
                return True
        time.sleep(_LOOK_S)
    return False


async def _tell(place: RunPlace) -> WorkerState | None:
    try:
        return await tell_worker(place.socket, Order(kind=OrderKind.STOP))
    except TimeoutError:
        return None
