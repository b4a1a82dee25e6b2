"""Runs: started once, kept, and told about in one shape on every face."""

from handrail.runs.engine import (
    QueueFullError,
    RunBody,
    RunContext,
    RunEngine,
    RunKeyReusedError,
    RunNotFoundError,
)
from handrail.runs.model import Question, Run, RunPage, RunReason, RunStatus, StartRequest
from handrail.runs.view import run_view

__all__ = [
    "Question",
    "QueueFullError",
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
    "run_view",
]
