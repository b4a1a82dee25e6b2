"""Any order of starts, claims, questions, ends, crashes, reopened databases and passing time, against a dictionary."""

import os
from datetime import timedelta
from typing import Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from handrail.runs import QueueFullError, Run, RunKeyReusedError, RunNotFoundError, RunReason, RunStatus
from handrail.runs.outcome import Outcome
from handrail.runs.store import Database, RunAttempt, RunQueue, StoredLedger
from tests.runs.store.model import LIMIT, Expected, Model
from tests.runs.store.places import CANCELLED, CHILD, DONE, HERE, OTHER, OWNER, Kind, Place, ledger_of, request

STEPS: Final = 25
FAILED: Final = Outcome(RunStatus.FAILED, "no", RunReason.CRASHED, {"ok": False})
WORKERS: Final = (HERE, OTHER)
WHICH: Final = st.integers(0, 9)  # of the runs there are, counted round


class StoreMachine(RuleBasedStateMachine):
    """Two workers and an owner on one store."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.database: Database = place.open()
        with self.database.write() as sql:
            sql("DELETE FROM runs")
            sql("DELETE FROM saved")
        self.model = Model()

    def teardown(self) -> None:
        self.database.close()

    @property
    def ledger(self) -> StoredLedger:
        return ledger_of(self.database)

    def one(self, number: int, *, live: bool = False) -> Expected | None:
        runs = self.model.live() if live else self.model.shown()
        return runs[number % len(runs)] if runs else None

    def attempt_of(self, run: Expected, back: int) -> tuple[RunAttempt, bool]:
        """An attempt of a run, and whether it is the one that counts."""
        number = max(1, run.attempt - back)
        return RunAttempt(self.database, run.run_id, number), run.live and number == run.attempt

    @rule(
        key=st.sampled_from([None, None, "a", "b"]),
        number=st.integers(1, 2),
        resumable=st.booleans(),
        needy=st.booleans(),
    )
    def start(self, key: str | None, number: int, resumable: bool, needy: bool) -> None:  # noqa: FBT001  (hypothesis passes them by name)
        environment = {"KEY": "value"} if needy else {}
        asked = request(run_key=key, resumable=resumable, environment=environment, n=number)
        same = self.model.with_key(key)
        if same is not None and same.number != number:
            with pytest.raises(RunKeyReusedError):
                self.ledger.add(asked, self.model.now, limit=LIMIT)
        elif same is not None:
            assert self.ledger.add(asked, self.model.now, limit=LIMIT).run_id == same.run_id
        elif len(self.model.live()) == LIMIT:
            with pytest.raises(QueueFullError):
                self.ledger.add(asked, self.model.now, limit=LIMIT)
        else:
            run = self.ledger.add(asked, self.model.now, limit=LIMIT)
            assert run.run_id not in self.model.runs
            self.model.frees(key)
            self.model.runs[run.run_id] = Expected(run.run_id, key, number, resumable, needy)

    @rule(worker=st.integers(0, 1))
    def claim(self, worker: int) -> None:
        expected = self.model.next_for(worker)
        handed = self.model.runs if worker == 0 else {}
        claim = RunQueue(self.database, WORKERS[worker]).claim(self.model.now, handed=handed)
        assert (claim and claim.run.run_id) == (expected and expected.run_id)
        if claim is not None and expected is not None:
            assert claim.run.attempt == expected.attempt
            expected.worker = worker

    @precondition(lambda self: self.model.runs)
    @rule(which=WHICH, worker=st.integers(0, 1))
    def begin(self, which: int, worker: int) -> None:
        if (run := self.one(which)) is not None:
            shown = self.ledger.get(run.run_id, OWNER, self.model.now)
            begun = RunQueue(self.database, WORKERS[worker]).begin(shown, CHILD)
            assert begun == (run.live and run.worker == worker)

    @rule(which=WHICH, back=st.integers(0, 1))
    def report(self, which: int, back: int) -> None:
        if (run := self.one(which)) is not None:
            attempt, counts = self.attempt_of(run, back)
            assert (attempt.report("message", self.model.now) is not None) == counts

    @rule(which=WHICH, back=st.integers(0, 1))
    def ask(self, which: int, back: int) -> None:
        if (run := self.one(which)) is not None:
            attempt, counts = self.attempt_of(run, back)
            asked = attempt.ask("how many?", {"type": "integer"}, self.model.now)
            assert (asked is not None) == counts
            if asked is not None:
                run.asked += 1
                assert asked[0] == f"q{run.asked}"
                run.questions.append(asked[0])
                run.status = RunStatus.INPUT_REQUIRED

    @rule(which=WHICH, key=st.integers(1, 3), declined=st.booleans())
    def settle(self, which: int, key: int, declined: bool) -> None:  # noqa: FBT001  (hypothesis passes it by name)
        if (run := self.one(which)) is not None:
            if declined:
                self.ledger.decline(run.run_id, OWNER, [f"q{key}"], self.model.now)
            else:
                self.ledger.answer(run.run_id, OWNER, {f"q{key}": 7}, self.model.now)
            if f"q{key}" in run.questions:
                run.settles(f"q{key}", {"declined": True} if declined else {"value": 7})

    @rule(which=WHICH, back=st.integers(0, 1))
    def save(self, which: int, back: int) -> None:
        if (run := self.one(which)) is not None:
            attempt, counts = self.attempt_of(run, back)
            assert attempt.save(f"part {run.attempt}", back) == counts
            if counts:
                run.saved[f"part {run.attempt}"] = back

    @rule(which=WHICH)
    def cancel(self, which: int) -> None:
        if (run := self.one(which)) is not None:
            shown = self.ledger.end(run.run_id, OWNER, CANCELLED, self.model.now)
            if run.live:
                run.ends(RunStatus.CANCELLED, RunReason.CANCELLED, shown)
            assert shown.status is run.status

    @rule(which=WHICH, back=st.integers(0, 1), outcome=st.sampled_from([DONE, FAILED]))
    def finish(self, which: int, back: int, outcome: Outcome) -> None:
        if (run := self.one(which)) is not None:
            attempt, counts = self.attempt_of(run, back)
            shown = attempt.end(outcome, self.model.now)
            assert (shown is not None) == counts
            if shown is not None:
                run.ends(outcome.status, outcome.reason, shown)

    @rule(which=WHICH, worker=st.integers(0, 1))
    def crash(self, which: int, worker: int) -> None:
        if (run := self.one(which, live=True)) is not None:
            seen = self.ledger.get(run.run_id, OWNER, self.model.now)
            watcher = RunQueue(self.database, WORKERS[1 - worker])
            found = watcher.give_up(seen, WORKERS[worker], "signal 9", self.model.now)
            assert (found is not None) == (run.worker == worker)
            if found is not None and not run.gives_up():
                run.ends(RunStatus.FAILED, RunReason.INTERRUPTED, found)

    @rule()
    def reopen(self) -> None:
        self.database.close()
        self.database = self.place.open()

    @rule(hours=st.sampled_from([1, -1, 24, 100, 200]))
    def advance(self, hours: int) -> None:
        self.model.moves(timedelta(hours=hours))

    @rule()
    def forget(self) -> None:
        assert set(self.ledger.forget_over(self.model.now)) == self.model.forget()

    @rule(which=WHICH, kept=st.booleans())
    def keep(self, which: int, kept: bool) -> None:  # noqa: FBT001  (hypothesis passes it by name)
        if (run := self.one(which)) is not None:
            run.kept = kept
            if not self.model.is_over(run):
                assert self.ledger.keep(run.run_id, OWNER, self.model.now, kept=kept).kept == kept
            else:
                run.kept = True

    @invariant()
    def every_run_is_as_expected(self) -> None:
        for run in self.model.runs.values():
            if self.model.is_over(run):
                with pytest.raises(RunNotFoundError):
                    self.ledger.get(run.run_id, OWNER, self.model.now)
                continue
            shown = self.ledger.get(run.run_id, OWNER, self.model.now)
            assert (shown.status, shown.reason, shown.attempt, shown.kept) == (
                run.status,
                run.reason,
                run.attempt,
                run.kept,
            )
            assert [question.key for question in shown.questions] == run.questions
            assert shown.updated_at >= shown.created_at
            assert run.end is None or _beside_keeping(shown) == _beside_keeping(run.end)

    @invariant()
    def the_pages_show_all_in_order(self) -> None:
        page = self.ledger.page(OWNER, self.model.now, limit=200, cursor=None)
        assert [run.run_id for run in page.runs] == [run.run_id for run in self.model.shown()][::-1]

    @invariant()
    def one_attempt_is_live_at_most_and_has_what_was_saved_and_answered(self) -> None:
        for run in self.model.runs.values():
            attempts = [RunAttempt(self.database, run.run_id, number) for number in range(1, run.attempt + 2)]
            live = [number for number, attempt in enumerate(attempts, 1) if attempt.is_live()]
            assert live == ([run.attempt] if run.live else [])
            assert attempts[0].saved() == run.saved
            if run.live:
                assert attempts[run.attempt - 1].answers() == run.answers

    @invariant()
    def workers_have_what_they_took(self) -> None:
        for number, worker in enumerate(WORKERS):
            taken = {run.run_id for run in self.model.live() if run.worker == number}
            assert RunQueue(self.database, worker).renew() == taken
        waiting = len([run for run in self.model.live() if run.worker is None])
        assert RunQueue(self.database, HERE).waiting() == waiting


def _beside_keeping(run: Run) -> tuple[object, ...]:
    return run.run_id, run.status, run.reason, run.message, run.result, run.updated_at, run.questions


@pytest.mark.promise("store-any-order")
def test_any_order_of_events_leaves_the_store_as_a_dictionary_would_be(place: Place) -> None:
    usual = 500 if place.kind is Kind.SQLITE else 100
    steps = int(os.environ.get("HANDRAIL_TEST_STEPS", usual))
    place.open().close()

    class Machine(StoreMachine):
        def __init__(self) -> None:
            super().__init__(place)

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=max(1, steps // STEPS),
            stateful_step_count=STEPS,
            deadline=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
