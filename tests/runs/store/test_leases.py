"""Leases on PostgreSQL: the database's clock says whether a worker far away may still have its run."""

import threading

import pytest

from handrail.runs import RunStatus
from handrail.runs.store import Database, RunQueue
from tests.runs.store.places import HERE, NOW, OTHER, OWNER, THERE, Place, ledger_of, request, started

SHORT = 0.2
LONG = 600.0


@pytest.fixture
def place(postgres_place: Place) -> Place:
    """PostgreSQL alone."""
    return postgres_place


def _over(queue: RunQueue) -> list[bool]:
    return [held.lease_over for held in queue.others()]


def _until_over(queue: RunQueue) -> None:
    """Wait, within bounds, until the database says that a lease is over: nobody tells when time has passed."""
    look = threading.Event()
    for _ in range(200):
        if _over(queue) == [True]:
            return
        look.wait(0.02)
    pytest.fail("the lease is never over")


def test_a_lease_is_over_after_its_time_and_not_before(place: Place, database: Database) -> None:
    started(database)
    RunQueue(database, THERE, lease_s=LONG).claim(NOW, handed=[])
    second = place.open()
    watcher = RunQueue(second, OTHER)

    assert _over(watcher) == [False]
    RunQueue(database, THERE, lease_s=SHORT).renew()
    _until_over(watcher)
    RunQueue(database, THERE, lease_s=LONG).renew()
    assert _over(watcher) == [False]
    second.close()


@pytest.mark.promise("store-takes-over-after-the-lease")
def test_a_far_workers_run_is_not_given_up_before_its_lease_is_over(place: Place, database: Database) -> None:
    run = started(database, request(resumable=True))
    far = RunQueue(database, THERE, lease_s=LONG)
    claim = far.claim(NOW, handed=[])
    assert claim is not None
    second = place.open()
    watcher = RunQueue(second, OTHER)

    assert watcher.give_up(claim.run, THERE, "its machine is silent", NOW) is None
    RunQueue(database, THERE, lease_s=SHORT).renew()
    _until_over(watcher)
    again = watcher.give_up(claim.run, THERE, "its machine is silent", NOW)

    assert again is not None
    assert (again.run_id, again.attempt) == (run.run_id, 2)
    second.close()


def test_a_worker_that_slept_past_its_lease_finds_its_run_gone(place: Place, database: Database) -> None:
    run = started(database, request(resumable=True))
    sleeper = RunQueue(database, THERE, lease_s=SHORT)
    claim = sleeper.claim(NOW, handed=[])
    assert claim is not None
    second = place.open()
    watcher = RunQueue(second, OTHER, lease_s=LONG)
    _until_over(watcher)
    watcher.give_up(claim.run, THERE, "its machine is silent", NOW)
    taken = watcher.claim(NOW, handed=[])

    assert taken is not None
    assert sleeper.renew() == set()
    assert sleeper.live([claim.run]) == set()
    assert watcher.renew() == watcher.live([taken.run]) == {run.run_id}
    second.close()


def test_a_worker_that_wakes_before_anybody_else_came_goes_on(place: Place, database: Database) -> None:
    run = started(database, request(resumable=True))
    sleeper = RunQueue(database, THERE, lease_s=SHORT)
    claim = sleeper.claim(NOW, handed=[])
    assert claim is not None
    second = place.open()
    watcher = RunQueue(second, OTHER)
    _until_over(watcher)

    assert RunQueue(database, THERE, lease_s=LONG).renew() == {run.run_id}
    assert watcher.give_up(claim.run, THERE, "its machine is silent", NOW) is None
    assert ledger_of(second).get(run.run_id, OWNER, NOW).status is RunStatus.WORKING
    second.close()


def test_a_worker_of_the_same_home_is_given_up_at_once_by_who_knows_that_it_is_dead(database: Database) -> None:
    started(database, request(resumable=True))
    claim = RunQueue(database, HERE, lease_s=LONG).claim(NOW, handed=[])
    assert claim is not None

    again = RunQueue(database, OTHER).give_up(claim.run, HERE, "killed", NOW)

    assert again is not None
    assert again.attempt == 2
