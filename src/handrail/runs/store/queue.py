"""The runs of a store as a worker sees them: taken, held, given up."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from handrail.runs.model import Run, RunReason, RunStatus
from handrail.runs.outcome import Outcome
from handrail.runs.store.ledger import end_run
from handrail.runs.store.rows import BRIEF, LIVE, WHOLE, moment, run_of
from handrail.storage.database import Database, Row, Sql, Value, one
from handrail.storage.process import ProcessMark

__all__ = ["MAX_ATTEMPTS", "Claim", "Held", "RunQueue", "WorkerMark"]

MAX_ATTEMPTS: Final = 3
"""How often a resumable run is begun. One that brings its process down each time is not begun for ever."""


@dataclass(frozen=True, slots=True)
class WorkerMark:
    """Which worker has taken a run, for ever.

    Attributes:
        home: the id of its home folder, which is also where the run's record is.
        process: its process.
    """

    home: str
    process: ProcessMark

    def as_text(self) -> str:
        """The mark as the table keeps it."""
        return f"{self.home} {self.process.as_text()}"

    @classmethod
    def of_text(cls, text: str) -> "WorkerMark":
        """The mark that the table keeps."""
        home, _, process = text.partition(" ")
        return cls(home, ProcessMark.of_text(process))


@dataclass(frozen=True, slots=True)
class Claim:
    """A run that a worker has taken and begins."""

    run: Run
    needs_environment: bool


@dataclass(frozen=True, slots=True)
class Held:
    """A live run that some worker has taken.

    Attributes:
        run: the run.
        worker: who took it.
        child: the process that does it; None where it has not begun.
        lease_over: whether the time is over for which it was taken.
    """

    run: Run
    worker: WorkerMark
    child: ProcessMark | None
    lease_over: bool


class RunQueue:
    """Takes runs for one worker, first come, first served.

    Args:
        database: holds the runs.
        worker: who takes them.
        lease_s: for how long, in seconds, before it must be renewed; only where the database has a clock of its own.
    """

    def __init__(self, database: Database, worker: WorkerMark, *, lease_s: float = 30.0) -> None:
        self._database = database
        self._home = worker.home
        self._worker = worker.as_text()
        clock = database.dialect.clock
        self._lease = f"{clock} + {lease_s:g}" if clock else "NULL"
        self._lease_over = f"lease_until < {clock}" if clock else "1 = 0"

    def claim(self, now: datetime, *, handed: Collection[str]) -> Claim | None:
        """Take the next run that waits.

        Args:
            now: the present.
            handed: the runs whose environment this worker was given; of those that need one it takes no other.
        """
        marks = ", ".join("?" * len(handed)) or "NULL"
        with self._database.write() as sql:
            row = one(
                sql(
                    f"UPDATE runs SET worker = ?, lease_until = {self._lease}, message = 'started', "
                    "revision = revision + 1, updated_at = CASE WHEN updated_at > ? THEN updated_at ELSE ? END "
                    f"WHERE seq = (SELECT seq FROM runs WHERE {LIVE} AND worker IS NULL "
                    f"AND (needs_environment = 0 OR run_id IN ({marks})) ORDER BY seq LIMIT 1 "
                    f"{self._database.dialect.skip_locked}) RETURNING {WHOLE}, needs_environment",
                    (self._worker, moment(now), moment(now), *handed),
                )
            )
        return None if row is None else Claim(run_of(row[:-1]), bool(row[-1]))

    def begin(self, run: Run, child: ProcessMark) -> bool:
        """Note which process does a run. False where it is no longer ours to do."""
        ours = f"{LIVE} AND run_id = ? AND attempt = ? AND worker = ?"
        return self._changed("child = ?", ours, child.as_text(), run.run_id, run.attempt)

    def renew(self, handed: Collection[str] = ()) -> set[str]:
        """Hold on to everything that this worker has taken and that has not ended; the ids.

        Args:
            handed: the runs that wait for their turn here, where their environment is: no other worker gives them up.
        """
        marks = ", ".join("?" * len(handed))
        with self._database.write() as sql:
            rows = sql(
                f"UPDATE runs SET lease_until = {self._lease} WHERE worker = ? AND {LIVE} RETURNING run_id",
                (self._worker,),
            )
            if handed:
                sql(
                    f"UPDATE runs SET lease_until = {self._lease} "
                    f"WHERE worker IS NULL AND {LIVE} AND run_id IN ({marks})",
                    (*handed,),
                )
        return {str(row[0]) for row in rows}

    def taken(self) -> list[Run]:
        """The live runs that this worker has taken."""
        rows = self._database.read(f"SELECT {WHOLE} FROM runs WHERE worker = ? AND {LIVE}", (self._worker,))
        return [run_of(row) for row in rows]

    def live(self, runs: Collection[Run]) -> set[str]:
        """Which of these runs are still at the attempt at which this worker began them."""
        marks = ", ".join("?" * len(runs)) or "NULL"
        rows = self._database.read(
            f"SELECT run_id, attempt FROM runs WHERE worker = ? AND {LIVE} AND run_id IN ({marks})",
            (self._worker, *(run.run_id for run in runs)),
        )
        attempts = {run.run_id: run.attempt for run in runs}
        return {str(row[0]) for row in rows if row[1] == attempts[str(row[0])]}

    def waiting(self) -> int:
        """How many runs wait for a worker, this one or another."""
        return int(self._database.read(f"SELECT count(*) FROM runs WHERE {LIVE} AND worker IS NULL")[0][0] or 0)

    def others(self) -> list[Held]:
        """The live runs that other workers have taken."""
        rows = self._database.read(
            f"SELECT {WHOLE}, worker, child, CASE WHEN {self._lease_over} THEN 1 ELSE 0 END FROM runs "
            f"WHERE {LIVE} AND worker IS NOT NULL AND worker <> ?",
            (self._worker,),
        )
        return [_held(row) for row in rows]

    def leftovers(self) -> list[Held]:
        """The ended runs whose process other workers have not seen end. Looks at every row."""
        rows = self._database.read(
            f"SELECT {BRIEF}, worker, child, 0 FROM runs "
            f"WHERE NOT ({LIVE}) AND child IS NOT NULL AND worker IS NOT NULL AND worker <> ?",
            (self._worker,),
        )
        return [_held(row) for row in rows]

    def without_environment(self, before: datetime) -> list[Run]:
        """The runs that have waited since before this moment for an environment that nobody has handed over.

        Where several machines work, one that was handed over to another worker counts once that does not hold it.
        """
        rows = self._database.read(
            f"SELECT {WHOLE} FROM runs WHERE {LIVE} AND worker IS NULL AND needs_environment = 1 AND updated_at < ? "
            f"AND (lease_until IS NULL OR {self._lease_over})",
            (moment(before),),
        )
        return [run_of(row) for row in rows]

    def give_up(self, run: Run, worker: WorkerMark | None, how: str, now: datetime) -> Run | None:
        """Let go of a run whose process has ended before the run did: to go on at another attempt, or `interrupted`.

        What another home's worker has taken is let go of only once its lease is over: from here nobody can see whether
        that worker lives.

        Args:
            run: the run, at the attempt that has ended.
            worker: who had taken it; None for a run that nobody took.
            how: what happened, for people.
            now: the present.

        Returns:
            The run as it is now, or None where somebody else was first.
        """
        with self._database.write() as sql:
            row = one(
                sql(
                    "SELECT resumable, needs_environment, message FROM runs "
                    f"WHERE run_id = ? AND attempt = ? AND {LIVE} "
                    f"AND coalesce(worker, '') = ?{self._once_over(worker)} {self._database.dialect.row_lock}",
                    (run.run_id, run.attempt, worker.as_text() if worker else ""),
                )
            )
            if row is None:
                return None
            if worker and row[0] and not row[1] and run.attempt < MAX_ATTEMPTS:
                return _again(sql, run, how, now)
            message = f"interrupted: {how}. Last heard: {row[2]}"
            return end_run(sql, run.run_id, Outcome(RunStatus.FAILED, message, RunReason.INTERRUPTED), now)

    def forget_child(self, run_id: str, worker: WorkerMark | None = None) -> None:
        """Note that the process has gone in which this worker, or another that has gone, had a run done."""
        whose = worker.as_text() if worker else self._worker
        with self._database.write() as sql:
            sql("UPDATE runs SET child = NULL WHERE run_id = ? AND worker = ?", (run_id, whose))

    def _once_over(self, worker: WorkerMark | None) -> str:
        far = worker is not None and worker.home != self._home and self._database.dialect.clock is not None
        return f" AND {self._lease_over}" if far else ""

    def _changed(self, change: str, where: str, *values: Value) -> bool:
        with self._database.write() as sql:
            rows = sql(f"UPDATE runs SET {change} WHERE {where} RETURNING run_id", (*values, self._worker))
        return bool(rows)


def _again(sql: Sql, run: Run, how: str, now: datetime) -> Run:
    return run_of(
        sql(
            "UPDATE runs SET worker = NULL, child = NULL, lease_until = NULL, attempt = attempt + 1, status = ?, "
            "questions = '[]', answers = '{}', message = ?, revision = revision + 1, "
            "updated_at = CASE WHEN updated_at > ? THEN updated_at ELSE ? END "
            f"WHERE run_id = ? RETURNING {WHOLE}",
            (RunStatus.WORKING, f"to be resumed: {how}", moment(now), moment(now), run.run_id),
        )[0]
    )


def _held(row: Row) -> Held:
    worker, child, over = row[-3:]
    return Held(
        run_of(row[:-3]),
        WorkerMark.of_text(str(worker)),
        None if child is None else ProcessMark.of_text(str(child)),
        bool(over),
    )
