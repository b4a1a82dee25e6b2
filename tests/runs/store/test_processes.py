"""A store that several processes use, and what is left in it when one of them is killed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from handrail.runs import RunStatus
from handrail.runs.store import Database, RunAttempt, StoreError, StoreProblem
from handrail.runs.store.opening import TABLES
from handrail.storage.database import closing
from handrail.storage.lock import held_lock
from handrail.storage.sqlite import open_sqlite
from tests.runs.store.places import CANCELLED, DONE, NOW, OWNER, Place, claimed, ledger_of, started
from tests.runs.store.processes import actor

SHORT = 0.2


@pytest.mark.promise("store-both-or-neither")
def test_a_process_killed_inside_a_transaction_leaves_nothing_of_it(place: Place, database: Database) -> None:
    run, attempt, _ = claimed(database)

    with actor("end-half", place.home, place.url) as killed:
        assert killed.hears() == "inside"
        killed.kill()

    ledger = ledger_of(database)
    assert ledger.get(run.run_id, OWNER, NOW) == run
    assert attempt.saved() == {}
    end = attempt.end(DONE, NOW)
    assert end is not None
    assert end.result == DONE.result


def test_the_same_process_left_alone_leaves_all_of_it(place: Place, database: Database) -> None:
    run, attempt, _ = claimed(database)

    with actor("end-half", place.home, place.url) as well:
        assert well.hears() == "inside"
        well.tell()
        well.says_all()

    assert ledger_of(database).get(run.run_id, OWNER, NOW).status is RunStatus.COMPLETED
    assert attempt.saved() == {"part": 1}


@pytest.mark.parametrize("lines", [1, 2, 17, 40])
def test_what_a_process_had_told_before_it_was_killed_is_there(place: Place, database: Database, lines: int) -> None:
    with actor("live-on", place.home, place.url) as killed:
        told = [killed.hears() for _ in range(lines)]
        told += killed.kill()

    whole = [line.split() for line in told if len(line.split()) == 2 and len(line.split()[1]) == 44]
    ledger = ledger_of(database)
    for word, run_id in whole:
        run = ledger.get(run_id, OWNER, NOW)
        if word == "ended":
            assert run.result == {"text": "x" * 5000}
            assert RunAttempt(database, run_id, 1).saved() == {"part": run_id}
    assert len(whole) >= lines
    count = database.read("SELECT count(*) FROM runs")[0][0]
    assert count in {len({run_id for _, run_id in whole}), len({run_id for _, run_id in whole}) + 1}
    assert database.read("SELECT count(*) FROM runs WHERE (status = 'completed') <> (result IS NOT NULL)") == [(0,)]
    assert started(database).message == "queued"


def test_eight_processes_that_come_to_an_empty_home_make_one_store(tmp_path: Path) -> None:
    with ExitStack() as stack:
        actors = [stack.enter_context(actor("open", tmp_path)) for _ in range(8)]
        assert [one.hears() for one in actors] == ["ready"] * 8
        for one in actors:
            one.tell()
        assert [one.says_all() for one in actors] == [["opened 0"]] * 8


def test_twenty_that_come_to_an_empty_database_make_one_store(postgres_place: Place) -> None:
    barrier = threading.Barrier(20)

    def come(_number: int) -> object:
        barrier.wait(30)
        with closing(postgres_place.open()) as database:
            return database.read("SELECT version FROM runs_schema")

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(come, range(20), timeout=60)) == [[(1,)]] * 20


def test_a_writer_that_stays_too_long_is_a_busy_store_and_reads_go_on(tmp_path: Path) -> None:
    with closing(open_sqlite(tmp_path / "runs.db", TABLES, busy_seconds=SHORT)) as database:
        run = started(database)
        with actor("hold", tmp_path) as holder:
            assert holder.hears() == "inside"

            assert ledger_of(database).get(run.run_id, OWNER, NOW) == run
            with pytest.raises(StoreError) as caught:
                ledger_of(database).end(run.run_id, OWNER, CANCELLED, NOW)
            assert caught.value.problem is StoreProblem.BUSY
            assert caught.value.problem.may_pass
            holder.tell()
            assert holder.hears() == "left"

        assert ledger_of(database).end(run.run_id, OWNER, CANCELLED, NOW).status is RunStatus.CANCELLED


def test_a_lock_that_others_keep_too_long_is_a_busy_store_on_the_server_too(postgres_place: Place) -> None:
    with closing(postgres_place.open()) as database:
        run = started(database)
        database.read(f"SET lock_timeout = {int(SHORT * 1000)}")
        with actor("hold", postgres_place.home, postgres_place.url) as holder:
            assert holder.hears() == "inside"

            assert ledger_of(database).get(run.run_id, OWNER, NOW) == run
            with pytest.raises(StoreError) as caught:
                ledger_of(database).end(run.run_id, OWNER, CANCELLED, NOW)
            assert caught.value.problem is StoreProblem.BUSY
            holder.tell()
            assert holder.hears() == "left"

        assert ledger_of(database).end(run.run_id, OWNER, CANCELLED, NOW).status is RunStatus.CANCELLED


def test_a_server_bounds_what_a_connection_may_do_to_others(postgres_place: Place) -> None:
    names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    with closing(postgres_place.open()) as database:
        assert [database.read(f"SHOW {name}") for name in names] == [[("10s",)]] * 3


def test_a_file_has_every_commit_on_disk(tmp_path: Path) -> None:
    for _ in range(2):
        with closing(open_sqlite(tmp_path / "runs.db", TABLES)) as database:
            assert database.read("PRAGMA journal_mode") == [("wal",)]
            assert database.read("PRAGMA synchronous") == [(2,)]


def test_a_store_that_another_opens_for_too_long_is_busy(tmp_path: Path) -> None:
    with held_lock(tmp_path / "runs.lock"), pytest.raises(StoreError) as caught:
        open_sqlite(tmp_path / "runs.db", TABLES, busy_seconds=SHORT / 2)

    assert caught.value.problem is StoreProblem.BUSY
    assert list(tmp_path.iterdir()) == [tmp_path / "runs.lock"]
    open_sqlite(tmp_path / "runs.db", TABLES).close()


def test_a_second_connection_that_goes_takes_none_of_the_firsts_locks_with_it(tmp_path: Path) -> None:
    """Else a process that leaves as the last one would take the log away under the first, and its writes with it."""
    with closing(open_sqlite(tmp_path / "runs.db", TABLES)) as first:
        early = started(first)
        open_sqlite(tmp_path / "runs.db", TABLES).close()
        with actor("open", tmp_path) as other:
            other.tell()
            assert other.says_all() == ["ready", "opened 1"]
        late = started(first)

        with actor("open", tmp_path) as other:
            other.tell()
            assert other.says_all() == ["ready", "opened 2"]
    with closing(open_sqlite(tmp_path / "runs.db", TABLES)) as again:
        assert ledger_of(again).known([early.run_id, late.run_id]) == {early.run_id, late.run_id}


def test_changes_of_others_are_noticed_and_ones_own_are_not(tmp_path: Path) -> None:
    with (
        closing(open_sqlite(tmp_path / "runs.db", TABLES)) as database,
        closing(open_sqlite(tmp_path / "runs.db", TABLES)) as other,
    ):
        before = database.changes()
        run = started(database)
        assert database.changes() == before

        RunAttempt(other, run.run_id, 1).report("news", NOW)
        assert database.changes() != before
