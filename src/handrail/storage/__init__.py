"""What rooms keep on disk: SQLite or PostgreSQL behind one face, locks between processes, marks of processes."""

from handrail.storage.database import Database, Dialect, Row, Sql, StoreError, StoreProblem, Value, closing, one
from handrail.storage.lock import held_lock, try_lock
from handrail.storage.opening import open_database
from handrail.storage.process import ProcessMark, is_alive, mark_of, this_process
from handrail.storage.tables import Tables

__all__ = [
    "Database",
    "Dialect",
    "ProcessMark",
    "Row",
    "Sql",
    "StoreError",
    "StoreProblem",
    "Tables",
    "Value",
    "closing",
    "held_lock",
    "is_alive",
    "mark_of",
    "one",
    "open_database",
    "this_process",
    "try_lock",
]
