"""How workers take runs from a store, give them up, and what an attempt may still say afterwards."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from handrail.runs import Run, RunReason, RunStatus
from handrail.runs.store import MAX_ATTEMPTS, Database, RunAttempt, RunQueue, WorkerMark
from handrail.storage.database import closing
from handrail.storage.process import ProcessMark
from tests.runs.store.places import (
    CANCELLED,
    CHILD,
    DONE,
    HERE,
    NOW,
    OTHER,
    OWNER,
    Place,
    all_at_once,
    claimed,
    ledger_of,
    request,
    started,
)


def _claims(database: Database, number: int) -> list[str]:
    queue = RunQueue(database, WorkerMark("home", ProcessMark(100 + number, "boot")))
    return [claim.run.run_id for claim in iter(lambda: queue.claim(NOW, handed=[]), None)]


@pytest.mark.promise("store-each-run-taken-once")
def test_eight_workers_take_each_run_once_and_in_order(place: Place, database: Database) -> None:
    runs = [started(database).run_id for _ in range(40)]

    found = all_at_once(place, 8, _claims)

    lists = [item for item in found if isinstance(item, list)]
    assert len(lists) == 8
    assert sorted(run for taken in lists for run in taken) == sorted(runs)
    assert all([run for run in runs if run in taken] == taken for taken in lists)


def test_a_worker_waits_for_no_run_that_another_is_just_taking(postgres_place: Place) -> None:
    with closing(postgres_place.open()) as database, closing(postgres_place.open()) as other:
        runs = [started(database).run_id for _ in range(3)]
        with database.write() as sql:
            sql("SELECT seq FROM runs ORDER BY seq LIMIT 1 FOR UPDATE")

            assert _claims(other, 0) == runs[1:]
        assert _claims(other, 0) == runs[:1]


@pytest.mark.parametrize("hours", [1, -1, 0])
def test_runs_are_taken_in_the_order_of_their_start_whatever_the_clock_says(database: Database, hours: int) -> None:
    runs = [started(database, now=NOW + timedelta(hours=hours * number)).run_id for number in range(5)]

    assert _claims(database, 0) == runs
    listed = ledger_of(database).page(OWNER, NOW, limit=10, cursor=None).runs
    assert [run.run_id for run in listed] == runs[::-1]


def test_a_claim_says_that_the_run_has_begun(database: Database) -> None:
    waiting = started(database)
    queue = RunQueue(database, HERE)
    assert queue.waiting() == 1

    claim = queue.claim(NOW, handed=[])

    assert claim is not None
    assert (claim.run.run_id, claim.run.message, claim.needs_environment) == (waiting.run_id, "started", False)
    assert claim.run.revision == waiting.revision + 1
    assert queue.waiting() == 0
    assert queue.live([claim.run]) == {waiting.run_id}


def test_a_run_that_needs_an_environment_is_taken_only_by_the_worker_that_was_handed_it(database: Database) -> None:
    needy = started(database, request(environment={"KEY": "value"}))
    plain = started(database)
    here, other = RunQueue(database, HERE), RunQueue(database, OTHER)

    taken = [other.claim(NOW, handed=["something else"]), other.claim(NOW, handed=[])]
    assert [claim and claim.run.run_id for claim in taken] == [plain.run_id, None]
    claim = here.claim(NOW, handed=[needy.run_id])
    assert claim is not None
    assert (claim.run.run_id, claim.needs_environment) == (needy.run_id, True)


def test_a_run_whose_environment_nobody_hands_over_is_told_of_and_can_be_given_up(database: Database) -> None:
    needy = started(database, request(environment={"KEY": "value"}))
    started(database)
    queue = RunQueue(database, HERE)

    assert queue.without_environment(NOW) == []
    found = queue.without_environment(NOW + timedelta(seconds=1))

    assert found == [needy]
    end = queue.give_up(needy, None, "nobody handed over what it needs", NOW)
    assert end is not None
    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)


def test_a_begun_run_tells_other_workers_whose_it_is_and_which_process_does_it(database: Database) -> None:
    run, _, queue = claimed(database)
    other = RunQueue(database, OTHER)

    assert [held.child for held in other.others()] == [None]
    assert queue.begin(run, CHILD)
    assert [(held.run, held.worker, held.child) for held in other.others()] == [(run, HERE, CHILD)]
    assert queue.others() == []
    queue.forget_child(run.run_id)
    assert [held.child for held in other.others()] == [None]


def test_an_ended_run_whose_process_nobody_has_seen_end_is_left_over_for_the_next_worker(database: Database) -> None:
    run, attempt, queue = claimed(database)
    live, _, _ = claimed(database)
    for begun in (run, live):
        assert queue.begin(begun, CHILD)
    other = RunQueue(database, OTHER)
    assert other.leftovers() == []

    attempt.end(DONE, NOW)

    (left,) = other.leftovers()
    assert (left.run.run_id, left.worker, left.child) == (run.run_id, HERE, CHILD)
    assert queue.leftovers() == []
    other.forget_child(run.run_id)
    assert len(other.leftovers()) == 1
    other.forget_child(run.run_id, HERE)
    assert other.leftovers() == []


@pytest.mark.parametrize("whose", ["ended", "another worker's", "another attempt"])
def test_a_run_that_is_no_longer_this_workers_is_not_begun(database: Database, whose: str) -> None:
    run, _, queue = claimed(database, request(resumable=True))
    if whose == "ended":
        ledger_of(database).end(run.run_id, OWNER, CANCELLED, NOW)
    elif whose == "another worker's":
        queue = RunQueue(database, OTHER)
    else:
        queue.give_up(run, HERE, "crashed", NOW)
        queue.claim(NOW, handed=[])

    assert not queue.begin(run, CHILD)


@pytest.mark.promise("store-resumes-or-interrupts")
def test_a_resumable_run_that_is_given_up_waits_again_in_its_old_place(database: Database) -> None:
    run, attempt, queue = claimed(database, request(resumable=True))
    later = started(database)
    attempt.ask("how many?", {"type": "object"}, NOW)
    queue.begin(run, CHILD)
    asking = ledger_of(database).get(run.run_id, OWNER, NOW)

    again = queue.give_up(run, HERE, "signal 9", NOW)

    assert again is not None
    assert (again.status, again.attempt, again.questions, again.message) == (
        RunStatus.WORKING,
        2,
        (),
        "to be resumed: signal 9",
    )
    assert again.revision == asking.revision + 1
    assert _claims(database, 1) == [run.run_id, later.run_id]


@pytest.mark.parametrize(
    ("resumable", "environment"), [(False, {}), (True, {"KEY": "value"})], ids=["not resumable", "with environment"]
)
def test_any_other_run_that_is_given_up_is_interrupted(
    database: Database, *, resumable: bool, environment: dict[str, str]
) -> None:
    run, attempt, queue = claimed(database, request(resumable=resumable, environment=environment))
    attempt.report("episode 3/9", NOW)

    end = queue.give_up(run, HERE, "signal 9", NOW)

    assert end is not None
    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)
    assert end.message == "interrupted: signal 9. Last heard: episode 3/9"


def test_a_run_that_brings_its_process_down_each_time_is_begun_no_more_than_three_times(database: Database) -> None:
    run, _, queue = claimed(database, request(resumable=True))
    for attempt in range(1, MAX_ATTEMPTS):
        queue.give_up(run, HERE, "signal 9", NOW)
        claim = queue.claim(NOW, handed=[])
        assert claim is not None
        run = claim.run
        assert run.attempt == attempt + 1

    end = queue.give_up(run, HERE, "signal 9", NOW)
    assert end is not None
    assert end.reason is RunReason.INTERRUPTED
    assert queue.claim(NOW, handed=[]) is None


@pytest.mark.parametrize("wrong", ["worker", "nobody", "attempt", "ended"])
def test_giving_up_what_has_moved_on_changes_nothing(database: Database, wrong: str) -> None:
    run, attempt, queue = claimed(database, request(resumable=True))
    if wrong == "ended":
        attempt.end(DONE, NOW)
    elif wrong == "attempt":
        queue.give_up(run, HERE, "crashed", NOW)
        queue.claim(NOW, handed=[])
    before = ledger_of(database).get(run.run_id, OWNER, NOW)

    worker = {"worker": OTHER, "nobody": None}.get(wrong, HERE)
    assert queue.give_up(run, worker, "gone", NOW) is None
    assert ledger_of(database).get(run.run_id, OWNER, NOW) == before


def _ask(attempt: RunAttempt) -> object:
    return attempt.ask("how many?", {"type": "object"}, NOW)


@pytest.mark.promise("store-old-attempts-are-lost")
@pytest.mark.parametrize("resumable", [True, False], ids=["resumed", "interrupted"])
@pytest.mark.parametrize(
    "say",
    [
        lambda attempt: attempt.report("old", NOW),
        _ask,
        lambda attempt: attempt.withdraw("q1", NOW),
        lambda attempt: attempt.save("part", "old"),
        lambda attempt: attempt.end(DONE, NOW),
        lambda attempt: attempt.answers(),
        lambda attempt: attempt.run(),
        lambda attempt: attempt.is_live(),
    ],
    ids=["report", "ask", "withdraw", "save", "end", "answers", "run", "is_live"],
)
def test_what_an_old_attempt_says_is_lost(
    database: Database, say: Callable[[RunAttempt], object], *, resumable: bool
) -> None:
    run, old, queue = claimed(database, request(resumable=resumable))
    old.save("part", "kept")
    queue.give_up(run, HERE, "taken for dead", NOW)
    before = ledger_of(database).get(run.run_id, OWNER, NOW)

    assert not say(old)

    assert ledger_of(database).get(run.run_id, OWNER, NOW) == before
    assert RunAttempt(database, run.run_id, before.attempt).saved() == {"part": "kept"}


def test_the_next_attempt_finds_what_was_saved_and_may_save_it_anew(database: Database) -> None:
    run, first, queue = claimed(database, request(resumable=True))
    first.save("episode 1", {"score": 1})
    first.save("episode 2", {"score": 2})
    queue.give_up(run, HERE, "crashed", NOW)
    queue.claim(NOW, handed=[])

    second = RunAttempt(database, run.run_id, 2)
    assert second.saved() == {"episode 1": {"score": 1}, "episode 2": {"score": 2}}
    assert second.save("episode 2", {"score": 3})
    assert second.saved()["episode 2"] == {"score": 3}


def test_eight_that_give_a_run_up_at_once_begin_it_once(place: Place, database: Database) -> None:
    run, _, _ = claimed(database, request(resumable=True))

    found = all_at_once(place, 8, lambda own, _number: RunQueue(own, OTHER).give_up(run, HERE, "gone", NOW))

    assert len([item for item in found if isinstance(item, Run)]) == 1
    assert found.count(None) == 7
    assert ledger_of(database).get(run.run_id, OWNER, NOW).attempt == 2


def test_renew_names_what_this_worker_has_and_nothing_else(database: Database) -> None:
    mine, attempt, queue = claimed(database)
    ended, ending, _ = claimed(database)
    ending.end(DONE, NOW)
    claimed(database, worker=OTHER)

    assert queue.renew() == {mine.run_id}
    assert queue.live([mine, ended]) == {mine.run_id}
    attempt.end(DONE, NOW)
    assert queue.renew() == set()
    assert queue.live([]) == set()
