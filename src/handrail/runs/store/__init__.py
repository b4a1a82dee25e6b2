"""The store of runs: one table that decides, in SQLite or PostgreSQL."""

from handrail.runs.store.attempt import RunAttempt
from handrail.runs.store.ledger import StoredLedger
from handrail.runs.store.opening import open_store
from handrail.runs.store.queue import MAX_ATTEMPTS, Claim, Held, RunQueue, WorkerMark
from handrail.storage import Database, StoreError, StoreProblem

__all__ = [
    "MAX_ATTEMPTS",
    "Claim",
    "Database",
    "Held",
    "RunAttempt",
    "RunQueue",
    "StoreError",
    "StoreProblem",
    "StoredLedger",
    "WorkerMark",
    "open_store",
]
