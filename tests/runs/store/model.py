"""A store as a dictionary: what the state machine expects of the real one."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from handrail.json_types import Json
from handrail.runs import Run, RunReason, RunStatus
from handrail.runs.store import MAX_ATTEMPTS
from tests.runs.store.places import AGE, NOW

__all__ = ["LIMIT", "Expected", "Model"]

LIMIT: Final = 5
Key = str | None


@dataclass
class Expected:
    """What the dictionary knows of one run."""

    run_id: str
    key: Key
    number: int
    resumable: bool
    needy: bool
    status: RunStatus = RunStatus.WORKING
    reason: RunReason | None = None
    worker: int | None = None
    attempt: int = 1
    questions: list[str] = field(default_factory=list)
    answers: dict[str, Json] = field(default_factory=dict)
    asked: int = 0
    saved: dict[str, Json] = field(default_factory=dict)
    ended_at: datetime = NOW
    kept: bool = False
    end: Run | None = None

    @property
    def live(self) -> bool:
        return not self.status.is_terminal

    def ends(self, status: RunStatus, reason: RunReason | None, shown: Run) -> None:
        """The run has ended, and looks so from now on."""
        assert self.live, "a second end"
        self.status, self.reason, self.end = status, reason, shown
        self.ended_at = shown.updated_at
        self.questions, self.answers = [], {}

    def gives_up(self) -> bool:
        """Whether the run goes on at another attempt."""
        if not (self.resumable and not self.needy and self.attempt < MAX_ATTEMPTS):
            return False
        self.attempt += 1
        self.worker = None
        self.status, self.questions, self.answers = RunStatus.WORKING, [], {}
        return True

    def settles(self, key: str, how: Json) -> None:
        """A question has its answer."""
        self.questions.remove(key)
        self.answers[key] = how
        self.status = RunStatus.INPUT_REQUIRED if self.questions else RunStatus.WORKING


@dataclass
class Model:
    """The dictionary, in the order of the starts, and the clock."""

    runs: dict[str, Expected] = field(default_factory=dict)
    now: datetime = NOW

    def live(self) -> list[Expected]:
        return [run for run in self.runs.values() if run.live]

    def shown(self) -> list[Expected]:
        """What the owner sees, oldest first."""
        return [run for run in self.runs.values() if not self.is_over(run)]

    def is_over(self, run: Expected) -> bool:
        return not run.live and not run.kept and self.now - run.ended_at > AGE

    def next_for(self, worker: int) -> Expected | None:
        """What this worker takes next; only the first is handed environments."""
        waiting = (run for run in self.live() if run.worker is None)
        return next((run for run in waiting if worker == 0 or not run.needy), None)

    def with_key(self, key: Key) -> Expected | None:
        """The run that has this key."""
        return next((run for run in self.shown() if key is not None and run.key == key), None)

    def frees(self, key: Key) -> None:
        """A run that is over has no key any more, also where the clock goes back."""
        for run in self.runs.values():
            run.key = None if run.key == key else run.key

    def forget(self) -> set[str]:
        """Forget what is over; the ids."""
        gone = {run_id for run_id, run in self.runs.items() if self.is_over(run)}
        for run_id in gone:
            del self.runs[run_id]
        return gone

    def moves(self, by: timedelta) -> None:
        """The clock is set."""
        self.now += by
