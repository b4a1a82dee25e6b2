"""The store in a file of the home folder: SQLite with a write-ahead log, every commit on disk."""

import errno
import os
import sqlite3
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from handrail.storage.database import Dialect, Row, Sql, StoreError, StoreProblem, Value, storable
from handrail.storage.lock import held_lock
from handrail.storage.tables import Tables

__all__ = ["SqliteDatabase", "open_sqlite"]

_BUSY_SECONDS: Final = 5.0
_DIALECT: Final = Dialect(serial="INTEGER PRIMARY KEY AUTOINCREMENT")
_NEXT_STEPS: Final = {
    StoreProblem.FULL: "Make room on the disk of the home folder, or set HANDRAIL_HOME to a folder elsewhere.",
    StoreProblem.READ_ONLY: "Make the home folder and its files writable, or set HANDRAIL_HOME to another folder.",
    StoreProblem.BUSY: "Try again: another process holds it.",
    StoreProblem.DAMAGED: "Move the file aside: a new one is made, and nothing else is lost.",
    StoreProblem.NEWER: "Install the newest Handrail, or set HANDRAIL_HOME to another folder.",
}
# A quota and a bound of the process on file sizes are no SQLITE_FULL to SQLite, only a write that failed.
_FAILED_WRITES: Final = frozenset({sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE})
_BY_CODE: Final = {
    sqlite3.SQLITE_FULL: StoreProblem.FULL,
    sqlite3.SQLITE_READONLY: StoreProblem.READ_ONLY,
    sqlite3.SQLITE_PERM: StoreProblem.READ_ONLY,
    sqlite3.SQLITE_CORRUPT: StoreProblem.DAMAGED,
    sqlite3.SQLITE_NOTADB: StoreProblem.DAMAGED,
    sqlite3.SQLITE_BUSY: StoreProblem.BUSY,
    sqlite3.SQLITE_LOCKED: StoreProblem.BUSY,
}
_BY_ERRNO: Final = {
    errno.EACCES: StoreProblem.READ_ONLY,
    errno.EPERM: StoreProblem.READ_ONLY,
    errno.EROFS: StoreProblem.READ_ONLY,
    errno.ENOSPC: StoreProblem.FULL,
    errno.EDQUOT: StoreProblem.FULL,
    errno.EFBIG: StoreProblem.FULL,
}


def open_sqlite(
    path: Path, tables: Tables, *, thorough: bool = False, busy_seconds: float = _BUSY_SECONDS
) -> "SqliteDatabase":
    """The store in this file, made when it is missing, readable for its owner only.

    Args:
        path: the file; its folder exists.
        tables: what is kept in it.
        thorough: look through the whole file for damage first.
        busy_seconds: how long to wait for another process that writes; for one that opens the file, twice as long.

    Raises:
        StoreError: it cannot be used; nothing in it was changed.
    """
    database = SqliteDatabase(path, tables, busy_seconds=busy_seconds)
    try:
        database.prepare(thorough=thorough)
    except BaseException:
        database.close()
        raise
    return database


class SqliteDatabase:
    """One connection to a file. Made by `open_sqlite`."""

    dialect = _DIALECT

    def __init__(self, path: Path, tables: Tables, *, busy_seconds: float) -> None:
        self._path = path
        self._tables = tables
        self._lock = threading.RLock()
        self._busy_seconds = busy_seconds
        with self._alone():
            self._make_file()
            self._connection = sqlite3.connect(
                path, timeout=busy_seconds, isolation_level=None, check_same_thread=False, cached_statements=256
            )

    def prepare(self, *, thorough: bool) -> None:
        """Make the file ready, once for all processes that come at the same time."""
        with self._alone():
            if thorough:
                self._look_for_damage()
            version = self._version()
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            if version < self._tables.version:
                self._make_tables()

    def read(self, statement: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """See `Database`."""
        with self._lock, self._errors():
            return self._rows(statement, parameters)

    @contextmanager
    def write(self) -> Iterator[Sql]:
        """See `Database`."""
        with self._lock, self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._rows
                self._connection.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    def changes(self) -> int:
        """See `Database`."""
        with self._lock, self._errors():
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """See `Database`."""
        with self._lock:
            self._connection.close()

    def _rows(self, statement: str, parameters: Sequence[Value] = ()) -> list[Row]:
        return self._connection.execute(statement, storable(parameters)).fetchall()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While this is open, no other process and no other connection makes the file."""
        with self._errors(), held_lock(self._path.with_suffix(".lock"), seconds=2 * self._busy_seconds):
            yield

    def _make_file(self) -> None:
        # A file that is there is looked at and never opened here: the system drops all of a process's locks on a file
        # when the process closes any descriptor of it, and SQLite's other connections of this process count on theirs.
        try:
            found = self._path.lstat()
        except FileNotFoundError:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            return
        if not stat.S_ISREG(found.st_mode):
            raise self._error(StoreProblem.UNUSABLE, "it is not a plain file")
        if found.st_uid != os.geteuid():
            raise self._error(StoreProblem.UNUSABLE, "it belongs to another user")

    def _version(self) -> int:
        version = int(self._connection.execute("PRAGMA user_version").fetchone()[0])
        if version > self._tables.version:
            known = self._tables.version
            raise self._error(StoreProblem.NEWER, f"it has shape {version}, and this Handrail knows {known}")
        if version == 0 and self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise self._error(StoreProblem.UNUSABLE, "it holds the tables of something else")
        return version

    def _make_tables(self) -> None:
        with self.write() as sql:
            for statement in self._tables.statements(_DIALECT):
                sql(statement)
            sql(f"PRAGMA user_version = {self._tables.version}")

    def _look_for_damage(self) -> None:
        found = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise self._error(StoreProblem.DAMAGED, str(found))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._error(_problem_of(error), str(error)) from error
        except TimeoutError as error:
            raise self._error(StoreProblem.BUSY, "another process is opening it") from error
        except OSError as error:
            problem = _BY_ERRNO.get(error.errno or 0, StoreProblem.UNUSABLE)
            raise self._error(problem, error.strerror or type(error).__name__) from error

    def _error(self, problem: StoreProblem, detail: str) -> StoreError:
        return StoreError(
            problem,
            f"The store of {self._tables.name} {self._path} cannot be used: {detail}.",
            next_step=_NEXT_STEPS.get(problem, "Look at the file, or set HANDRAIL_HOME to another folder."),
            where=str(self._path),
            detail=detail,
        )


def _problem_of(error: sqlite3.Error) -> StoreProblem:
    code = getattr(error, "sqlite_errorcode", 0)
    if code in _FAILED_WRITES:
        return StoreProblem.FULL
    return _BY_CODE.get(code & 0xFF, StoreProblem.UNUSABLE)
