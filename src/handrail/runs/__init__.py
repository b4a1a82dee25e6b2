"""Runs: started once, kept, and told about in one shape on every face."""

from handrail.runs.engine import (
    EngineClosedError,
    QuestionDeclinedError,
    QuestionExpiredError,
    QueueFullError,
    RunBody,
    RunContext,
    RunEngine,
    RunKeyReusedError,
    RunNotFoundError,
)
from handrail.runs.ledger import KEPT_FOR, CursorError, Retention
from handrail.runs.memory import MemoryEngine
from handrail.runs.model import Question, Run, RunPage, RunReason, RunStatus, StartRequest
from handrail.runs.record import RecordError, RecordNameError
from handrail.runs.stored import RecordUnreadableError, StoredRuns, list_records, prune_records, read_record
from handrail.runs.view import run_view

__all__ = [
    "KEPT_FOR",
    "CursorError",
    "EngineClosedError",
    "MemoryEngine",
    "Question",
    "QuestionDeclinedError",
    "QuestionExpiredError",
    "QueueFullError",
    "RecordError",
    "RecordNameError",
    "RecordUnreadableError",
    "Retention",
    "Run",
    "RunBody",
    "RunContext",
    "RunEngine",
    "RunKeyReusedError",
    "RunNotFoundError",
    "RunPage",
    "RunReason",
    "RunStatus",
    "StartRequest",
    "StoredRuns",
    "list_records",
    "prune_records",
    "read_record",
    "run_view",
]
