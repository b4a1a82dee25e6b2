"""The appwrite toolset: the whole Appwrite API behind a few public tools.

find the method (catalog) -> check its arguments -> judge its effect -> decide -> plan -> send -> say what became of it
"""

from handrail.appwrite.backend import Backend
from handrail.appwrite.calls import Calls
from handrail.appwrite.outcome import CallResult, Outcome
from handrail.appwrite.tools import AppwriteToolset
from handrail.appwrite.transport import Limits, Transport, open_transport

__all__ = [
    "AppwriteToolset",
    "Backend",
    "CallResult",
    "Calls",
    "Limits",
    "Outcome",
    "Transport",
    "open_transport",
]
