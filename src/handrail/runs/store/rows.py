"""A run as a row of the table, and back."""

import json
from datetime import UTC, datetime
from typing import Final

from handrail.json_types import Json, JsonObject
from handrail.runs.model import Question, Run, RunReason, RunStatus
from handrail.storage.database import Row

__all__ = ["BRIEF", "LIVE", "WHOLE", "as_json", "json_object", "moment", "question_json", "questions_of", "run_of"]

LIVE: Final = "status IN ('working', 'input_required')"

_BRIEF: Final = (
    "run_id", "agent", "owner", "status", "created_at", "updated_at", "revision", "message", "reason", "questions",
    "run_key", "arguments", "started_by", "ttl_ms", "attempt", "kept",
)  # fmt: skip
BRIEF: Final = ", ".join((*_BRIEF, "NULL"))
"""The columns of a run without its result, which may be large."""
WHOLE: Final = ", ".join((*_BRIEF, "result"))
"""The columns of a run."""


def run_of(row: Row) -> Run:
    """The run of a row that has the columns of `BRIEF` or `WHOLE`."""
    found = dict(zip((*_BRIEF, "result"), row, strict=True))
    return Run(
        run_id=str(found["run_id"]),
        agent=str(found["agent"]),
        owner=str(found["owner"]),
        status=RunStatus(str(found["status"])),
        created_at=_time(found["created_at"]),
        updated_at=_time(found["updated_at"]),
        revision=int(found["revision"] or 0),
        message=str(found["message"]),
        reason=RunReason(str(found["reason"])) if found["reason"] else None,
        result=json_object(found["result"]) if found["result"] is not None else None,
        questions=questions_of(found["questions"]),
        run_key=None if found["run_key"] is None else str(found["run_key"]),
        arguments=json_object(found["arguments"]),
        started_by=str(found["started_by"]),
        ttl_ms=None if found["ttl_ms"] is None else int(found["ttl_ms"]),
        attempt=int(found["attempt"] or 1),
        kept=bool(found["kept"]),
    )


def moment(time: datetime) -> float:
    """A time as the table keeps it: seconds since 1970."""
    return time.timestamp()


def as_json(document: Json) -> str:
    """A document as the table keeps it: plain JSON. What is no Unicode is replaced, as in the records."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()


def json_object(text: object) -> JsonObject:
    """A JSON object that the table keeps."""
    found = json.loads(str(text))
    if not isinstance(found, dict):
        raise TypeError("The store keeps an object here")
    return found


def question_json(question: Question) -> JsonObject:
    """A question as the table keeps it."""
    return {"key": question.key, "message": question.message, "schema": question.schema}


def questions_of(text: object) -> tuple[Question, ...]:
    """The questions that the table keeps in one field."""
    return tuple(Question(item["key"], item["message"], item["schema"]) for item in json.loads(str(text)))


def _time(seconds: object) -> datetime:
    return datetime.fromtimestamp(float(str(seconds)), UTC)
