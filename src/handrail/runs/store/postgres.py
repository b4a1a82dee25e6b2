"""The store in PostgreSQL, for any number of machines."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from handrail.runs.store.database import Dialect, Row, Sql, StoreError, StoreProblem, Value
from handrail.runs.store.schema import SCHEMA, statements

__all__ = ["PostgresDatabase", "open_postgres"]

T = TypeVar("T")

_CONNECT_SECONDS: Final = 5
_STATEMENT_MS: Final = 10_000
_LOCK: Final = 0x68616E64  # any number that nobody else in the database takes
_DIALECT: Final = Dialect(
    serial="BIGSERIAL PRIMARY KEY",
    skip_locked="FOR UPDATE SKIP LOCKED",
    row_lock="FOR UPDATE",
    clock="extract(epoch FROM clock_timestamp())",
    start_lock=f"SELECT pg_advisory_xact_lock({_LOCK})",
)


def open_postgres(url: str) -> "PostgresDatabase":
    """The store in this database, its tables made when they are missing.

    Raises:
        StoreError: it does not answer, or cannot be used.
    """
    database = PostgresDatabase(url)
    try:
        database.prepare()
    except BaseException:
        database.close()
        raise
    return database


class PostgresDatabase:
    """One connection, made anew where it was lost. Made by `open_postgres`."""

    dialect = _DIALECT

    def __init__(self, url: str) -> None:
        self._url = url
        self._where = _shown(url)
        self._lock = threading.RLock()
        self._connection: psycopg.Connection[Row] | None = None

    def prepare(self) -> None:
        """Make the tables, once for all who come at the same time."""
        with self.write() as sql:
            sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
            sql("CREATE TABLE IF NOT EXISTS handrail_schema (version INTEGER NOT NULL)")
            found = sql("SELECT version FROM handrail_schema")
            version = int(found[0][0] or 0) if found else 0
            if version > SCHEMA:
                raise self._error(StoreProblem.NEWER, f"it has shape {version}, and this Handrail knows {SCHEMA}")
            if version < SCHEMA:
                for statement in statements(_DIALECT):
                    sql(statement)
                sql("INSERT INTO handrail_schema (version) VALUES (?)", (SCHEMA,))

    def read(self, statement: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """See `Database`. A connection that was lost meanwhile is made anew, once."""
        with self._lock, self._errors():
            try:
                return _rows(self._connected(), statement, parameters)
            except psycopg.OperationalError:
                if self._connection is not None and not self._connection.broken:
                    raise
                return _rows(self._connected(), statement, parameters)

    @contextmanager
    def write(self) -> Iterator[Sql]:
        """See `Database`."""
        with self._lock, self._errors():
            connection = self._connected()
            with connection.transaction():
                yield lambda statement, parameters=(): _rows(connection, statement, parameters)

    def changes(self) -> None:
        """See `Database`."""

    def close(self) -> None:
        """See `Database`."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()

    def _connected(self) -> psycopg.Connection[Row]:
        if self._connection is None or self._connection.closed or self._connection.broken:
            self._connection = psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=_CONNECT_SECONDS,
                options=f"-c statement_timeout={_STATEMENT_MS} -c lock_timeout={_STATEMENT_MS}",
                application_name="handrail",
            )
        return self._connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self._error(_problem_of(error), " ".join(str(error).split())[:300]) from error

    def _error(self, problem: StoreProblem, detail: str) -> StoreError:
        return StoreError(
            problem,
            f"The store of runs {self._where} cannot be used: {detail}.",
            next_step="See that HANDRAIL_DATABASE_URL names a database that answers and lets its user make tables.",
            where=self._where,
            detail=detail,
        )


def _rows(connection: psycopg.Connection[Row], statement: str, parameters: Sequence[Value]) -> list[Row]:
    cursor = connection.execute(statement.replace("?", "%s").encode(), parameters)
    return cursor.fetchall() if cursor.description else []


def _shown(url: str) -> str:
    """The database without its password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        return "of HANDRAIL_DATABASE_URL"
    return f"{parts.get('dbname', '')} at {parts.get('host', 'the local socket')}"


def _problem_of(error: psycopg.Error) -> StoreProblem:
    if isinstance(error, psycopg.errors.DiskFull):
        return StoreProblem.FULL
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction | psycopg.errors.InsufficientPrivilege):
        return StoreProblem.READ_ONLY
    if isinstance(error, psycopg.errors.LockNotAvailable | psycopg.errors.QueryCanceled):
        return StoreProblem.BUSY
    return StoreProblem.UNREACHABLE if isinstance(error, psycopg.OperationalError) else StoreProblem.UNUSABLE
