"""Where the runs are: in the database of the setting, else in a file in the home folder."""

from pathlib import Path
from typing import Final

from handrail.runs.store.schema import SCHEMA, statements
from handrail.storage import Database, Tables, open_database

__all__ = ["TABLES", "open_store"]

TABLES: Final = Tables("runs", SCHEMA, statements)
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
    return open_database(home / _FILE, TABLES, url, thorough=thorough)
