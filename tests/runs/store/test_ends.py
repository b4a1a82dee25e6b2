"""How runs end in a store: once, whoever else tries, and only for their owner."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from handrail.runs import Run, RunNotFoundError, RunReason, RunStatus
from handrail.runs.outcome import Outcome
from handrail.runs.store import Database, RunAttempt, RunQueue
from tests.runs.store.places import (
    AGE,
    CANCELLED,
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

Act = Callable[[Database, Run], object]


def _cancel(database: Database, run: Run) -> object:
    return ledger_of(database).end(run.run_id, OWNER, CANCELLED, NOW)


def _finish(database: Database, run: Run) -> object:
    return RunAttempt(database, run.run_id, run.attempt).end(DONE, NOW)


def _give_up(database: Database, run: Run) -> object:
    return RunQueue(database, OTHER).give_up(run, HERE, "its worker has gone", NOW)


@pytest.mark.promise("store-one-end")
@pytest.mark.parametrize("acts", [[_cancel, _finish], [_finish, _give_up], [_cancel, _finish, _give_up]])
def test_of_many_that_end_a_run_at_once_one_wins_and_its_end_stays(
    place: Place, database: Database, acts: list[Act]
) -> None:
    run, _, _ = claimed(database)

    found = all_at_once(place, 12, lambda own, number: (acts[number % len(acts)], acts[number % len(acts)](own, run)))

    end = ledger_of(database).get(run.run_id, OWNER, NOW)
    assert end.status.is_terminal
    assert end.revision == run.revision + 1
    assert not [item for item in found if isinstance(item, Exception)]
    winners = [item for item in found if not isinstance(item, Exception) and item[0] is not _cancel and item[1]]
    assert len(winners) == (0 if end.reason is RunReason.CANCELLED else 1)


def test_an_ended_run_stays_as_it_is(database: Database) -> None:
    run, attempt, queue = claimed(database)
    ledger = ledger_of(database)
    end = ledger.end(run.run_id, OWNER, CANCELLED, NOW)
    later = NOW + timedelta(seconds=1)

    assert ledger.end(run.run_id, OWNER, DONE, later) == end
    assert attempt.end(DONE, later) is None
    assert queue.give_up(run, HERE, "gone", later) is None
    assert ledger.answer(run.run_id, OWNER, {"q1": 1}, later) == end
    assert ledger.decline(run.run_id, OWNER, ["q1"], later) == end
    assert ledger.get(run.run_id, OWNER, later) == end


def test_an_end_keeps_its_result_its_message_and_its_reason(database: Database) -> None:
    run, attempt, _ = claimed(database)
    outcome = Outcome(RunStatus.FAILED, "no", RunReason.CRASHED, {"ok": False, "list": [1, 2.5, None, {"a": "ü"}]})

    end = attempt.end(outcome, NOW)

    assert end == ledger_of(database).get(run.run_id, OWNER, NOW)
    assert end is not None
    assert (end.status, end.message, end.reason, end.result) == (
        outcome.status,
        outcome.message,
        outcome.reason,
        outcome.result,
    )


def test_a_run_that_waits_can_be_ended_and_is_not_taken_then(database: Database) -> None:
    run = started(database)
    ledger_of(database).end(run.run_id, OWNER, CANCELLED, NOW)

    assert RunQueue(database, HERE).claim(NOW, handed=[]) is None
    assert not ledger_of(database).has_live()


def test_an_end_takes_the_questions_away(database: Database) -> None:
    run, attempt, _ = claimed(database)
    attempt.ask("how many?", {"type": "object"}, NOW)

    assert ledger_of(database).end(run.run_id, OWNER, CANCELLED, NOW).questions == ()


@pytest.mark.parametrize("run_id", ["foreign", "nothing", "", "a\0b", "\ud800", "ü" * 300])
def test_a_foreign_run_is_as_unknown_as_none(database: Database, run_id: str) -> None:
    foreign = started(database, request(owner="somebody else"))
    asked = foreign.run_id if run_id == "foreign" else run_id
    ledger = ledger_of(database)
    acts: list[Callable[[], object]] = [
        lambda: ledger.get(asked, OWNER, NOW),
        lambda: ledger.end(asked, OWNER, CANCELLED, NOW),
        lambda: ledger.answer(asked, OWNER, {"q1": 1}, NOW),
        lambda: ledger.decline(asked, OWNER, ["q1"], NOW),
        lambda: ledger.keep(asked, OWNER, NOW, kept=True),
    ]

    for act in acts:
        with pytest.raises(RunNotFoundError) as caught:
            act()
        assert caught.value.message.startswith("There is no run ")
    assert ledger.page(OWNER, NOW, limit=10, cursor=None).runs == ()
    assert ledger.get(foreign.run_id, "somebody else", NOW) == foreign


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_jumps_makes_no_run_older_than_its_start(database: Database, hours: int) -> None:
    run, attempt, _ = claimed(database)
    jumped = NOW + timedelta(hours=hours)
    moments = [attempt.report("one", jumped), attempt.report("two", NOW), attempt.end(DONE, jumped)]

    seen = [run.created_at, *(found.updated_at for found in moments if found is not None)]
    assert len(seen) == 4
    assert seen == sorted(seen)


def test_a_run_that_is_over_the_time_it_was_kept_is_unknown(database: Database) -> None:
    run, attempt, _ = claimed(database)
    attempt.end(DONE, NOW)
    ledger = ledger_of(database)

    assert ledger.get(run.run_id, OWNER, NOW + AGE).status is RunStatus.COMPLETED
    with pytest.raises(RunNotFoundError):
        ledger.get(run.run_id, OWNER, NOW + AGE + timedelta(seconds=1))


def test_a_run_that_should_end_only_where_it_waits_is_left_alone_once_it_was_taken(database: Database) -> None:
    taken, _, _ = claimed(database)
    waiting = started(database)
    ledger = ledger_of(database)

    assert ledger.end_waiting(taken.run_id, CANCELLED, NOW) is None
    end = ledger.end_waiting(waiting.run_id, CANCELLED, NOW)

    assert end is not None
    assert end.status is RunStatus.CANCELLED
    assert ledger.end_waiting(waiting.run_id, DONE, NOW) is None
    assert ledger.get(taken.run_id, OWNER, NOW) == taken
