"""Everything the stand-in remembers, in memory, in wire shape."""

import hashlib
import json
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from handrail.json_types import Json, JsonObject
from handrail.sandbox.faults import FaultKind, Faults

__all__ = [
    "API_KEY",
    "PROJECT_ID",
    "Bucket",
    "Database",
    "Function",
    "RequestRecord",
    "SandboxState",
    "StoredFile",
    "Table",
    "random_id",
    "wire_time",
]

PROJECT_ID = "sandbox"
API_KEY = "sandbox-key"
_LOG_LENGTH = 10_000
_STAMPS = frozenset(
    [
        "$createdAt",
        "$updatedAt",
        "accessedAt",
        "expire",
        "invited",
        "joined",
        "passwordUpdate",
        "registration",
        "userAccessedAt",
    ]
)


def random_id() -> str:
    """A fresh id as `unique()` gives one: 20 hexadecimal digits."""
    return secrets.token_hex(10)


def wire_time(moment: datetime) -> str:
    """A moment as Appwrite writes it: milliseconds and an offset."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Table:
    """One table: its own document, columns by key, indexes by key, rows by id."""

    doc: JsonObject
    columns: dict[str, JsonObject] = field(default_factory=dict)
    indexes: dict[str, JsonObject] = field(default_factory=dict)
    rows: dict[str, JsonObject] = field(default_factory=dict)
    sequence: int = 0
    # How many more reads see a column as `processing`. No data: reading is no change, so the digest leaves it out.
    pending: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Database:
    """One database and its tables by id."""

    doc: JsonObject
    tables: dict[str, Table] = field(default_factory=dict)


@dataclass(slots=True)
class StoredFile:
    """One file; `chunks` maps the first byte's offset to the bytes that have arrived so far."""

    doc: JsonObject
    size: int
    chunks: dict[int, bytes] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every byte has arrived."""
        return sum(len(chunk) for chunk in self.chunks.values()) == self.size

    def content(self) -> bytes:
        """The bytes that have arrived, in order."""
        return b"".join(self.chunks[start] for start in sorted(self.chunks))


@dataclass(slots=True)
class Bucket:
    """One bucket and its files by id."""

    doc: JsonObject
    files: dict[str, StoredFile] = field(default_factory=dict)


@dataclass(slots=True)
class Function:
    """One function and its variables by id."""

    doc: JsonObject
    variables: dict[str, JsonObject] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request that arrived: `status` is None where no answer was given, `fault` what spoiled it, if anything."""

    method: str
    path: str
    status: int | None
    fault: FaultKind | None = None


@dataclass(slots=True)
class SandboxState:
    """The whole stand-in.

    Attributes:
        project_id: the one project it knows.
        keys: API key -> its scopes, None for all scopes.
        clock: where stamps come from.
        new_id: where `unique()` ids come from.
        processing_reads: how many reads of a new column still see it `processing`.
        faults: misbehaviour on demand.
        requests: what arrived, oldest first, the last 10,000.
    """

    project_id: str = PROJECT_ID
    keys: dict[str, frozenset[str] | None] = field(default_factory=lambda: {API_KEY: None})
    clock: Callable[[], datetime] = _now
    new_id: Callable[[], str] = random_id
    processing_reads: int = 0
    faults: Faults = field(default_factory=Faults)
    requests: deque[RequestRecord] = field(default_factory=lambda: deque(maxlen=_LOG_LENGTH))
    users: dict[str, JsonObject] = field(default_factory=dict)
    sessions: dict[str, JsonObject] = field(default_factory=dict)
    teams: dict[str, JsonObject] = field(default_factory=dict)
    memberships: dict[str, JsonObject] = field(default_factory=dict)
    databases: dict[str, Database] = field(default_factory=dict)
    buckets: dict[str, Bucket] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)

    @classmethod
    def seeded(cls) -> Self:
        """A state with something to look at: two users, a team, a shop with products, a file, a function."""
        from handrail.sandbox.seed import seed  # noqa: PLC0415  (the seed uses the services, which use this module)

        state = cls()
        seed(state)
        return state

    def stamp(self) -> str:
        """The present moment as Appwrite writes it."""
        return wire_time(self.clock())

    def digest(self, *, stamps: bool = True) -> str:
        """A hash of all data: it changes when data change, and only then.

        Args:
            stamps: with False, moments such as `$updatedAt` do not count.

        Returns:
            64 hexadecimal digits.
        """
        return hashlib.sha256(json.dumps(self.data(stamps=stamps), sort_keys=True).encode()).hexdigest()

    def data(self, *, stamps: bool = True) -> JsonObject:
        """All data, flat: kind -> id -> document, as in `rows` -> `shop/products/hammer`.

        Args:
            stamps: with False, moments such as `$updatedAt` are left out.

        Returns:
            The documents themselves where stamps stay, copies else. A file's holds the hash of its bytes.
        """
        data: JsonObject = {
            "users": {**self.users},
            "sessions": {**self.sessions},
            "teams": {**self.teams},
            "memberships": {**self.memberships},
            **_databases_data(self.databases),
            "buckets": {key: bucket.doc for key, bucket in self.buckets.items()},
            "files": {
                f"{key}/{file_id}": {**file.doc, "sha256": hashlib.sha256(file.content()).hexdigest()}
                for key, bucket in self.buckets.items()
                for file_id, file in bucket.files.items()
            },
            "functions": {key: function.doc for key, function in self.functions.items()},
            "variables": {
                f"{key}/{variable_id}": variable
                for key, function in self.functions.items()
                for variable_id, variable in function.variables.items()
            },
        }
        return data if stamps else _without_stamps(data)


def _databases_data(databases: dict[str, Database]) -> JsonObject:
    tables = {f"{key}/{table_id}": table for key, one in databases.items() for table_id, table in one.tables.items()}
    return {
        "databases": {key: database.doc for key, database in databases.items()},
        "tables": {path: table.doc for path, table in tables.items()},
        "columns": {f"{path}/{key}": column for path, table in tables.items() for key, column in table.columns.items()},
        "indexes": {f"{path}/{key}": index for path, table in tables.items() for key, index in table.indexes.items()},
        "rows": {f"{path}/{key}": row for path, table in tables.items() for key, row in table.rows.items()},
    }


def _without_stamps(data: JsonObject) -> JsonObject:
    return {key: _value_without_stamps(value) for key, value in data.items() if key not in _STAMPS}


def _value_without_stamps(value: Json) -> Json:
    if isinstance(value, dict):
        return _without_stamps(value)
    if isinstance(value, list):
        return [_value_without_stamps(item) for item in value]
    return value
