"""Any order of starts, reports, ends, cancels, waits and passing time, against a dictionary."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import anyio
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from handrail.runs import MemoryEngine, QueueFullError, Retention, Run, RunKeyReusedError, RunNotFoundError, RunStatus
from tests.runs.bodies import OWNER, Puppets, request

pytestmark = [pytest.mark.unit, pytest.mark.logs_errors]

SLOTS, LIMIT = 2, 4
AGE = timedelta(days=7)


@dataclass
class Expected:
    """What the dictionary knows of one run."""

    status: RunStatus = RunStatus.WORKING
    message: str = "queued"
    ended_at: datetime | None = None
    begun: bool = False
    end: Run | None = None


@dataclass
class World:
    """The dictionary model."""

    runs: dict[str, Expected] = field(default_factory=dict)
    keys: dict[str, tuple[str, int]] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def live(self) -> list[str]:
        return [run_id for run_id, run in self.runs.items() if not run.status.is_terminal]

    def check_running(self, named: object) -> None:
        assert named == [run_id for run_id in self.live() if self.runs[run_id].begun]

    def fill_slots(self) -> None:
        begun = sum(self.runs[run_id].begun for run_id in self.live())
        for run_id in self.live():
            if not self.runs[run_id].begun and begun < SLOTS:
                self.runs[run_id].begun = True
                self.runs[run_id].message = "started"
                self.begun.append(run_id)
                begun += 1

    def end(self, run_id: str, status: RunStatus) -> None:
        self.runs[run_id].status = status
        self.runs[run_id].ended_at = self.now
        self.fill_slots()

    def expire(self) -> None:
        for run_id, run in list(self.runs.items()):
            if run.ended_at and self.now - run.ended_at > AGE:
                del self.runs[run_id]
                self.keys = {key: value for key, value in self.keys.items() if value[0] != run_id}


@contextmanager
def _engine(portal: BlockingPortal, puppets: Puppets, world: World) -> Iterator[MemoryEngine]:
    made = MemoryEngine(
        puppets, records=None, slots=SLOTS, limit=LIMIT, clock=lambda: world.now, retention=Retention(age=AGE)
    )
    with portal.wrap_async_context_manager(made) as engine:
        yield engine


class EngineMachine(RuleBasedStateMachine):
    """The engine beside the dictionary."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.puppets = Puppets()
        self._portal_manager = start_blocking_portal("asyncio")
        self.portal = self._portal_manager.__enter__()
        self._engine_manager = _engine(self.portal, self.puppets, self.world)
        self.engine = self._engine_manager.__enter__()

    def teardown(self) -> None:
        self._engine_manager.__exit__(None, None, None)
        self._portal_manager.__exit__(None, None, None)

    @rule(target=ids, key=st.sampled_from([None, "k1", "k2"]), n=st.integers(0, 1))
    def start(self, key: str | None, n: int) -> object:
        world = self.world
        world.expire()
        known = world.keys.get(key or "")
        try:
            run = self.portal.call(self.engine.start, request(n=n, run_key=key))
        except QueueFullError as error:
            assert known is None
            assert len(world.live()) == LIMIT
            world.check_running(error.data["running"])
            return multiple()
        except RunKeyReusedError:
            assert known is not None
            assert known[1] != n
            return multiple()
        self._settle()
        if known is not None:
            assert (run.run_id, n) == known
            return multiple()
        assert run.run_id not in world.runs
        assert len(world.live()) < LIMIT
        world.runs[run.run_id] = Expected()
        if key is not None:
            world.keys[key] = (run.run_id, n)
        world.fill_slots()
        return run.run_id

    @rule(run_id=ids, text=st.sampled_from(["one", "two"]))
    def report(self, run_id: str, text: str) -> None:
        if self._tell(run_id, f"report {text}"):
            self.world.runs[run_id].message = text

    @rule(run_id=ids)
    def finish(self, run_id: str) -> None:
        if self._tell(run_id, "finish"):
            self.world.end(run_id, RunStatus.COMPLETED)

    @rule(run_id=ids)
    def fail(self, run_id: str) -> None:
        if self._tell(run_id, "fail"):
            self.world.end(run_id, RunStatus.FAILED)

    @rule(run_id=ids)
    def cancel(self, run_id: str) -> None:
        self.world.expire()
        try:
            run = self.portal.call(self.engine.cancel, run_id, OWNER)
        except RunNotFoundError:
            assert run_id not in self.world.runs
            return
        if not self.world.runs[run_id].status.is_terminal:
            self.world.end(run_id, RunStatus.CANCELLED)
        self._settle()
        assert run.status is self.world.runs[run_id].status

    @rule(run_id=ids)
    def wait(self, run_id: str) -> None:
        self.world.expire()
        try:
            run = self.portal.call(self.engine.wait, run_id, OWNER, 0)
        except RunNotFoundError:
            assert run_id not in self.world.runs
            return
        assert run.status is self.world.runs[run_id].status

    @rule(run_id=consumes(ids))
    def forget(self, run_id: str) -> None:
        """The caller forgets an id; the engine must not."""

    @rule(hours=st.sampled_from([1, 24, 24 * 8]))
    def time_passes(self, hours: int) -> None:
        self.world.now += timedelta(hours=hours)

    @invariant()
    def engine_and_dictionary_agree(self) -> None:
        self.world.expire()
        page = self.portal.call(lambda: self.engine.list_runs(OWNER, limit=200))
        shown = {run.run_id: run for run in page.runs}
        assert list(shown) == list(self.world.runs)[::-1]
        for run_id, expected in self.world.runs.items():
            run = shown[run_id]
            assert run.status is expected.status
            if expected.status.is_terminal:
                expected.end = expected.end or run
                assert run == expected.end
            else:
                assert run.message == expected.message

    @invariant()
    def runs_begin_in_the_order_of_their_start(self) -> None:
        assert self.puppets.started == self.world.begun

    def _tell(self, run_id: str, command: str) -> bool:
        """Give a command to a run's body; whether it lives and hears it now."""
        self.world.expire()
        expected = self.world.runs.get(run_id)
        if expected is None or expected.status.is_terminal or not expected.begun:
            return False
        self.portal.call(self.puppets.tell, run_id, command)
        self._settle()
        return True

    def _settle(self) -> None:
        self.portal.call(anyio.wait_all_tasks_blocked)


EngineMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
TestEngineMachine = EngineMachine.TestCase
