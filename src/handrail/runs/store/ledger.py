"""The runs of a store as the faces see them: started, found, listed, ended, answered, kept, forgotten.

A run's state is decided here and nowhere else: each change is one statement that also says from which state, so of two
that race one finds nothing left to change.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from handrail.arguments import ArgumentChecker, short_name
from handrail.json_types import Json
from handrail.runs.engine import RunKeyReusedError, RunNotFoundError, queue_full
from handrail.runs.ledger import cursor_number, new_run_id
from handrail.runs.model import Run, RunPage, RunReason, RunStatus, StartRequest
from handrail.runs.outcome import Outcome
from handrail.runs.store.rows import (
    BRIEF,
    LIVE,
    WHOLE,
    as_json,
    json_object,
    moment,
    question_json,
    questions_of,
    run_of,
)
from handrail.storage.database import Database, Sql, one, storable

__all__ = ["StoredLedger", "end_run"]

_PAGE_LIMIT: Final = 200
_REJECTED_KEPT: Final = 100
_NAMED_AT_ONCE: Final = 1000  # runs in one statement: databases bound how many parameters it may have
_LARGEST: Final = 2**63 - 1  # that the databases can keep
_NEW_COLUMNS: Final = (
    "run_id, owner, agent, arguments, run_key, started_by, resumable, needs_environment, ttl_ms, status, reason, "
    "message, result, questions, answers, asked, created_at, updated_at, revision, attempt, kept"
)


class StoredLedger:
    """The runs of one store.

    Args:
        database: holds them.
        age: how long an ended run is kept.
    """

    def __init__(self, database: Database, *, age: timedelta) -> None:
        self.database = database
        self._age = age

    def add(self, request: StartRequest, now: datetime, *, limit: int) -> Run:
        """A new run in the state `working`, or the one that was started with the same `run_key`.

        Raises:
            QueueFullError: `limit` runs wait or work.
            RunKeyReusedError: the key belongs to a run with other arguments.
        """
        with self.database.write() as sql:
            if self.database.dialect.start_lock:
                sql(self.database.dialect.start_lock)
            same = self._same_start(sql, request, now)
            if same is not None:
                return same
            _check_room(sql, limit)
            return _insert(sql, request, now, Outcome(RunStatus.WORKING, "queued"))

    def add_rejected(self, request: StartRequest, now: datetime, outcome: Outcome) -> Run:
        """A run that ended before it began. It has no `run_key`. Of these, an owner's last hundred are kept."""
        with self.database.write() as sql:
            run = _insert(sql, replace(request, run_key=None), now, outcome)
            sql(
                "DELETE FROM runs WHERE owner = ? AND reason = ? AND kept = 0 AND seq NOT IN "
                "(SELECT seq FROM runs WHERE owner = ? AND reason = ? ORDER BY seq DESC LIMIT ?)",
                (run.owner, RunReason.REJECTED, run.owner, RunReason.REJECTED, _REJECTED_KEPT),
            )
            return run

    def get(self, run_id: str, owner: str, now: datetime) -> Run:
        """The owner's run.

        Raises:
            RunNotFoundError: unknown, another owner's, or over the time that it was kept.
        """
        run = one(self.database.read(f"SELECT {WHOLE} FROM runs WHERE run_id = ? AND owner = ?", (run_id, owner)))
        if run is None or self._is_over(found := run_of(run), now):
            raise _not_found(run_id)
        return found

    def page(self, owner: str, now: datetime, *, limit: int, cursor: str | None) -> RunPage:
        """Some of the owner's runs without their results, newest first.

        Raises:
            CursorError: the cursor is not one of ours.
        """
        size = max(1, min(limit, _PAGE_LIMIT))
        below, values = ("", []) if cursor is None else (" AND seq < ?", [min(cursor_number(cursor), _LARGEST)])
        rows = self.database.read(
            f"SELECT {BRIEF}, seq FROM runs WHERE owner = ?{below} "
            f"AND (kept = 1 OR updated_at >= ? OR {LIVE}) ORDER BY seq DESC LIMIT ?",
            (owner, *values, moment(now - self._age), size + 1),
        )
        shown = rows[:size]
        more = len(rows) > size
        return RunPage(tuple(run_of(row[:-1]) for row in shown), str(shown[-1][-1]) if more else None)

    def end(self, run_id: str, owner: str, outcome: Outcome, now: datetime) -> Run:
        """End the owner's run unless it has ended; the run as it is then.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """
        self.get(run_id, owner, now)
        with self.database.write() as sql:
            ended = end_run(sql, run_id, outcome, now)
        return ended or self.get(run_id, owner, now)

    def end_waiting(self, run_id: str, outcome: Outcome, now: datetime) -> Run | None:
        """End a run that no worker has taken; the run as this ended it, or None."""
        with self.database.write() as sql:
            lock = self.database.dialect.row_lock
            waits = sql(f"SELECT 1 FROM runs WHERE run_id = ? AND worker IS NULL {lock}", (run_id,))
            return end_run(sql, run_id, outcome, now) if waits else None

    def answer(self, run_id: str, owner: str, answers: Mapping[str, Json], now: datetime) -> Run:
        """Take answers to open questions, all or none; unknown keys are ignored.

        Raises:
            ArgumentError: an answer does not fit its question's schema.
            RunNotFoundError: unknown, or another owner's.
        """
        return self._settle(run_id, owner, {key: {"value": value} for key, value in answers.items()}, now)

    def decline(self, run_id: str, owner: str, keys: Collection[str], now: datetime) -> Run:
        """Say of open questions that they stay unanswered; unknown keys are ignored.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """
        return self._settle(run_id, owner, {key: {"declined": True} for key in keys}, now)

    def keep(self, run_id: str, owner: str, now: datetime, *, kept: bool) -> Run:
        """Keep the owner's run for ever, or no longer than others.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """
        self.get(run_id, owner, now)
        with self.database.write() as sql:
            sql(
                "UPDATE runs SET kept = ?, revision = revision + 1 WHERE run_id = ? AND kept <> ?",
                (int(kept), run_id, int(kept)),
            )
        return self.get(run_id, owner, now)

    def revisions(self, run_ids: Sequence[str]) -> dict[str, int]:
        """The revision of each of these runs that there is."""
        found: dict[str, int] = {}
        for start in range(0, len(run_ids), _NAMED_AT_ONCE):
            named = run_ids[start : start + _NAMED_AT_ONCE]
            marks = ", ".join("?" * len(named))
            rows = self.database.read(f"SELECT run_id, revision FROM runs WHERE run_id IN ({marks})", named)
            found.update((str(row[0]), int(row[1] or 0)) for row in rows)
        return found

    def has_live(self) -> bool:
        """Whether any run has not ended."""
        return bool(self.database.read(f"SELECT 1 FROM runs WHERE {LIVE} LIMIT 1"))

    def forget_over(self, now: datetime) -> list[str]:
        """Forget the runs whose time is over; their ids, so that their records can go too."""
        with self.database.write() as sql:
            rows = sql(
                f"DELETE FROM runs WHERE NOT ({LIVE}) AND kept = 0 AND updated_at < ? RETURNING run_id",
                (moment(now - self._age),),
            )
            for row in rows:
                sql("DELETE FROM saved WHERE run_id = ?", row)
        return [str(row[0]) for row in rows]

    def known(self, run_ids: Sequence[str]) -> set[str]:
        """Which of these runs there are."""
        return set(self.revisions(run_ids))

    def _is_over(self, run: Run, now: datetime) -> bool:
        return run.status.is_terminal and not run.kept and now - run.updated_at > self._age

    def _same_start(self, sql: Sql, request: StartRequest, now: datetime) -> Run | None:
        if request.run_key is None:
            return None
        row = one(sql(f"SELECT {WHOLE} FROM runs WHERE owner = ? AND run_key = ?", (request.owner, request.run_key)))
        if row is None:
            return None
        run = run_of(row)
        if self._is_over(run, now):
            sql("UPDATE runs SET run_key = NULL WHERE run_id = ?", (run.run_id,))
            return None
        if [run.agent, run.arguments] != [*storable([request.agent]), json_object(as_json(request.arguments))]:
            raise RunKeyReusedError(
                "This run_key belongs to a run with other arguments.",
                next_step=f"Use another run_key, or look at run {run.run_id}.",
                run_id=run.run_id,
            )
        return run

    def _settle(self, run_id: str, owner: str, settled: Mapping[str, Json], now: datetime) -> Run:
        self.get(run_id, owner, now)
        with self.database.write() as sql:
            row = one(
                sql(
                    f"SELECT questions, answers FROM runs WHERE run_id = ? AND {LIVE} {self.database.dialect.row_lock}",
                    (run_id,),
                )
            )
            if row is not None:
                _take_answers(sql, run_id, row, settled, now)
        return self.get(run_id, owner, now)


def end_run(sql: Sql, run_id: str, outcome: Outcome, now: datetime, *, attempt: int | None = None) -> Run | None:
    """Set a run's terminal state, or find that it has one. The only statement that ends a run.

    Args:
        sql: a transaction.
        run_id: the run.
        outcome: how it ends.
        now: the present.
        attempt: only if it is still at this attempt.

    Returns:
        The run as this call ended it, or None where it was not for this call to end it.
    """
    fenced, values = ("", []) if attempt is None else (" AND attempt = ?", [attempt])
    row = one(
        sql(
            "UPDATE runs SET status = ?, reason = ?, message = ?, result = ?, questions = '[]', answers = '{}', "
            "updated_at = CASE WHEN updated_at > ? THEN updated_at ELSE ? END, revision = revision + 1 "
            f"WHERE run_id = ? AND {LIVE}{fenced} RETURNING {WHOLE}",
            (
                outcome.status,
                outcome.reason,
                outcome.message,
                None if outcome.result is None else as_json(outcome.result),
                moment(now),
                moment(now),
                run_id,
                *values,
            ),
        )
    )
    return None if row is None else run_of(row)


def _insert(sql: Sql, request: StartRequest, now: datetime, outcome: Outcome) -> Run:
    values = (
        new_run_id(now),
        request.owner,
        request.agent,
        as_json(request.arguments),
        request.run_key,
        request.started_by,
        int(request.resumable),
        int(bool(request.environment)),
        None if request.ttl_ms is None else min(request.ttl_ms, _LARGEST),
        outcome.status,
        outcome.reason,
        outcome.message,
        None if outcome.result is None else as_json(outcome.result),
        "[]",
        "{}",
        0,
        moment(now),
        moment(now),
        0,
        1,
        0,
    )
    marks = ", ".join("?" * len(values))
    return run_of(sql(f"INSERT INTO runs ({_NEW_COLUMNS}) VALUES ({marks}) RETURNING {WHOLE}", values)[0])


def _check_room(sql: Sql, limit: int) -> None:
    rows = sql(f"SELECT run_id, worker FROM runs WHERE {LIVE} ORDER BY seq")
    if len(rows) >= limit:
        running = [str(run_id) for run_id, worker in rows if worker is not None]
        raise queue_full(limit=limit, waiting=len(rows) - len(running), running=running)


def _take_answers(sql: Sql, run_id: str, row: Sequence[object], settled: Mapping[str, Json], now: datetime) -> None:
    questions, answers = questions_of(row[0]), json_object(row[1])
    taken = {question.key: settled[question.key] for question in questions if question.key in settled}
    for question in questions:
        given = taken.get(question.key)
        if isinstance(given, dict) and "value" in given:
            ArgumentChecker({"properties": {question.key: question.schema}}).check({question.key: given["value"]})
    if not taken:
        return
    left = [question_json(question) for question in questions if question.key not in taken]
    sql(
        "UPDATE runs SET answers = ?, questions = ?, status = ?, revision = revision + 1, "
        "updated_at = CASE WHEN updated_at > ? THEN updated_at ELSE ? END WHERE run_id = ?",
        (
            as_json({**answers, **taken}),
            as_json([*left]),
            RunStatus.INPUT_REQUIRED if left else RunStatus.WORKING,
            moment(now),
            moment(now),
            run_id,
        ),
    )


def _not_found(run_id: str) -> RunNotFoundError:
    shown = short_name(run_id)
    return RunNotFoundError(f"There is no run {shown!r}.", next_step="`list_runs` shows the runs.", run_id=shown)
