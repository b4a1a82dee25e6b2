"""What is in the record of a run, read for somebody who is not on this machine.

Nothing outside of the run's own folder is read: no link is followed, in no part of a name, and only regular files are
opened. The caller has to know that the run belongs to whoever asks.
"""

import errno
import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from handrail.errors import NotFoundError, UnavailableError
from handrail.runs.record import LOG_FILE, NoRecord

__all__ = [
    "MAX_FILE_BYTES",
    "MAX_TAIL_BYTES",
    "RecordFileMissingError",
    "RecordTail",
    "RecordTooLargeError",
    "RunRecords",
]

MAX_FILE_BYTES: Final = 8 * 1024 * 1024
"""The largest file that is given as a whole."""
MAX_TAIL_BYTES: Final = 1024 * 1024
"""How much is given of the end of a run's steps, or of its log."""

_TICKS: Final = "agent/ticks.jsonl"
_SUMMARY: Final = "summary.json"
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIAL_NUMBER: Final = re.compile(r"--(\d{1,9})__")
_ABSENT: Final = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ENAMETOOLONG}


class RecordFileMissingError(NotFoundError):
    """The run's record has no such file. `data["name"]` holds the name."""

    type = "record_file_missing"


class RecordTooLargeError(UnavailableError):
    """A file of a record is too large to be given as a whole. `data` holds `name`, `size` and `limit` in bytes."""

    type = "record_file_too_large"


@dataclass(frozen=True, slots=True)
class RecordTail:
    """The last whole lines of something, and whether there are earlier ones."""

    lines: tuple[str, ...] = ()
    cut: bool = False


class RunRecords:
    """Reads records of runs. Every method blocks on the disk: call it in a thread.

    Args:
        records: the folder of all records; it need not exist.
    """

    def __init__(self, records: Path) -> None:
        self._records = records

    def file(self, run_id: str, name: str) -> bytes:
        """One file that a run recorded, by the name that it was recorded under.

        Raises:
            RecordNameError: no file can have that name.
            RecordFileMissingError: there is none.
            RecordTooLargeError: it is larger than `MAX_FILE_BYTES`.
            OSError: it cannot be read.
        """
        with self._opened(run_id, name) as handle:
            size = os.fstat(handle).st_size
            if size > MAX_FILE_BYTES:
                raise RecordTooLargeError(
                    f"{name} has {size} bytes, and no more than {MAX_FILE_BYTES} are given at once.",
                    next_step=f"`handrail runs show {run_id}` on the server's machine says where the record is.",
                    name=name,
                    size=size,
                    limit=MAX_FILE_BYTES,
                )
            return _read(handle, size)

    def summary(self, run_id: str) -> bytes | None:
        """The summary that the run wrote, as JSON; None where it wrote none (yet). Raises as `file` does."""
        try:
            return self.file(run_id, _SUMMARY)
        except RecordFileMissingError:
            return None

    def log(self, run_id: str) -> RecordTail:
        """What the run said of where it stands: lines of `{at, message}`.

        Raises:
            OSError: it cannot be read.
        """
        return self._tail(run_id, LOG_FILE, MAX_TAIL_BYTES)

    def steps(self, run_id: str) -> RecordTail:
        """The steps of all trials in order, each a JSON object that names its `trial`.

        Raises:
            OSError: they cannot be read.
        """
        found: list[str] = []
        left = MAX_TAIL_BYTES
        for trial in reversed(self._trials(run_id)):
            tail = self._tail(run_id, f"{trial}/{_TICKS}", left)
            lines = [_of_trial(trial, line) for line in tail.lines]
            found[:0] = [line for line in lines if line is not None]
            left -= sum(len(line) for line in tail.lines)
            if tail.cut or left <= 0:
                return RecordTail(tuple(found), cut=True)
        return RecordTail(tuple(found))

    def _trials(self, run_id: str) -> list[str]:
        """The folders of a run's record in the order of their numbers."""
        try:
            with _folder(self._records, run_id) as handle:
                names = [entry.name for entry in os.scandir(handle) if entry.is_dir(follow_symlinks=False)]
        except OSError as error:
            if error.errno in _ABSENT:
                return []
            raise
        return sorted(names, key=lambda name: (_trial_number(name), name))

    def _tail(self, run_id: str, name: str, limit: int) -> RecordTail:
        try:
            with self._opened(run_id, name) as handle:
                size = os.fstat(handle).st_size
                begin = max(0, size - limit)
                os.lseek(handle, begin, os.SEEK_SET)
                content = _read(handle, limit)
        except RecordFileMissingError:
            return RecordTail()
        # The first line may have lost its beginning to the limit, and the last one its end to a kill.
        lines = content.split(b"\n")[1 if begin else 0 : -1]
        return RecordTail(tuple(line.decode(errors="replace") for line in lines), cut=begin > 0)

    @contextmanager
    def _opened(self, run_id: str, name: str) -> Iterator[int]:
        """A regular file of a run's record."""
        NoRecord().append(name, None)  # which refuses every name under which nothing can be recorded
        *folders, last = name.split("/")
        try:
            with _folder(self._records, run_id, *folders) as folder:
                handle = os.open(last, _FILE_FLAGS, dir_fd=folder)
        except OSError as error:
            if error.errno in _ABSENT:
                raise _missing(name) from None
            raise
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise _missing(name)
            yield handle
        finally:
            os.close(handle)


@contextmanager
def _folder(records: Path, *parts: str) -> Iterator[int]:
    """The folder at the end of these parts, none of which is a link or leads back."""
    if any(part in {"", ".", ".."} or "/" in part or "\0" in part for part in parts):
        raise FileNotFoundError(errno.ENOENT, "No such folder")
    handle = os.open(records, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            inner = os.open(part, _FOLDER_FLAGS, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def _read(handle: int, size: int) -> bytes:
    """Up to `size` bytes from where the file stands."""
    parts: list[bytes] = []
    while size > 0 and (part := os.read(handle, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _trial_number(name: str) -> int:
    number = _TRIAL_NUMBER.search(name)
    return int(number[1]) if number else -1


def _of_trial(trial: str, line: str) -> str | None:
    """A step with the name of its trial; None where a line is none."""
    try:
        step = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return json.dumps({"trial": trial, **step}, ensure_ascii=False) if isinstance(step, dict) else None


def _missing(name: str) -> RecordFileMissingError:
    return RecordFileMissingError(
        f"The record has no file {name}.", next_step="Its summary and its steps say what there is.", name=name
    )
