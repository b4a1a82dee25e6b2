"""How runs come into a store: within the limit, and once for a `run_key`."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from handrail.json_types import JsonObject
from handrail.runs import QueueFullError, Run, RunKeyReusedError, RunReason, RunStatus, StartRequest
from handrail.runs.outcome import Outcome
from handrail.runs.store import Database, Held, RunAttempt, RunQueue
from tests.runs.store.places import (
    AGE,
    CANCELLED,
    HERE,
    LIMIT,
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

REJECTED = Outcome(RunStatus.FAILED, "rejected before it began", RunReason.REJECTED, {"ok": False})
LATE = NOW + AGE + timedelta(seconds=1)


def test_a_started_run_is_there_for_every_connection(place: Place, database: Database) -> None:
    asked = request(run_key="key", resumable=True, number=1, text="ü", deep={"a": [None, True]})

    run = started(database, asked)

    other = place.open()
    assert ledger_of(other).get(run.run_id, OWNER, NOW) == run
    other.close()
    assert (run.agent, run.arguments, run.run_key) == ("agent", asked.arguments, "key")
    assert (run.status, run.created_at, run.revision, run.attempt) == (RunStatus.WORKING, NOW, 0, 1)


def test_the_same_key_gives_the_same_run_even_after_its_end_and_when_the_queue_is_full(database: Database) -> None:
    ledger = ledger_of(database)
    first = ledger.add(request(run_key="key", n=1), NOW, limit=1)

    assert ledger.add(request(run_key="key", n=1), NOW, limit=1) == first
    end = ledger.end(first.run_id, OWNER, CANCELLED, NOW)
    assert ledger.add(request(run_key="key", n=1), NOW, limit=1) == end


@pytest.mark.parametrize("arguments", [{"n": 2}, {}, {"n": 1, "m": None}, {"n": "1"}], ids=str)
def test_the_same_key_with_other_arguments_is_refused(database: Database, arguments: JsonObject) -> None:
    first = started(database, request(run_key="key", n=1))

    with pytest.raises(RunKeyReusedError) as caught:
        started(database, StartRequest("agent", arguments, OWNER, run_key="key"))

    assert caught.value.data == {"run_id": first.run_id}


def test_the_same_key_of_another_owner_is_another_run(database: Database) -> None:
    first = started(database, request(run_key="key", n=1))

    assert started(database, request(owner="you", run_key="key", n=2)).run_id != first.run_id


def test_a_key_is_free_again_once_its_run_is_over_its_time(database: Database) -> None:
    ledger = ledger_of(database)
    first = started(database, request(run_key="key", n=1))
    ledger.end(first.run_id, OWNER, CANCELLED, NOW)

    second = ledger.add(request(run_key="key", n=2), LATE, limit=LIMIT)

    assert second.run_id != first.run_id
    assert ledger.add(request(run_key="key", n=2), LATE, limit=LIMIT) == second


def test_a_run_that_is_kept_for_ever_keeps_its_key(database: Database) -> None:
    ledger = ledger_of(database)
    first = started(database, request(run_key="key"))
    ledger.end(first.run_id, OWNER, CANCELLED, NOW)
    ledger.keep(first.run_id, OWNER, NOW, kept=True)

    assert ledger.add(request(run_key="key"), LATE, limit=LIMIT).run_id == first.run_id


@pytest.mark.promise("store-one-run-for-a-key")
def test_twenty_starts_with_one_key_at_once_are_one_run(place: Place, database: Database) -> None:
    found = all_at_once(place, 20, lambda own, _number: started(own, request(run_key="key", n=1)))

    runs = [run for run in found if isinstance(run, Run)]
    assert len(runs) == 20
    assert len({run.run_id for run in runs}) == 1
    assert len(ledger_of(database).page(OWNER, NOW, limit=50, cursor=None).runs) == 1


@pytest.mark.promise("store-limit-holds")
def test_the_limit_holds_when_fifty_start_at_once(place: Place, database: Database) -> None:
    found = all_at_once(place, 50, lambda own, _number: ledger_of(own).add(request(), NOW, limit=7))

    assert len([run for run in found if isinstance(run, Run)]) == 7
    assert len([error for error in found if isinstance(error, QueueFullError)]) == 43
    assert len(ledger_of(database).page(OWNER, NOW, limit=50, cursor=None).runs) == 7


def test_threads_may_share_a_connection(database: Database) -> None:
    def lives(number: int) -> str:
        run = started(database, request(n=number))
        RunAttempt(database, run.run_id, 1).report(str(number), NOW)
        return ledger_of(database).get(run.run_id, OWNER, NOW).message

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lives, range(40), timeout=30)) == [str(number) for number in range(40)]


def test_a_full_queue_says_the_position_and_what_runs(database: Database) -> None:
    working, _, _ = claimed(database)
    started(database)

    with pytest.raises(QueueFullError) as caught:
        ledger_of(database).add(request(), NOW, limit=2)

    assert caught.value.data == {"limit": 2, "position": 2, "running": [working.run_id]}


def test_an_end_makes_room(database: Database) -> None:
    ledger = ledger_of(database)
    first = ledger.add(request(), NOW, limit=1)
    ledger.end(first.run_id, OWNER, CANCELLED, NOW)

    assert ledger.add(request(), NOW, limit=1).status is RunStatus.WORKING


def test_of_the_refused_the_last_hundred_of_each_owner_are_kept(database: Database) -> None:
    ledger = ledger_of(database)
    others = ledger.add_rejected(request(owner="you"), NOW, REJECTED)
    whole = started(database)
    kept = ledger.add_rejected(request(), NOW, REJECTED)
    ledger.keep(kept.run_id, OWNER, NOW, kept=True)
    refused = [ledger.add_rejected(request(), NOW, REJECTED).run_id for _ in range(103)]

    assert ledger.known([whole.run_id, others.run_id, kept.run_id, *refused]) == {
        whole.run_id,
        others.run_id,
        kept.run_id,
        *refused[-100:],
    }


def test_a_refused_run_takes_no_key_and_no_place_in_the_queue(database: Database) -> None:
    ledger = ledger_of(database)
    first = started(database, request(run_key="key"))

    refused = ledger.add_rejected(request(run_key="key", n=2), NOW, REJECTED)

    assert (refused.run_key, refused.result, refused.reason) == (None, {"ok": False}, RunReason.REJECTED)
    assert ledger.end(first.run_id, OWNER, CANCELLED, NOW).status is RunStatus.CANCELLED
    assert not ledger.has_live()


def test_whether_a_run_needs_its_callers_environment_is_kept_and_the_environment_is_not(
    place: Place, database: Database
) -> None:
    run, _, _ = claimed(database, request(environment={"KEY": "canary-secret"}))

    tables = [database.read("SELECT * FROM runs"), database.read("SELECT * FROM saved")]
    assert run.run_id in str(tables)
    assert "canary-secret" not in str(tables)
    assert not [path for path in place.home.rglob("*") if path.is_file() and b"canary-secret" in path.read_bytes()]


def test_a_home_that_is_opened_again_has_its_runs(place: Place, database: Database) -> None:
    run, attempt, _ = claimed(database)
    attempt.save("part", [1])
    database.close()

    again = place.open()
    assert ledger_of(again).get(run.run_id, OWNER, NOW) == run
    assert RunAttempt(again, run.run_id, 1).saved() == {"part": [1]}
    assert [held.worker for held in _others(again)] == [HERE]
    again.close()


def _others(database: Database) -> list[Held]:
    return RunQueue(database, OTHER).others()
