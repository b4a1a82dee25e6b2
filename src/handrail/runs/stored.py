"""Run records as another process reads them: the command line, after the server that ran them has gone."""

import errno
import os
import re
import shutil
import stat
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from handrail.errors import UnavailableError
from handrail.runs.engine import RunNotFoundError
from handrail.runs.model import Run, RunReason, RunStatus
from handrail.runs.process import ProcessMark, is_alive
from handrail.runs.record import RUN_FILE

__all__ = ["RecordUnreadableError", "StoredRuns", "list_records", "prune_records", "read_record"]

_RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{15,99}")


class RecordUnreadableError(UnavailableError):
    """A run's record is damaged. `data` holds `run_id` and `path`."""

    type = "record_unreadable"


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """Runs from their records, newest first, and the ids of those whose record is damaged."""

    runs: tuple[Run, ...]
    unreadable: tuple[str, ...] = ()


def read_record(records: Path, run_id: str) -> Run:
    """One run from its record.

    A run that has not ended and whose process has gone reads as `failed: interrupted`; nothing is written.

    Args:
        records: the folder of all records.
        run_id: the run.

    Raises:
        RunNotFoundError: there is no such record.
        RecordUnreadableError: it is damaged.
    """
    path = records / run_id / RUN_FILE
    try:
        content = _content(path) if _RUN_ID.fullmatch(run_id) else None
    except FileNotFoundError:
        content = None
    except OSError as error:
        raise _unreadable(run_id, path) from error
    if content is None:
        raise RunNotFoundError(
            f"There is no record of a run {run_id[:64]!r}.",
            next_step="`handrail runs` lists them.",
            run_id=run_id[:64],
        )
    run, mark = _parsed(content, run_id, path)
    return run if run.status.is_terminal or is_alive(mark) else _interrupted(run)


def list_records(records: Path, *, owner: str | None = None, limit: int = 50) -> StoredRuns:
    """The newest records, whoever's process wrote them.

    Args:
        records: the folder of all records; it need not exist.
        owner: whose runs, or None for everybody's.
        limit: how many at most.

    Raises:
        OSError: the folder is there and cannot be read.
    """
    runs: list[Run] = []
    unreadable: list[str] = []
    for run_id in _run_ids(records):
        if len(runs) >= limit:
            break
        try:
            run = read_record(records, run_id)
        except RunNotFoundError:
            continue  # removed meanwhile, or killed before its first state was written: no run that anybody was told of
        except RecordUnreadableError:
            unreadable.append(run_id)
        else:
            if owner in {None, run.owner}:
                runs.append(run)
    return StoredRuns(tuple(runs), tuple(unreadable))


def prune_records(records: Path, before: datetime) -> int:
    """Remove the records of runs that ended before a moment (aware), and what starts that failed left behind.

    The record of a live run stays, and so does a damaged one.

    Returns:
        How many were removed.

    Raises:
        OSError: the folder is there and cannot be read.
    """
    stale = [run_id for run_id in _run_ids(records) if _is_stale(records, run_id, before)]
    for run_id in stale:
        shutil.rmtree(records / run_id, ignore_errors=True)
    return len(stale)


def _is_stale(records: Path, run_id: str, before: datetime) -> bool:
    try:
        run = read_record(records, run_id)
    except RunNotFoundError:
        return _changed_before(records / run_id, before)
    except RecordUnreadableError:
        return False
    return run.status.is_terminal and run.updated_at < before


def _changed_before(folder: Path, before: datetime) -> bool:
    try:
        return folder.stat().st_mtime < before.timestamp()
    except FileNotFoundError:
        return False


def _content(path: Path) -> bytes:
    """What a regular file holds. Anything else might keep its reader waiting for ever."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def _run_ids(records: Path) -> list[str]:
    """Newest first: ids begin with the time."""
    try:
        return sorted((item.name for item in records.iterdir() if _RUN_ID.fullmatch(item.name)), reverse=True)
    except FileNotFoundError:
        return []


def _parsed(content: bytes, run_id: str, path: Path) -> tuple[Run, ProcessMark]:
    from handrail.runs.document import DocumentError, parse_run  # noqa: PLC0415  (15 ms that a server never needs)

    try:
        return parse_run(content)
    except DocumentError as error:
        raise _unreadable(run_id, path) from error


def _interrupted(run: Run) -> Run:
    message = f"interrupted: {run.message}"
    return replace(run, status=RunStatus.FAILED, reason=RunReason.INTERRUPTED, message=message)


def _unreadable(run_id: str, path: Path) -> RecordUnreadableError:
    return RecordUnreadableError(
        f"The record of run {run_id} is damaged.", next_step=f"Look at {path}.", run_id=run_id, path=str(path)
    )
