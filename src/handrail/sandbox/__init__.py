"""A local stand-in for Appwrite: the same routes, errors and shapes, in memory, without an account."""

from handrail.sandbox.faults import Fault, FaultKind, Faults
from handrail.sandbox.serve import Sandbox, SandboxPortError, create_app, serve_sandbox
from handrail.sandbox.state import API_KEY, PROJECT_ID, RequestRecord, SandboxState
from handrail.sandbox.state_file import SandboxStateFileError

__all__ = [
    "API_KEY",
    "PROJECT_ID",
    "Fault",
    "FaultKind",
    "Faults",
    "RequestRecord",
    "Sandbox",
    "SandboxPortError",
    "SandboxState",
    "SandboxStateFileError",
    "create_app",
    "serve_sandbox",
]
