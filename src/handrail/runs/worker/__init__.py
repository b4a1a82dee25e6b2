"""The worker: takes runs from the store and does each in a process group of its own."""

from handrail.runs.worker.child import run_child
from handrail.runs.worker.link import WorkerLink, WorkerSilentError, WorkerUnavailableError
from handrail.runs.worker.messages import Order, OrderKind, WorkerState
from handrail.runs.worker.serve import serve_worker
from handrail.runs.worker.work import WorkerLimits

__all__ = [
    "Order",
    "OrderKind",
    "WorkerLimits",
    "WorkerLink",
    "WorkerSilentError",
    "WorkerState",
    "WorkerUnavailableError",
    "run_child",
    "serve_worker",
]
