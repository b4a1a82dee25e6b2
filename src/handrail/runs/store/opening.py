"""Which database holds the runs: the one of the setting, else a file in the home folder."""

from pathlib import Path
from typing import Final

from handrail.runs.store.database import Database, StoreError, StoreProblem

__all__ = ["open_store"]

_FILE: Final = "runs.db"


def open_store(home: Path, url: str = "", *, thorough: bool = False) -> Database:
    """The store of runs, made ready.

    Args:
        home: the home folder.
        url: of a PostgreSQL database; empty: a file in the home folder.
        thorough: look through the file for damage first.

    Raises:
        StoreError: it cannot be used.
    """
    if not url:
        from handrail.runs.store.sqlite import open_sqlite  # noqa: PLC0415  (a server loads it with its first run)

        return open_sqlite(home / _FILE, thorough=thorough)
    try:
        from handrail.runs.store.postgres import open_postgres  # noqa: PLC0415  (24 MB that few need)
    except ImportError as error:
        raise StoreError(
            StoreProblem.DRIVER_MISSING,
            "HANDRAIL_DATABASE_URL is set, and the driver for PostgreSQL is not installed.",
            next_step="Install it: pip install 'handrail[postgres]'.",
            where="HANDRAIL_DATABASE_URL",
            detail=str(error),
        ) from error
    return open_postgres(url)
