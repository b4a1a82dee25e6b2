"""What became of a call, in the one shape that every face shows."""

from dataclasses import dataclass
from enum import StrEnum

from handrail.errors import HandrailError
from handrail.json_types import Json, JsonObject
from handrail.protocol.tool import ToolAnswer

__all__ = ["CallResult", "Outcome", "failed", "refused", "tool_answer"]


class Outcome(StrEnum):
    """What became of a call."""

    DONE = "done"
    NEEDS_APPROVAL = "needs_approval"
    REFUSED = "refused"  # nothing was sent
    FAILED = "failed"  # it had no effect, as far as Appwrite says
    UNKNOWN = "unknown"  # a write went out and its answer was lost


@dataclass(frozen=True, slots=True)
class CallResult:
    """What became of one call.

    Attributes:
        tool: the method's tool name, as asked for.
        outcome: what became of it.
        status: the HTTP status, where there was an answer.
        result: Appwrite's JSON, untouched.
        error: `{type, code, message, next}`, or None.
    """

    tool: str
    outcome: Outcome
    status: int | None = None
    result: Json = None
    error: JsonObject | None = None

    def as_json(self) -> JsonObject:
        """The result as every face shows it."""
        return {
            "tool": self.tool,
            "outcome": self.outcome.value,
            "status": self.status,
            "result": self.result,
            "error": self.error,
            "journal_id": None,
            "next_page": None,
        }


def tool_answer(result: CallResult) -> ToolAnswer:
    """The result as a tool answers it; whatever is not done is an error, so that nobody takes it for done."""
    return ToolAnswer(result.as_json(), is_error=result.outcome is not Outcome.DONE)


def refused(tool: str, error: HandrailError) -> CallResult:
    """A call that was not sent."""
    return CallResult(tool, Outcome.REFUSED, error=error.as_json())


def failed(tool: str, error: HandrailError) -> CallResult:
    """A call that did not reach Appwrite, or whose answer cannot be used."""
    return CallResult(tool, Outcome.FAILED, error=error.as_json())
