"""One attempt of a run in this process, exactly as its own process does it, with a fault at any moment of it."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

import anyio
import pytest

from handrail.json_types import Json, JsonObject
from handrail.runs import Run, RunContext, RunPlace, StartRequest
from handrail.runs.ledger import KEPT_FOR
from handrail.runs.store import RunQueue, StoredLedger, WorkerMark, open_store
from handrail.runs.worker import attempt_context, child
from handrail.runs.worker.messages import Assignment
from handrail.runs.worker.patience import patiently
from handrail.storage.process import ProcessMark, this_process

__all__ = ["EPISODES", "OWNER", "Faults", "World", "world"]

OWNER: Final = "me"
EPISODES: Final = 2
_SCHEMA: Final[JsonObject] = {"type": "object"}
_WORKER: Final = WorkerMark("home", ProcessMark(1, "boot/1"))

T = TypeVar("T")


@dataclass
class Faults:
    """Counts the calls of the store by an attempt, and does something at one of them.

    Attributes:
        at: at which; 0: at none.
        fault: what it does, to whoever does the attempt; it may raise.
        count: how many calls there have been.
        scope: of the attempt.
    """

    at: int
    fault: Callable[[anyio.CancelScope], None]
    count: int = 0
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    async def patiently(self, call: Callable[[], T]) -> T:
        """As the real one."""
        self.count += 1
        if self.count == self.at:
            self.fault(self.scope)
        return await patiently(call)


@dataclass
class World:
    """A home with one run, and what its body did.

    Attributes:
        place: the home.
        acts: each act of the body, in order.
        after_end: those that it did after the run had ended.
    """

    place: RunPlace
    faults: Faults
    acts: list[str] = field(default_factory=list)
    after_end: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._database = open_store(self.place.home)
        self.ledger = StoredLedger(self._database, age=KEPT_FOR)
        self.queue = RunQueue(self._database, _WORKER)
        self._run_id = self.ledger.add(StartRequest("agent", {}, OWNER, resumable=True), _now(), limit=1).run_id

    def close(self) -> None:
        """Let go of the store."""
        self._database.close()

    @property
    def run(self) -> Run:
        """The run as its row says."""
        return self.ledger.get(self._run_id, OWNER, _now())

    async def attempt(self) -> int | None:
        """One attempt by what the run's own process does; its exit code, or None where it brought the process down."""
        claim = self.queue.claim(_now(), handed=())
        assert claim is not None
        assert self.queue.begin(claim.run, this_process())
        given = Assignment(
            run_id=self._run_id,
            attempt=claim.run.attempt,
            owner=OWNER,
            home=str(self.place.home),
            scratch=str(self.place.home),
        )
        try:
            with anyio.fail_after(10):
                async with anyio.create_task_group() as group:
                    group.start_soon(self._answer)
                    self.faults.scope = group.cancel_scope
                    code = await child._do(self._body, given)
                    group.cancel_scope.cancel()
                    return code
        except Exception:  # noqa: BLE001  (whatever it is, it ends the process with exit code 1)
            return None
        return None

    def give_up(self) -> None:
        """What the worker does when the process has ended."""
        self.queue.forget_child(self._run_id)
        self.queue.give_up(self.run, _WORKER, "its process ended with exit code 1", _now())

    async def _answer(self) -> None:
        while True:
            for question in self.run.questions:
                self.ledger.answer(self._run_id, OWNER, {question.key: {"n": 7}}, _now())
            await anyio.sleep(0.005)

    def _act(self, name: str) -> None:
        self.acts.append(name)
        if self.run.status.is_terminal:
            self.after_end.append(name)

    async def _body(self, ctx: RunContext, _request: StartRequest) -> JsonObject:
        total = 0
        for number in range(EPISODES):
            name = f"e{number}"
            if name not in ctx.saved:
                await ctx.report(f"episode {number}")
                self._act(name)
                ctx.record(f"{name}.json", {"number": number})
                ctx.append("ticks.jsonl", {"number": number})
                await ctx.save(name, number)
        answer: Json = await ctx.ask("how many?", _SCHEMA, seconds=5)
        await ctx.check()
        self._act("last")
        total += answer["n"] if isinstance(answer, dict) and isinstance(answer["n"], int) else 0
        return {"ok": True, "total": total}


@contextmanager
def world(folder: Path, monkeypatch: pytest.MonkeyPatch, faults: Faults) -> Iterator[World]:
    """A world whose attempts meet these faults."""
    folder.mkdir(mode=0o700)
    with monkeypatch.context() as patch, closing(World(RunPlace(folder), faults)) as made:
        patch.setattr(child, "_watch_pipe", lambda _ending: None)  # there is no worker here
        patch.setattr(child, "patiently", faults.patiently)
        patch.setattr(attempt_context, "patiently", faults.patiently)
        yield made


def _now() -> datetime:
    return datetime.now(UTC)
