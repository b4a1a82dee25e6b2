"""What a sync has done so far, kept on disk: the documents of a site, and the vectors of texts.

A sync that breaks off goes on from here, and the next one asks and encodes only what is new. It is a help and no more:
one that cannot be read is made anew.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Final

from handrail.docs.fetching import Fetched

__all__ = ["Work", "digest_of", "open_work"]

_FORMAT: Final = 1
_SCHEMA: Final = (
    "CREATE TABLE documents (address TEXT PRIMARY KEY, etag TEXT, last_modified TEXT, content BLOB)",
    "CREATE TABLE vectors (digest BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID",
    f"PRAGMA user_version = {_FORMAT}",
)
_DIGEST_BYTES: Final = 16
_AT_ONCE: Final = 500  # parameters of a statement


def digest_of(text: str) -> bytes:
    """What a text's vector is kept under."""
    return blake2b(text.encode(errors="replace"), digest_size=_DIGEST_BYTES).digest()


class Work:
    """The work of syncs. One thread at a time; what is kept is on disk at once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def fetched(self, address: str) -> Fetched | None:
        """The document of an address as it came last, if it did."""
        statement = "SELECT content, etag, last_modified FROM documents WHERE address = ?"
        row = self._connection.execute(statement, (address,)).fetchone()
        return None if row is None else Fetched(*row)

    def keep_fetched(self, address: str, document: Fetched) -> None:
        """Keep a document."""
        row = (address, document.etag, document.last_modified, document.content)
        self._connection.execute("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?)", row)

    def vectors(self, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        """The vectors that are kept, by the digests of their texts."""
        found: dict[bytes, bytes] = {}
        for at in range(0, len(digests), _AT_ONCE):
            some = digests[at : at + _AT_ONCE]
            holes = ",".join("?" * len(some))
            found.update(
                self._connection.execute(f"SELECT digest, vector FROM vectors WHERE digest IN ({holes})", some)  # noqa: S608  (holes only)
            )
        return found

    def keep_vectors(self, vectors: Mapping[bytes, bytes]) -> None:
        """Keep the vectors of texts."""
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", vectors.items())
        self._connection.execute("COMMIT")

    def keep_only_vectors(self, digests: Iterable[bytes]) -> None:
        """Forget the vectors of all other texts."""
        self._connection.execute("CREATE TEMP TABLE used (digest BLOB PRIMARY KEY)")
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT OR IGNORE INTO used VALUES (?)", ((digest,) for digest in digests))
        self._connection.execute("DELETE FROM vectors WHERE digest NOT IN (SELECT digest FROM used)")
        self._connection.execute("COMMIT")
        self._connection.execute("DROP TABLE used")


@contextmanager
def open_work(path: Path) -> Iterator[Work]:
    """The work in a file, which is made where it is missing, of another format or broken."""
    with closing(_opened(path)) as connection:
        yield Work(connection)


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return _usable(path)
    except sqlite3.DatabaseError:
        for leftover in (path, path.with_name(f"{path.name}-journal")):
            leftover.unlink(missing_ok=True)
        return _usable(path)


def _usable(path: Path) -> sqlite3.Connection:
    """A connection to the file, with its tables.

    Raises:
        sqlite3.DatabaseError: it is broken, or of another format.
    """
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in _SCHEMA:
                connection.execute(statement)
        elif version != _FORMAT:
            raise sqlite3.DatabaseError("another format")  # noqa: TRY301  (one way out for all that is not usable)
        connection.execute("SELECT (SELECT COUNT(*) FROM documents), (SELECT COUNT(*) FROM vectors)").fetchone()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
