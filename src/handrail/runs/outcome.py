"""How a run ended, from what its body did."""

import json
import logging
import traceback
from dataclasses import dataclass, replace
from typing import Final

from handrail.errors import HandrailError, UnavailableError
from handrail.json_types import Json, JsonObject
from handrail.runs.engine import RunBody, RunContext
from handrail.runs.model import RunReason, RunStatus, StartRequest

__all__ = ["Outcome", "ResultTooLargeError", "failed_with", "outcome_of"]

MAX_RESULT_CHARACTERS: Final = 32 * 1024 * 1024
"""The largest result of a run, as JSON."""

_LOG: Final = logging.getLogger(__name__)


class ResultTooLargeError(UnavailableError):
    """A run's result is too large to be kept. `data` holds `size` and `limit` in characters."""

    type = "result_too_large"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A terminal state, before it is set."""

    status: RunStatus
    message: str
    reason: RunReason | None = None
    result: JsonObject | None = None

    def noting(self, remark: str) -> "Outcome":
        """The same end with a remark added to its message."""
        return replace(self, message=f"{self.message} ({remark})")


async def outcome_of(body: RunBody, context: RunContext, request: StartRequest) -> Outcome:
    """Run a body to its end; cancellation passes through.

    An error made for people is shown as it is. Any other says its class alone: its text may hold a secret.
    """
    try:
        return Outcome(RunStatus.COMPLETED, "done", result=_checked(await body(context, request)))
    except Exception as raised:  # noqa: BLE001  (the border of foreign code: whatever it raises ends its run only)
        error = _only_leaf(raised)
        if isinstance(error, HandrailError):
            return failed_with(error)
        _log_crash(context.run_id, error)
        sentence = f"The agent stopped with an internal error ({type(error).__name__})."
        return _failed(sentence, _crash_json(sentence, error))


def failed_with(error: HandrailError) -> Outcome:
    """The end of a run that an error made for people ends."""
    return _failed(error.message, error.as_json())


def _checked(result: JsonObject) -> JsonObject:
    """The result, once it is known to be JSON of a size that every face can carry."""
    size = len(json.dumps(result, ensure_ascii=False, allow_nan=False))
    if size > MAX_RESULT_CHARACTERS:
        raise ResultTooLargeError(
            f"The result has {size} characters, and no more than {MAX_RESULT_CHARACTERS} may be kept.",
            next_step="What the run recorded is in its record. Start it with fewer episodes or steps.",
            size=size,
            limit=MAX_RESULT_CHARACTERS,
        )
    return result


def _failed(message: str, error: JsonObject) -> Outcome:
    return Outcome(RunStatus.FAILED, message, RunReason.CRASHED, {"ok": False, "error": error})


def _crash_json(sentence: str, error: Exception) -> JsonObject:
    data: Json = {"exception": type(error).__name__}
    return {"type": "crashed", "code": None, "message": sentence, "next": None, "data": data}


def _only_leaf(error: Exception) -> Exception:
    """The error itself, also when task groups wrapped it."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _log_crash(run_id: str, error: Exception) -> None:
    where = "".join(traceback.format_tb(error.__traceback__))
    _LOG.error("run %s crashed with %s at\n%s", run_id, type(error).__name__, where)
