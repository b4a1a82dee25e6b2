"""The archives of the journal: files with one row of JSON on each line, compressed, never changed.

A file has its name only once it is whole and on disk; until then it is a `.part` that nobody reads.
"""

import gzip
import json
import os
import re
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, JsonValue, ValidationError

from handrail.errors import HandrailError
from handrail.journal.model import CallOutcome, JournalError, JournalRow
from handrail.journal.rows import Placed

__all__ = ["Archive", "Archives", "Asked"]

_NAME: Final = re.compile(r"journal-([1-9][0-9]{0,8})\.jsonl\.gz")
_LEVEL: Final = 6


@dataclass(frozen=True, slots=True)
class Archive:
    """One file."""

    number: int
    path: Path


@dataclass(frozen=True, slots=True)
class Asked:
    """Which rows of an archive are wanted.

    Attributes:
        owner: only of this one.
        since: only those that began then or later.
        before: only those before this place.
    """

    owner: str | None = None
    since: datetime | None = None
    before: int | None = None

    def fits(self, placed: Placed) -> bool:
        """Whether this one is."""
        return (
            (self.owner is None or placed.row.owner == self.owner)
            and (self.since is None or placed.row.began_at >= self.since)
            and (self.before is None or placed.seq < self.before)
        )


class Archives:
    """The archives in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def newest_first(self) -> list[Archive]:
        """All there are.

        Raises:
            JournalError: the folder cannot be read.
        """
        with _readable(self.folder):
            found = [(entry, _NAME.fullmatch(entry.name)) for entry in self.folder.iterdir()]
        return sorted(
            (Archive(int(name[1]), entry) for entry, name in found if name), key=lambda one: one.number, reverse=True
        )

    def write(self, number: int, rows: Iterable[Placed]) -> tuple[Archive, int]:
        """A new archive of these rows, and the place of its last one; on disk, whole and looked through when given.

        Raises:
            OSError: it cannot be written; nothing of it is left.
            JournalError: what was written does not read back.
        """
        path = self.folder / f"journal-{number}.jsonl.gz"
        part = path.with_name(f".{path.name}.part")
        try:
            written = _write(part, rows)
            _check_whole(part, written)
            part.rename(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _sync_folder(self.folder)
        return Archive(number, path), written.last

    def rows(self, archive: Archive) -> Iterator[Placed]:
        """The rows of an archive, the oldest first.

        Raises:
            JournalError: it is damaged.
        """
        return _rows_of(archive.path)

    def newest(self, archive: Archive, asked: Asked, limit: int) -> list[Placed]:
        """So many of the wanted rows of an archive, the newest first.

        Raises:
            JournalError: it is damaged.
        """
        return [*reversed(deque((one for one in _rows_of(archive.path) if asked.fits(one)), maxlen=limit))]

    def begins_at(self, archive: Archive) -> datetime | None:
        """When the oldest row of an archive began; None where there is none.

        Raises:
            JournalError: it is damaged.
        """
        first = next(_rows_of(archive.path), None)
        return None if first is None else first.row.began_at

    def find(self, start: str, owner: str | None, *, limit: int) -> dict[str, JournalRow]:
        """Rows whose ids begin so, at most so many, by their ids; only of this owner where one is named.

        Raises:
            JournalError: an archive is damaged.
        """
        found: dict[str, JournalRow] = {}
        words = start.encode(errors="replace")
        for archive in self.newest_first():
            for placed in _rows_of(archive.path, holding=words):
                if placed.row.journal_id.startswith(start) and owner in {None, placed.row.owner}:
                    found.setdefault(placed.row.journal_id, placed.row)
                if len(found) == limit:
                    return found
        return found


class _Line(BaseModel, extra="allow"):
    """A line: these, and what was said."""

    __pydantic_extra__: dict[str, JsonValue]

    seq: int
    id: str
    at: datetime
    owner: str
    outcome: CallOutcome
    ended_at: datetime | None = None
    status: int | None = None
    digest: str | None = None

    def placed(self, size: int) -> Placed:
        row = JournalRow(
            self.id,
            self.at,
            self.owner,
            dict(self.__pydantic_extra__),
            self.outcome,
            self.ended_at,
            self.status,
            self.digest,
        )
        return Placed(self.seq, row, size)


@dataclass(frozen=True, slots=True)
class _Tally:
    """How many rows a file has, and the place of the last one."""

    rows: int = 0
    last: int = 0

    @classmethod
    def of(cls, rows: Iterable[Placed]) -> Self:
        tally = cls()
        for placed in rows:
            tally = cls(tally.rows + 1, placed.seq)
        return tally


def _write(path: Path, rows: Iterable[Placed]) -> _Tally:
    """Write a new file to disk."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=_LEVEL, mtime=0) as packed:
            tally = _Tally.of(_written_to(packed, rows))
        file.flush()
        os.fsync(file.fileno())
    return tally


def _check_whole(path: Path, written: _Tally) -> None:
    found = _Tally.of(_rows_of(path))
    if found != written:
        raise _unreadable(path, f"of {written.rows} rows {found.rows} read back")


def _written_to(file: gzip.GzipFile, rows: Iterable[Placed]) -> Iterator[Placed]:
    for placed in rows:
        file.write(_line(placed))
        yield placed


def _line(placed: Placed) -> bytes:
    return json.dumps({"seq": placed.seq, **placed.row.as_json()}, ensure_ascii=False).encode() + b"\n"


def _rows_of(path: Path, *, holding: bytes = b"") -> Iterator[Placed]:
    with _readable(path), gzip.open(path) as file:
        if path.stat().st_size == 0:  # no archive: the smallest has a header
            raise EOFError
        for line in file:
            if holding in line:
                yield _Line.model_validate_json(line).placed(len(line))


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except HandrailError:
        raise
    except (OSError, EOFError, zlib.error, ValidationError) as error:
        problem = error.strerror if isinstance(error, OSError) and error.strerror else "it is damaged"
        raise _unreadable(path, problem) from error


def _unreadable(path: Path, problem: str) -> JournalError:
    return JournalError(
        f"The archive {path} of the journal cannot be read: {problem}.",
        next_step="Make it readable, or move it aside to read the others.",
        problem="unreadable",
        where=str(path),
    )


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
