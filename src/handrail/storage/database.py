"""What rooms need of a database: rows, and transactions that decide."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from handrail.errors import UnavailableError

__all__ = ["Database", "Dialect", "Row", "Sql", "StoreError", "StoreProblem", "Value", "closing", "one", "storable"]

Value: TypeAlias = str | int | float | None
Row: TypeAlias = tuple[Value, ...]


class StoreProblem(StrEnum):
    """What is wrong with a store."""

    UNUSABLE = "unusable"
    FULL = "full"
    READ_ONLY = "read_only"
    DAMAGED = "damaged"
    BUSY = "busy"
    NEWER = "newer"
    UNREACHABLE = "unreachable"
    DRIVER_MISSING = "driver_missing"

    @property
    def may_pass(self) -> bool:
        """Whether trying again after a while may help."""
        return self in {StoreProblem.BUSY, StoreProblem.FULL, StoreProblem.UNREACHABLE}


class StoreError(UnavailableError):
    """A store cannot be used. `data` holds `problem` (a `StoreProblem`), `where` and `detail`."""

    type = "store_unusable"

    def __init__(self, problem: StoreProblem, message: str, *, next_step: str, where: str, detail: str = "") -> None:
        super().__init__(message, next_step=next_step, problem=problem.value, where=where, detail=detail)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where the SQL of the two databases differs.

    Attributes:
        serial: the type of a key that counts up.
        skip_locked: what a select says that takes a row for itself, leaving those that others are taking.
        row_lock: what a select says that reads a row in order to change it.
        clock: the database's own time in seconds since 1970, or None where every process has the same clock.
        start_lock: a statement that makes starts wait for one another, where a transaction alone does not.
    """

    serial: str
    skip_locked: str = ""
    row_lock: str = ""
    clock: str | None = None
    start_lock: str | None = None


class Sql(Protocol):
    """Runs statements. Parameters stand as `?`."""

    def __call__(self, statement: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """The rows that a statement gives; none where it gives none.

        Raises:
            StoreError: the database cannot be used.
        """


class Database(Protocol):
    """One connection to the database. Safe to be used by several threads, one after the other."""

    @property
    def dialect(self) -> Dialect:
        """Where its SQL differs."""

    def read(self, statement: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """The rows of one statement that changes nothing."""

    def write(self) -> AbstractContextManager[Sql]:
        """A transaction in which whoever reads also decides: all or nothing, on disk when it is left."""

    def changes(self) -> int | None:
        """A number that differs once somebody else has changed something; None where only looking tells."""

    def close(self) -> None:
        """Let go of the connection."""


def one(rows: Sequence[Row]) -> Row | None:
    """The only row, or None."""
    return rows[0] if rows else None


def storable(parameters: Sequence[Value]) -> list[Value]:
    """Parameters that both databases keep alike: what is no Unicode and the NUL character are written out in text."""
    return [_storable_text(value) if isinstance(value, str) else value for value in parameters]


def _storable_text(text: str) -> str:
    if "\0" in text:
        text = text.replace("\0", "\\x00")
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


@contextmanager
def closing(database: Database) -> Iterator[Database]:
    """The database, closed at the end."""
    try:
        yield database
    finally:
        database.close()
