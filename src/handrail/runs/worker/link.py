"""How a server reaches the worker of its home, and starts one where there is none."""

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
from pydantic import JsonValue, TypeAdapter, ValidationError

from handrail.errors import UnavailableError
from handrail.runs.place import RunPlace
from handrail.runs.store.schema import SCHEMA
from handrail.runs.worker.control import tell_worker
from handrail.runs.worker.messages import Order, OrderKind, WorkerState

__all__ = ["WorkerLink", "WorkerSilentError", "WorkerUnavailableError"]

_START_SECONDS: Final = 20.0
_AGAIN_SECONDS: Final = 5.0
"""After which time it starts another one: the first may have come while an ending one still held the home's lock."""
_LOOK_SECONDS: Final = 0.02
_LARGEST_LOG: Final = 5 * 1024 * 1024
"""In bytes; a log that has become larger is set aside before a worker is started, in the place of the one before."""
_INHERITED: Final = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "PYTHONPATH")
"""What a worker gets of the environment of whoever starts it: no host's keys. Handrail's own settings come on top."""
_DETACHED: Final = ("/bin/sh", "-c", '"$@" </dev/null >>"$0" 2>&1 &')
"""Starts a command in the background and ends at once, so that nobody who looks for a host's children finds it."""


class WorkerUnavailableError(UnavailableError):
    """The worker cannot be started. `data` holds `log` (a path) and, where it said why, `error`."""

    type = "worker_unavailable"


class WorkerSilentError(WorkerUnavailableError):
    """There is a worker, and it does not answer: it sleeps, or is very busy. It may still do what waits."""

    type = "worker_silent"


class WorkerLink:
    """Reaches the worker of one home.

    Args:
        place: the home.
        command: starts a worker of this home, in the foreground.
        version: of this program; a worker of another version is asked to end when its runs have, and replaced.
        settings: what the worker gets in its environment beside the bare necessities.
    """

    def __init__(
        self, place: RunPlace, command: Sequence[str], *, version: str, settings: Mapping[str, str] | None = None
    ) -> None:
        self._place = place
        self._command = command
        self._version = version
        self._settings = settings or {}
        self._starting = anyio.Lock()

    async def tell(self, order: Order) -> WorkerState | None:
        """Give an order to the worker that there is; None where there is none, or it does not answer."""
        try:
            return await tell_worker(self._place.socket, order)
        except TimeoutError:
            return None

    async def wake(self, order: Order | None = None) -> WorkerState:
        """Have a worker of this version look for runs, starting one where there is none.

        Args:
            order: with what a run needs of its caller's environment.

        Raises:
            WorkerUnavailableError: none could be started.
        """
        order = order or Order()
        until = anyio.current_time() + _START_SECONDS
        async with self._starting:
            began, spawn_at = time.time(), anyio.current_time()
            while anyio.current_time() < until:
                state = await self._asked(Order())
                if state is not None and self._is_ours(state):
                    return state if order == Order() else await self._asked(order) or state
                if state is not None and not state.draining:
                    await self.tell(Order(kind=OrderKind.DRAIN))
                if await anyio.to_thread.run_sync(_is_newer, self._place.failure, began):
                    raise self._unavailable("The worker could not start")
                # Not at each look: a killed worker leaves its socket, so only an answer says that one has begun.
                if anyio.current_time() >= spawn_at:
                    spawn_at = anyio.current_time() + _AGAIN_SECONDS
                    await self._spawn()
                await anyio.sleep(_LOOK_SECONDS)
        raise self._unavailable("No worker could be started")

    def _is_ours(self, state: WorkerState) -> bool:
        if state.draining:
            return False
        # A newer one of the same store is as good: two versions on one home must not replace each other for ever.
        return state.schema_number == SCHEMA and not _is_older(state.version, self._version)

    async def _asked(self, order: Order) -> WorkerState | None:
        try:
            return await tell_worker(self._place.socket, order)
        except TimeoutError:
            raise WorkerSilentError(
                "There is a worker, and it does not answer.",
                next_step=f"Wait for it, or look at {self._place.log}.",
                log=str(self._place.log),
            ) from None

    async def _spawn(self) -> None:
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        try:
            await anyio.to_thread.run_sync(self._start, {**environment, **self._settings})
        except OSError as error:
            raise self._unavailable(f"The worker could not be started ({error.strerror})") from error

    def _start(self, environment: Mapping[str, str]) -> None:
        _set_aside(self._place.log)
        subprocess.run(  # noqa: S603  (our own command)
            [*_DETACHED, str(self._place.log), *self._command],
            env=environment,
            cwd=self._place.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
            umask=0o077,
        )

    def _unavailable(self, sentence: str) -> WorkerUnavailableError:
        said = _said(self._place.failure)
        why = f": {said.get('message')}" if said else "."
        step = said.get("next") or f"Look at {self._place.log}; `handrail worker` shows what is wrong."
        return WorkerUnavailableError(
            f"{sentence}{why}", next_step=str(step), log=str(self._place.log), error=said or None
        )


def _set_aside(log: Path) -> None:
    with contextlib.suppress(OSError):  # there is none, or it must do as it is
        if log.stat().st_size > _LARGEST_LOG:
            log.replace(log.with_name(f"{log.name}.1"))


def _is_older(version: str, other: str) -> bool:
    return _numbers(version) < _numbers(other)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def _is_newer(path: Path, moment: float) -> bool:
    try:
        return path.stat().st_mtime >= moment
    except OSError:
        return False


def _said(path: Path) -> dict[str, JsonValue]:
    try:
        return TypeAdapter(dict[str, JsonValue]).validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return {}
