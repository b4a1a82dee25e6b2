"""Opens what a room keeps: in a PostgreSQL database where there is one, else in a file."""

from pathlib import Path

from handrail.storage.database import Database, StoreError, StoreProblem
from handrail.storage.tables import Tables

__all__ = ["open_database"]


def open_database(path: Path, tables: Tables, url: str = "", *, thorough: bool = False) -> Database:
    """The database of a room, made ready.

    Args:
        path: a file of the home folder.
        tables: what is kept in it.
        url: of a PostgreSQL database, which takes the place of the file; empty: the file.
        thorough: look through the file for damage first.

    Raises:
        StoreError: it cannot be used.
    """
    if not url:
        from handrail.storage.sqlite import open_sqlite  # noqa: PLC0415  (a server loads it with its first use)

        return open_sqlite(path, tables, thorough=thorough)
    try:
        from handrail.storage.postgres import open_postgres  # noqa: PLC0415  (24 MB that few need)
    except ImportError as error:
        raise StoreError(
            StoreProblem.DRIVER_MISSING,
            "HANDRAIL_DATABASE_URL is set, and the driver for PostgreSQL is not installed.",
            next_step="Install it: pip install 'handrail[postgres]'.",
            where="HANDRAIL_DATABASE_URL",
            detail=str(error),
        ) from error
    return open_postgres(url, tables)
