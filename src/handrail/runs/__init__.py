"""Runs: started once, kept, and told about in one shape on every face."""

from handrail.runs.durable import DurableEngine
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
from handrail.runs.lifetime import LONGEST_TTL_MS, RUN_TIME_LIMIT, SHORTEST_TTL_MS, granted_ttl_ms, ttl_ms
from handrail.runs.memory import MemoryEngine
from handrail.runs.model import Question, Run, RunPage, RunReason, RunStatus, StartRequest
from handrail.runs.place import RunPlace
from handrail.runs.reader import RecordFileMissingError, RecordTail, RecordTooLargeError, RunRecords
from handrail.runs.record import RecordError, RecordNameError
from handrail.runs.view import ResultText, bounded_view, listed_view, page_view, result_text, run_view

__all__ = [
    "KEPT_FOR",
    "LONGEST_TTL_MS",
    "RUN_TIME_LIMIT",
    "SHORTEST_TTL_MS",
    "CursorError",
    "DurableEngine",
    "EngineClosedError",
    "MemoryEngine",
    "Question",
    "QuestionDeclinedError",
    "QuestionExpiredError",
    "QueueFullError",
    "RecordError",
    "RecordFileMissingError",
    "RecordNameError",
    "RecordTail",
    "RecordTooLargeError",
    "ResultText",
    "Retention",
    "Run",
    "RunBody",
    "RunContext",
    "RunEngine",
    "RunKeyReusedError",
    "RunNotFoundError",
    "RunPage",
    "RunPlace",
    "RunReason",
    "RunRecords",
    "RunStatus",
    "StartRequest",
    "bounded_view",
    "granted_ttl_ms",
    "listed_view",
    "page_view",
    "result_text",
    "run_view",
    "ttl_ms",
]
