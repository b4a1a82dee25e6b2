"""The runs that an engine in memory knows: what each is, who may see it, and how long it is kept. No I/O, no tasks."""

import secrets
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

import anyio

from handrail.arguments import ArgumentChecker, short_name
from handrail.errors import UsageError
from handrail.json_types import Json, JsonObject
from handrail.runs.engine import RunKeyReusedError, RunNotFoundError
from handrail.runs.model import Question, Run, RunPage, RunReason, RunStatus, StartRequest
from handrail.runs.outcome import Outcome
from handrail.runs.record import Record

__all__ = ["KEPT_FOR", "CursorError", "Entry", "Ledger", "Retention", "cursor_number", "new_run_id"]

_PAGE_LIMIT: Final = 200
_CURSOR_DIGITS: Final = 20


KEPT_FOR: Final = timedelta(days=7)
"""How long a run is kept after its end."""


class CursorError(UsageError):
    """The cursor is not one that `list_runs` gave. `data["cursor"]` holds it."""

    type = "cursor_invalid"


@dataclass(frozen=True, slots=True)
class Retention:
    """How long runs are kept after their end; a live run is always kept.

    Attributes:
        ended: how many ended runs are kept in memory. With records on disk an older one is read from there, so that its
            time is over by age alone.
        age: how long an ended run is kept, in memory and on disk.
        rejected: how many runs are kept that were refused before they began; apart, so that they push out no other.
    """

    ended: int = 1000
    age: timedelta = KEPT_FOR
    rejected: int = 100


def new_run_id(now: datetime) -> str:
    """A new id: 44 hexadecimal digits, 12 of the time in milliseconds (so ids sort), then 128 random bits."""
    return f"{int(now.timestamp() * 1000):012x}{secrets.token_hex(16)}"


@dataclass(slots=True, eq=False)
class Entry:
    """One run with what the engine needs beside it. A run changes only through these methods."""

    number: int
    request: StartRequest
    run: Run
    record: Record
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    changed: anyio.Event = field(default_factory=anyio.Event)
    answers: dict[str, Json] = field(default_factory=dict)
    declined: set[str] = field(default_factory=set)
    asked: int = 0
    followers: int = 0  # who waits for the run or watches it

    @property
    def is_live(self) -> bool:
        """Whether the run has not ended."""
        return not self.run.status.is_terminal

    def report(self, message: str, now: datetime) -> None:
        """Take a new message; nothing happens once the run has ended."""
        if self.is_live:
            self._publish(replace(self.run, message=message), now)

    def ask(self, message: str, schema: JsonObject, now: datetime) -> str:
        """Add a question to a live run; returns its key."""
        self.asked += 1
        question = Question(f"q{self.asked}", message, schema)
        asking = replace(self.run, status=RunStatus.INPUT_REQUIRED, questions=(*self.run.questions, question))
        self._publish(asking, now)
        return question.key

    def withdraw(self, key: str, now: datetime) -> None:
        """Take a question away; the run works on when none is left. Nothing happens once the run has ended."""
        left = tuple(question for question in self.run.questions if question.key != key)
        if self.is_live and left != self.run.questions:
            status = RunStatus.INPUT_REQUIRED if left else RunStatus.WORKING
            self._publish(replace(self.run, status=status, questions=left), now)

    def answer(self, answers: Mapping[str, Json], now: datetime) -> None:
        """Take answers to open questions; unknown keys are ignored.

        Raises:
            ArgumentError: an answer does not fit its question's schema. None is taken then.
        """
        asked = {question.key: question for question in self.run.questions if question.key in answers}
        for key, question in asked.items():
            ArgumentChecker({"properties": {key: question.schema}}).check({key: answers[key]})
        for key in asked:
            self.answers[key] = answers[key]
            self.withdraw(key, now)

    def decline(self, keys: Collection[str], now: datetime) -> None:
        """Take it that these questions stay unanswered; unknown keys are ignored."""
        for key in [question.key for question in self.run.questions if question.key in keys]:
            self.declined.add(key)
            self.withdraw(key, now)

    def keep(self, *, kept: bool) -> None:
        """Keep the run for ever, or no longer; allowed after its end, for it changes nothing of what it came to."""
        if self.run.kept != kept:
            self.run = replace(self.run, kept=kept, revision=self.run.revision + 1)
            self._notify()

    @contextmanager
    def followed(self) -> Iterator[None]:
        """While this is open, somebody waits for the run or watches it."""
        self.followers += 1
        try:
            yield
        finally:
            self.followers -= 1

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds, or the run has ended."""
        while self.is_live and not condition():
            await self.changed.wait()

    async def changes(self) -> AsyncGenerator[Run]:
        """The run as it stands, then at each change, up to its terminal state. A slow reader skips."""
        seen = -1
        while True:
            if self.run.revision == seen:
                await self.changed.wait()
                continue
            run = self.run
            seen = run.revision
            yield run
            if run.status.is_terminal:
                return

    def ending(self, outcome: Outcome, now: datetime) -> Run:
        """The run as it would be after this end."""
        ended = replace(
            self.run,
            status=outcome.status,
            reason=outcome.reason,
            message=outcome.message,
            result=outcome.result,
            questions=(),
        )
        return self._next(ended, now)

    def become(self, ended: Run) -> None:
        """Take the terminal state. For `Ledger.end` only, which sees to it that this happens once."""
        self.run = ended
        self._notify()

    def _publish(self, run: Run, now: datetime) -> None:
        self.run = self._next(run, now)
        self._notify()

    def _next(self, run: Run, now: datetime) -> Run:
        # A clock that was set back must not make a run end before it began.
        return replace(run, revision=self.run.revision + 1, updated_at=max(now, self.run.updated_at))

    def _notify(self) -> None:
        self.changed.set()
        self.changed = anyio.Event()


class Ledger:
    """All runs in the order of their start.

    Args:
        retention: how long ended runs are kept.
    """

    def __init__(self, retention: Retention) -> None:
        self._retention = retention
        self._entries: dict[str, Entry] = {}
        self._keys: dict[tuple[str, str], str] = {}
        self._ended: deque[Entry] = deque()
        self._rejected: deque[Entry] = deque()
        self._numbers = 0

    def add(self, request: StartRequest, now: datetime, record_for: Callable[[str], Record]) -> Entry:
        """A new run in the state `working`. `record_for` gives the record of a run id."""
        run_id = new_run_id(now)
        run = Run(
            run_id=run_id,
            agent=request.agent,
            owner=request.owner,
            status=RunStatus.WORKING,
            created_at=now,
            updated_at=now,
            message="queued",
            run_key=request.run_key,
            arguments=request.arguments,
            started_by=request.started_by,
            ttl_ms=request.ttl_ms,
        )
        self._numbers += 1
        entry = Entry(self._numbers, request, run, record_for(run_id))
        self._entries[run_id] = entry
        if request.run_key is not None:
            self._keys[request.owner, request.run_key] = run_id
        return entry

    def end(self, entry: Entry, ended: Callable[[], Run]) -> bool:
        """Set a run's terminal state unless it has one. The only place where a run ends.

        Args:
            entry: the run.
            ended: gives the run in its terminal state; called only where this call ends it.

        Returns:
            Whether this call ended the run.
        """
        if not entry.is_live:
            return False
        entry.become(ended())
        (self._rejected if entry.run.reason is RunReason.REJECTED else self._ended).append(entry)
        return True

    def remove(self, entry: Entry) -> None:
        """Forget a run."""
        del self._entries[entry.run.run_id]
        if entry.request.run_key is not None:
            self._keys.pop((entry.run.owner, entry.request.run_key), None)

    def find(self, run_id: str, owner: str) -> Entry:
        """The owner's run.

        Raises:
            RunNotFoundError: unknown, or another owner's.
        """
        entry = self._entries.get(run_id)
        if entry is None or entry.run.owner != owner:
            raise self.not_found(run_id)
        return entry

    def not_found(self, run_id: str) -> RunNotFoundError:
        """What is said of an id that names no run that the caller may see."""
        shown = short_name(run_id)
        return RunNotFoundError(f"There is no run {shown!r}.", next_step="`list_runs` shows the runs.", run_id=shown)

    def same_start(self, request: StartRequest) -> Entry | None:
        """The run that was started with the same `run_key`, if there is one.

        Raises:
            RunKeyReusedError: that run has another agent or other arguments.
        """
        run_id = self._keys.get((request.owner, request.run_key or ""))
        if request.run_key is None or run_id is None:
            return None
        entry = self._entries[run_id]
        if (entry.request.agent, entry.request.arguments) != (request.agent, request.arguments):
            raise RunKeyReusedError(
                "This run_key belongs to a run with other arguments.",
                next_step=f"Use another run_key, or look at run {run_id}.",
                run_id=run_id,
            )
        return entry

    def live(self) -> list[Entry]:
        """The runs that have not ended, oldest first."""
        return [entry for entry in self._entries.values() if entry.is_live]

    def page(self, owner: str, limit: int, cursor: str | None) -> RunPage:
        """Some of the owner's runs, newest first.

        Raises:
            CursorError: the cursor is not one of ours.
        """
        below = self._numbers + 1 if cursor is None else cursor_number(cursor)
        size = max(1, min(limit, _PAGE_LIMIT))
        found: list[Entry] = []
        for entry in self._newest_first():
            if entry.run.owner == owner and entry.number < below:
                if len(found) == size:
                    return RunPage(tuple(item.run for item in found), str(found[-1].number))
                found.append(entry)
        return RunPage(tuple(item.run for item in found))

    def expire(self, now: datetime) -> None:
        """Forget ended runs that are over the age or the number that is kept."""
        for ended, number in ((self._ended, self._retention.ended), (self._rejected, self._retention.rejected)):
            while ended and (len(ended) > number or now - ended[0].run.updated_at > self._retention.age):
                entry = ended.popleft()
                if not entry.run.kept:
                    self.remove(entry)

    def _newest_first(self) -> Iterator[Entry]:
        return reversed(self._entries.values())


def cursor_number(cursor: str) -> int:
    """The number that a cursor of `list_runs` stands for.

    Raises:
        CursorError: it is not one of ours.
    """
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _CURSOR_DIGITS):
        raise CursorError("This cursor is not one of ours.", next_step="Leave it out.", cursor=cursor[:64])
    return int(cursor)
