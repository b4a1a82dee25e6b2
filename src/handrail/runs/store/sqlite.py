"""The store in a file of the home folder: SQLite with a write-ahead log, every commit on disk."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from handrail.runs.lock import held_lock
from handrail.runs.store.database import Dialect, Row, Sql, StoreError, StoreProblem, Value
from handrail.runs.store.schema import SCHEMA, statements

__all__ = ["SqliteDatabase", "open_sqlite"]

_BUSY_SECONDS: Final = 5.0
_DIALECT: Final = Dialect(serial="INTEGER PRIMARY KEY AUTOINCREMENT")
_NEXT_STEPS: Final = {
    StoreProblem.FULL: "Make room on the disk of the home folder, or set HANDRAIL_HOME to a folder elsewhere.",
    StoreProblem.READ_ONLY: "Make the home folder and its files writable, or set HANDRAIL_HOME to another folder.",
    StoreProblem.BUSY: "Try again: another process holds it.",
    StoreProblem.DAMAGED: "Move the file aside: a new one is made. The records in the folder runs beside it stay.",
    StoreProblem.NEWER: "Install the newest Handrail, or set HANDRAIL_HOME to another folder.",
}


def open_sqlite(path: Path, *, thorough: bool = False) -> "SqliteDatabase":
    """The store in this file, made when it is missing, readable for its owner only.

    Args:
        path: the file; its folder exists.
        thorough: look through the whole file for damage first.

    Raises:
        StoreError: it cannot be used; nothing in it was changed.
    """
    database = SqliteDatabase(path)
    try:
        database.prepare(thorough=thorough)
    except BaseException:
        database.close()
        raise
    return database


class SqliteDatabase:
    """One connection to a file. Made by `open_sqlite`."""

    dialect = _DIALECT

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        with self._errors():
            _make_private(path)
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
            )

    def prepare(self, *, thorough: bool) -> None:
        """Make the file ready, once for all processes that come at the same time."""
        with self._errors(), held_lock(self._path.with_suffix(".lock")):
            if thorough:
                self._look_for_damage()
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._migrate()

    def read(self, statement: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """See `Database`."""
        with self._lock, self._errors():
            return self._connection.execute(statement, parameters).fetchall()

    @contextmanager
    def write(self) -> Iterator[Sql]:
        """See `Database`."""
        with self._lock, self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield lambda statement, parameters=(): self._connection.execute(statement, parameters).fetchall()
            except BaseException:
                self._roll_back()
                raise
            try:
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

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _migrate(self) -> None:
        version = int(self._connection.execute("PRAGMA user_version").fetchone()[0])
        if version == SCHEMA:
            return
        if version > SCHEMA:
            raise self._error(StoreProblem.NEWER, f"it has shape {version}, and this Handrail knows {SCHEMA}")
        with self.write() as sql:
            for statement in statements(_DIALECT):
                sql(statement)
            sql(f"PRAGMA user_version = {SCHEMA}")

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
        except OSError as error:
            problem = StoreProblem.READ_ONLY if isinstance(error, PermissionError) else StoreProblem.UNUSABLE
            raise self._error(problem, error.strerror or type(error).__name__) from error

    def _error(self, problem: StoreProblem, detail: str) -> StoreError:
        return StoreError(
            problem,
            f"The store of runs {self._path} cannot be used: {detail}.",
            next_step=_NEXT_STEPS.get(problem, "Look at the file, or set HANDRAIL_HOME to another folder."),
            where=str(self._path),
            detail=detail,
        )


def _make_private(path: Path) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600))


def _problem_of(error: sqlite3.Error) -> StoreProblem:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return {
        sqlite3.SQLITE_FULL: StoreProblem.FULL,
        sqlite3.SQLITE_READONLY: StoreProblem.READ_ONLY,
        sqlite3.SQLITE_PERM: StoreProblem.READ_ONLY,
        sqlite3.SQLITE_CORRUPT: StoreProblem.DAMAGED,
        sqlite3.SQLITE_NOTADB: StoreProblem.DAMAGED,
        sqlite3.SQLITE_BUSY: StoreProblem.BUSY,
        sqlite3.SQLITE_LOCKED: StoreProblem.BUSY,
    }.get(code, StoreProblem.UNUSABLE)
