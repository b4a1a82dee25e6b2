"""The store in PostgreSQL, for any number of machines."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

import psycopg

from handrail.storage.address import completed_address, shown_address
from handrail.storage.bounded import BoundedConnection
from handrail.storage.database import Dialect, Row, Sql, StoreError, StoreProblem, Value, storable
from handrail.storage.tables import Tables

__all__ = ["PostgresDatabase", "open_postgres"]

_CONNECT_SECONDS: Final = 5.0
_ANSWER_SECONDS: Final = 20.0  # longer than a statement may take
_STATEMENT_MS: Final = 10_000
_LOCK: Final = 0x68616E64  # any number that nobody else in the database takes
_DIALECT: Final = Dialect(
    serial="BIGSERIAL PRIMARY KEY",
    skip_locked="FOR UPDATE SKIP LOCKED",
    row_lock="FOR UPDATE",
    clock="extract(epoch FROM clock_timestamp())",
    start_lock=f"SELECT pg_advisory_xact_lock({_LOCK})",
)
_SESSION: Final = (
    f"SET statement_timeout = {_STATEMENT_MS}; SET lock_timeout = {_STATEMENT_MS}; "
    f"SET idle_in_transaction_session_timeout = {_STATEMENT_MS}; "
    "SET default_transaction_isolation = 'read committed'"
)
_ENCODINGS: Final = frozenset({"UTF8", "SQL_ASCII"})  # that keep every character, or whatever bytes they are given
_NEXT_STEPS: Final = {
    StoreProblem.NEWER: "Install the newest Handrail, or name another database in HANDRAIL_DATABASE_URL.",
    StoreProblem.FULL: "Make room on the disk of the database's server.",
    StoreProblem.BUSY: "Try again: others hold it.",
}
# What libpq says of a connection that fails may repeat any part of the address, of a mistyped one its password too. So
# its words are looked at and never shown.
_FAILURES: Final = {
    "timeout expired": "it does not answer",
    "Connection refused": "nothing listens there",
    "No such file or directory": "no server has its socket there",
    "authentication failed": "it refuses this user or password",
    "no password supplied": "it asks for a password and the address has none",
    "translate host name": "its host has no address",
    "does not exist": "it has no such user or database",
    "too many": "it takes no more connections",
    "remaining connection slots": "it takes no more connections",
    "starting up": "it is just starting or stopping",
    "shutting down": "it is just starting or stopping",
    "certificate": "its certificate is not accepted",
}
_BY_STATE: Final = {
    "42501": StoreProblem.READ_ONLY,
    "25006": StoreProblem.READ_ONLY,
    "53100": StoreProblem.FULL,
    "53200": StoreProblem.BUSY,
    "53300": StoreProblem.BUSY,
    "55P03": StoreProblem.BUSY,
    "57014": StoreProblem.BUSY,
    "40001": StoreProblem.BUSY,
    "40P01": StoreProblem.BUSY,
    "25P03": StoreProblem.UNREACHABLE,
}
_UNREACHABLE_CLASSES: Final = frozenset({"08", "57"})


def open_postgres(
    url: str,
    tables: Tables,
    *,
    connect_seconds: float = _CONNECT_SECONDS,
    answer_seconds: float = _ANSWER_SECONDS,
) -> "PostgresDatabase":
    """The store in this database, its tables made when they are missing.

    Args:
        url: its address, as libpq takes it.
        tables: what is kept in it, beside what other rooms keep there.
        connect_seconds: how long to wait for a connection; libpq counts whole seconds, and never fewer than two.
        answer_seconds: how long to wait for the answer to one statement.

    Raises:
        StoreError: it does not answer, or cannot be used.
    """
    database = PostgresDatabase(url, tables, connect_seconds=connect_seconds, answer_seconds=answer_seconds)
    try:
        database.prepare()
    except BaseException:
        database.close()
        raise
    return database


class PostgresDatabase:
    """One connection, made anew where it was lost. Made by `open_postgres`."""

    dialect = _DIALECT

    def __init__(self, url: str, tables: Tables, *, connect_seconds: float, answer_seconds: float) -> None:
        self._tables = tables
        self._versions = f"{tables.name}_schema"
        self._where = shown_address(url)
        self._url = url
        self._connect_seconds = connect_seconds
        self._answer_seconds = answer_seconds
        self._lock = threading.RLock()
        self._connection: BoundedConnection | None = None

    def prepare(self) -> None:
        """Make the tables, once for all who come at the same time."""
        encoding = self.read("SHOW server_encoding")[0][0]
        if encoding not in _ENCODINGS:
            raise self._error(StoreProblem.UNUSABLE, f"it keeps text as {encoding} and not as UTF8")
        if self._version() != self._tables.version:
            with self.write() as sql:
                sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
                self._make_tables(sql)

    def read(self, statement: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """See `Database`. A connection that was lost meanwhile is made anew, once."""
        with self._lock, self._errors():
            connection = self._connected()
            try:
                return _rows(connection, statement, parameters)
            except psycopg.OperationalError:
                if not connection.broken:
                    raise
            return _rows(self._connected(), statement, parameters)

    @contextmanager
    def write(self) -> Iterator[Sql]:
        """See `Database`. A connection that was lost meanwhile is made anew, once; never within the transaction."""
        with self._lock, self._errors(), ExitStack() as transaction:
            connection = self._begun(transaction)
            yield lambda statement, parameters=(): _rows(connection, statement, parameters)

    def changes(self) -> None:
        """See `Database`."""

    def close(self) -> None:
        """See `Database`."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()

    def _version(self) -> int:
        """The number of the tables that there are; 0 where there are none."""
        if self.read("SELECT to_regclass(?)", (self._versions,))[0][0] is None:
            return 0
        return self._known(self.read(f"SELECT version FROM {self._versions}"))

    def _known(self, rows: Sequence[Row]) -> int:
        version = int(rows[0][0] or 0) if rows else 0
        if version > self._tables.version:
            known = self._tables.version
            raise self._error(StoreProblem.NEWER, f"it has shape {version}, and this Handrail knows {known}")
        return version

    def _make_tables(self, sql: Sql) -> None:
        sql(f"CREATE TABLE IF NOT EXISTS {self._versions} (version INTEGER NOT NULL)")
        if self._known(sql(f"SELECT version FROM {self._versions}")) == self._tables.version:
            return
        for statement in self._tables.statements(_DIALECT):
            sql(statement)
        sql(f"INSERT INTO {self._versions} (version) VALUES (?)", (self._tables.version,))

    def _begun(self, stack: ExitStack) -> psycopg.Connection[Row]:
        """A connection in a transaction that ends with the stack."""
        connection = self._connected()
        try:
            stack.enter_context(connection.transaction())
        except psycopg.OperationalError:
            if not connection.broken:
                raise
            connection = self._connected()
            stack.enter_context(connection.transaction())
        return connection

    def _connected(self) -> BoundedConnection:
        if self._connection is None or self._connection.closed:
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> BoundedConnection:
        address = completed_address(self._url, connect_seconds=self._connect_seconds)
        if address is None:
            raise self._error(StoreProblem.UNUSABLE, "the address is none of a PostgreSQL database")
        try:
            connection = BoundedConnection.connect(address, autocommit=True)
        except psycopg.Error as error:
            words = next((shown for said, shown in _FAILURES.items() if said in str(error)), "no connection is made")
            raise self._error(StoreProblem.UNREACHABLE, words) from None
        connection.answer_seconds = self._answer_seconds
        connection.execute(_SESSION)
        return connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            said = error.diag.message_primary or f"the connection was lost ({type(error).__name__})"
            raise self._error(_problem_of(error), said) from error

    def _error(self, problem: StoreProblem, detail: str) -> StoreError:
        usual = "See that HANDRAIL_DATABASE_URL names a database of its own that answers and lets its user make tables."
        return StoreError(
            problem,
            f"The store of {self._tables.name} {self._where} cannot be used: {detail}.",
            next_step=_NEXT_STEPS.get(problem, usual),
            where=self._where,
            detail=detail,
        )


def _rows(connection: psycopg.Connection[Row], statement: str, parameters: Sequence[Value]) -> list[Row]:
    cursor = connection.execute(statement.replace("?", "%s").encode(), storable(parameters))
    return cursor.fetchall() if cursor.description else []


def _problem_of(error: psycopg.Error) -> StoreProblem:
    state = error.sqlstate or ""
    if state in _BY_STATE:
        return _BY_STATE[state]
    lost = isinstance(error, psycopg.OperationalError) and not state
    return StoreProblem.UNREACHABLE if lost or state[:2] in _UNREACHABLE_CLASSES else StoreProblem.UNUSABLE
