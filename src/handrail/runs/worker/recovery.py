"""What other workers left behind: runs whose worker has gone, records whose time is over, folders that nobody needs."""

import json
import logging
import shutil
import time
from collections.abc import Container, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from handrail.runs.ledger import KEPT_FOR
from handrail.runs.model import Run
from handrail.runs.place import RunPlace
from handrail.runs.record import RUN_FILE, DiskRecord, RecordError
from handrail.runs.store import Database, Held, RunQueue, StoredLedger, StoreError, WorkerMark
from handrail.runs.worker.child_process import reap
from handrail.runs.worker.patience import patiently
from handrail.storage.process import ProcessMark, is_alive

__all__ = ["Recovery"]

_LOG: Final = logging.getLogger(__name__)
_EVERY_SECONDS: Final = 2.0
_PRUNE_SECONDS: Final = 3600.0
_ENVIRONMENT_SECONDS: Final = 30
"""How long a run waits for what it needs of its caller's environment, before it is taken for lost."""
_ORPHAN_SECONDS: Final = 24 * 3600.0
"""How old a folder must be that belongs to no run."""


class Recovery:
    """Looks after what other workers left.

    Args:
        database: the store of runs.
        queue: gives runs up.
        worker: who looks.
        place: the home.
        handed: the runs whose caller's environment this worker has, now.
    """

    def __init__(
        self, database: Database, queue: RunQueue, worker: WorkerMark, place: RunPlace, handed: Container[str]
    ) -> None:
        self._ledger = StoredLedger(database, age=KEPT_FOR)
        self._queue = queue
        self._worker = worker
        self._place = place
        self._handed = handed
        self._pruned_at = -_PRUNE_SECONDS

    async def repeat(self) -> None:
        """Look again and again, for ever."""
        while True:
            if anyio.current_time() - self._pruned_at >= _PRUNE_SECONDS:
                self._pruned_at = anyio.current_time()
                await self._prune()
            await anyio.sleep(_EVERY_SECONDS)
            try:
                await self.recover()
            except StoreError as error:
                _LOG.warning("%s", error.message)

    async def recover(self) -> None:
        """Give up the runs whose worker has gone, and those whose caller's environment never came.

        Raises:
            StoreError: the store cannot be used.
        """
        for held in await patiently(self._queue.others):
            how = self._gone(held)
            if how is None:
                continue
            await self._reap(held)
            given_up = await patiently(partial(self._queue.give_up, held.run, held.worker, how, _now()))
            if given_up is not None:
                _LOG.warning("run %s: %s", held.run.run_id, given_up.message)
                await self.note(given_up)
        late = _now() - timedelta(seconds=_ENVIRONMENT_SECONDS)
        for run in await patiently(partial(self._queue.without_environment, late)):
            if run.run_id in self._handed:
                continue  # it only waits its turn
            how = "what it needs of its caller's environment was lost with a worker"
            given_up = await patiently(partial(self._queue.give_up, run, None, how, _now()))
            if given_up is not None:
                await self.note(given_up)

    async def clean(self) -> None:
        """Kill what is left of the processes of runs that ended while, or before, their worker was killed.

        Raises:
            StoreError: the store cannot be used.
        """
        for held in await patiently(self._queue.leftovers):
            if held.worker.home == self._worker.home and not is_alive(held.worker.process):
                await self._reap(held)
                await patiently(partial(self._queue.forget_child, held.run.run_id, held.worker))

    async def note(self, now: Run) -> None:
        """Let a run's record say how it was given up."""
        if not now.status.is_terminal or not (self._place.records / now.run_id).is_dir():
            return
        try:
            DiskRecord(self._place.records, now.run_id, ProcessMark(0, "")).write_run(now)
        except RecordError as error:
            _LOG.warning("run %s: %s", now.run_id, error.message)

    async def _reap(self, held: Held) -> None:
        if held.worker.home == self._worker.home:
            await reap(held.child, self._place.scratch / held.run.run_id)

    def _gone(self, held: Held) -> str | None:
        """Why a run is no longer its worker's, or None where it still is."""
        if held.worker.home == self._worker.home and not is_alive(held.worker.process):
            return "its worker has gone"
        return "its machine has not been heard of" if held.lease_over else None

    async def _prune(self) -> None:
        try:
            for run_id in await patiently(partial(self._ledger.forget_over, _now())):
                await _remove([self._place.records / run_id])
            await _remove([path for path in await self._orphans(self._place.records) if _is_over(path)])
            await _remove(await self._orphans(self._place.scratch))
        except (StoreError, OSError) as error:
            _LOG.warning("old runs could not be removed: %s", error)

    async def _orphans(self, folder: Path) -> list[Path]:
        old = await anyio.to_thread.run_sync(_older_than, folder, time.time() - _ORPHAN_SECONDS)
        known = await patiently(partial(self._ledger.known, [path.name for path in old]))
        return [path for path in old if path.name not in known]


async def _remove(folders: Sequence[Path]) -> None:
    for folder in folders:
        await anyio.to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True))


def _older_than(folder: Path, moment: float) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir() and path.stat().st_mtime < moment]
    except FileNotFoundError:
        return []


def _is_over(record: Path) -> bool:
    """Whether a record that no run of this store belongs to is over its own time.

    It may be of another store: one that was moved aside, or of another setting. Then it says itself when it ended.
    """
    try:
        document = json.loads((record / RUN_FILE).read_bytes())
        touched = datetime.fromisoformat(document["updated_at"])
    except (OSError, ValueError, KeyError, TypeError):
        touched = datetime.fromtimestamp(record.stat().st_mtime, UTC)
    return _now() - touched > KEPT_FOR


def _now() -> datetime:
    return datetime.now(UTC)
