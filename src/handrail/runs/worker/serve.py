"""A worker from its start to its end: the lock, the store, the socket, the work."""

import contextlib
import json
import os
import signal
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import anyio
import anyio.to_thread

from handrail.errors import HandrailError
from handrail.json_types import JsonObject
from handrail.runs.place import RunPlace
from handrail.runs.store import open_store
from handrail.runs.worker.control import listening
from handrail.runs.worker.work import Worker, WorkerLimits
from handrail.storage.lock import try_lock

__all__ = ["serve_worker"]

_ENDS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def serve_worker(
    place: RunPlace,
    child_command: Sequence[str],
    *,
    version: str,
    database_url: str = "",
    limits: WorkerLimits | None = None,
) -> bool:
    """Be the worker of a home until there is nothing left to do, an order ends it, or a signal does.

    Args:
        place: the home.
        child_command: starts a process that calls `run_child`.
        version: of this program.
        database_url: of a PostgreSQL database; empty: a file in the home.
        limits: what bounds it.

    Returns:
        False where another process is the worker of this home already.

    Raises:
        StoreError: the store cannot be used.
        OSError: the home cannot.
    """
    lock = await anyio.to_thread.run_sync(try_lock, place.lock)
    if lock is None:
        return False
    holding = contextlib.ExitStack()
    holding.callback(os.close, lock)
    with holding:
        try:
            await _serve(place, child_command, version, database_url, limits, holding.close)
        except (HandrailError, OSError, ExceptionGroup) as raised:
            error = _only_leaf(raised)
            await anyio.to_thread.run_sync(_note_failure, place, error)
            raise error from raised
    return True


async def _serve(  # noqa: PLR0917  (all of `serve_worker`)
    place: RunPlace,
    child_command: Sequence[str],
    version: str,
    database_url: str,
    limits: WorkerLimits | None,
    release: Callable[[], None],
) -> None:
    await anyio.to_thread.run_sync(partial(place.failure.unlink, missing_ok=True))
    opening = partial(open_store, place.home, database_url, thorough=True)
    with contextlib.closing(await anyio.to_thread.run_sync(opening)) as database:
        worker = Worker(database, place, child_command, version=version, database_url=database_url, limits=limits)
        async with anyio.create_task_group() as group:
            group.start_soon(_stop_at_signal, worker)
            while True:
                async with anyio.create_task_group() as sockets:
                    sockets.start_soon(_listen, place, worker, release)
                    await worker.work()
                    sockets.cancel_scope.cancel()
                # Who has told it of a run before the socket closed must not wait for nobody.
                if worker.is_ending or not await worker.has_more():
                    break
            group.cancel_scope.cancel()


async def _listen(place: RunPlace, worker: Worker, release: Callable[[], None]) -> None:
    """Take orders; once it drains, let another worker have the socket and the lock."""
    async with listening(place.socket, worker.obey):
        await worker.draining.wait()
    release()


async def _stop_at_signal(worker: Worker) -> None:
    with anyio.open_signal_receiver(*_ENDS) as signals:
        async for _number in signals:
            worker.stop()


def _only_leaf(error: Exception) -> Exception:
    """The error itself, also when task groups wrapped it."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _note_failure(place: RunPlace, error: Exception) -> None:
    document: JsonObject = (
        error.as_json()
        if isinstance(error, HandrailError)
        else {"message": (isinstance(error, OSError) and error.strerror) or type(error).__name__}
    )
    with contextlib.suppress(OSError):
        part = place.failure.with_suffix(".part")
        part.write_text(json.dumps(document), encoding="utf-8")
        part.replace(place.failure)  # whole: somebody waits for it
