"""One attempt of a run as the process sees it that does it. What an attempt says after its time is lost."""

import json
from datetime import datetime

from handrail.json_types import Json
from handrail.runs.model import Question, Run, RunStatus
from handrail.runs.outcome import Outcome
from handrail.runs.store.ledger import end_run
from handrail.runs.store.rows import LIVE, WHOLE, as_json, json_object, moment, question_json, questions_of, run_of
from handrail.storage.database import Database, Row, Sql, one

__all__ = ["RunAttempt"]

_OURS = f"run_id = ? AND attempt = ? AND {LIVE}"


class RunAttempt:
    """One attempt of one run.

    Args:
        database: holds the run.
        run_id: the run.
        attempt: the attempt.
    """

    def __init__(self, database: Database, run_id: str, attempt: int) -> None:
        self._database = database
        self._run_id = run_id
        self._attempt = attempt

    def run(self) -> Run | None:
        """The run, or None where it has ended or another attempt has begun."""
        row = one(self._database.read(f"SELECT {WHOLE} FROM runs WHERE {_OURS}", self._key()))
        return None if row is None else run_of(row)

    def is_live(self) -> bool:
        """Whether the run has not ended and is still at this attempt."""
        return bool(self._database.read(f"SELECT 1 FROM runs WHERE {_OURS}", self._key()))

    def report(self, message: str, now: datetime) -> Run | None:
        """Say where the run stands; the run then, or None where it is no longer this attempt's."""
        with self._database.write() as sql:
            return self._update(sql, now, "message = ?", message)

    def ask(self, message: str, schema: Json, now: datetime) -> tuple[str, Run] | None:
        """Add a question; its key and the run then, or None where it is no longer this attempt's."""
        with self._database.write() as sql:
            row = self._locked(sql, "asked, questions")
            if row is None:
                return None
            number = int(row[0] or 0) + 1
            asked = Question(f"q{number}", message, schema if isinstance(schema, dict) else {})
            questions: Json = [question_json(question) for question in (*questions_of(row[1]), asked)]
            run = self._update(
                sql, now, "asked = ?, questions = ?, status = ?", number, as_json(questions), RunStatus.INPUT_REQUIRED
            )
            return None if run is None else (asked.key, run)

    def answers(self) -> dict[str, Json] | None:
        """What was answered and not taken away yet, by key: `{value}` or `{declined}`. None where the run is over."""
        row = one(self._database.read(f"SELECT answers FROM runs WHERE {_OURS}", self._key()))
        return None if row is None else json_object(row[0])

    def withdraw(self, key: str, now: datetime) -> Run | None:
        """Take a question and its answer away; the run then, or None where it is no longer this attempt's."""
        with self._database.write() as sql:
            row = self._locked(sql, "questions, answers")
            if row is None:
                return None
            left: list[Json] = [question_json(question) for question in questions_of(row[0]) if question.key != key]
            answers = {name: value for name, value in json_object(row[1]).items() if name != key}
            status = RunStatus.INPUT_REQUIRED if left else RunStatus.WORKING
            return self._update(
                sql, now, "questions = ?, answers = ?, status = ?", as_json(left), as_json(answers), status
            )

    def save(self, name: str, document: Json) -> bool:
        """Keep a finished part of the work for a later attempt. False where the run is no longer this attempt's."""
        with self._database.write() as sql:
            if self._locked(sql, "seq") is None:
                return False
            sql(
                "INSERT INTO saved (run_id, name, document) VALUES (?, ?, ?) "
                "ON CONFLICT (run_id, name) DO UPDATE SET document = excluded.document",
                (self._run_id, name, as_json(document)),
            )
            return True

    def saved(self) -> dict[str, Json]:
        """What this and earlier attempts saved, by name."""
        rows = self._database.read("SELECT name, document FROM saved WHERE run_id = ?", (self._run_id,))
        return {str(name): json.loads(str(document)) for name, document in rows}

    def end(self, outcome: Outcome, now: datetime) -> Run | None:
        """End the run; the run as this ended it, or None where it was not for this attempt to end it."""
        with self._database.write() as sql:
            return end_run(sql, self._run_id, outcome, now, attempt=self._attempt)

    def _key(self) -> tuple[str, int]:
        return self._run_id, self._attempt

    def _locked(self, sql: Sql, columns: str) -> Row | None:
        lock = self._database.dialect.row_lock
        return one(sql(f"SELECT {columns} FROM runs WHERE {_OURS} {lock}", self._key()))

    def _update(self, sql: Sql, now: datetime, change: str, *values: str | int) -> Run | None:
        row = one(
            sql(
                f"UPDATE runs SET {change}, revision = revision + 1, "
                f"updated_at = CASE WHEN updated_at > ? THEN updated_at ELSE ? END WHERE {_OURS} RETURNING {WHOLE}",
                (*values, moment(now), moment(now), *self._key()),
            )
        )
        return None if row is None else run_of(row)
