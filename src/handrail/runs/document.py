"""What `run.json` holds, parsed. Apart from its readers because making the models takes longer than reading."""

from typing import TypeAlias

from pydantic import AwareDatetime, BaseModel, Field, JsonValue, ValidationError

from handrail.runs.model import Question, Run, RunReason, RunStatus
from handrail.runs.process import ProcessMark

__all__ = ["DocumentError", "parse_run"]

DocumentError: TypeAlias = ValidationError


class _Process(BaseModel):
    pid: int
    started: str


class _Question(BaseModel):
    key: str
    message: str
    schema_: dict[str, JsonValue] = Field(alias="schema")


class _RunDocument(BaseModel):
    run_id: str
    agent: str
    owner: str
    run_key: str | None
    status: RunStatus
    reason: RunReason | None
    message: str
    created_at: AwareDatetime
    updated_at: AwareDatetime
    revision: int
    arguments: dict[str, JsonValue]
    result: dict[str, JsonValue] | None
    questions: list[_Question] = []
    process: _Process


def parse_run(content: bytes) -> tuple[Run, ProcessMark]:
    """The run of a `run.json`, and the process that ran it.

    Raises:
        DocumentError: it is not what `run_document` writes.
    """
    found = _RunDocument.model_validate_json(content)
    fields = {name: getattr(found, name) for name in _RunDocument.model_fields if name not in {"process", "questions"}}
    questions = tuple(Question(q.key, q.message, q.schema_) for q in found.questions)
    return Run(**fields, questions=questions), ProcessMark(found.process.pid, found.process.started)
