"""A disk that is full at any page of a run's life: the step is refused, nothing of it is kept, later it works."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handrail.runs import RunStatus
from handrail.runs.outcome import Outcome
from handrail.runs.store import RunAttempt, RunQueue, StoreError, StoreProblem
from handrail.runs.store.opening import TABLES
from handrail.storage.database import closing
from handrail.storage.sqlite import SqliteDatabase, open_sqlite
from tests.runs.store.places import CHILD, HERE, LIMIT, NOW, OWNER, ledger_of, request
from tests.runs.store.processes import actor

LARGE = "x" * 20_000  # some pages
ROOM = 1_000_000


def _life(database: SqliteDatabase) -> Iterator[Callable[[], object]]:
    """The steps of one run's whole life, each of which writes."""
    ledger, queue = ledger_of(database), RunQueue(database, HERE)
    yield lambda: ledger.add(request(run_key="key", text=LARGE), NOW, limit=LIMIT)
    run = ledger.page(OWNER, NOW, limit=1, cursor=None).runs[0]
    attempt = RunAttempt(database, run.run_id, 1)
    yield lambda: queue.claim(NOW, handed=[])
    yield lambda: queue.begin(run, CHILD)
    yield lambda: attempt.report(LARGE, NOW)
    yield lambda: attempt.ask(LARGE, {"type": "string"}, NOW)
    yield lambda: ledger.answer(run.run_id, OWNER, {"q1": LARGE}, NOW)
    yield lambda: attempt.withdraw("q1", NOW)
    yield lambda: attempt.save("part", LARGE)
    yield lambda: attempt.save("other part", LARGE)
    yield lambda: attempt.end(Outcome(RunStatus.COMPLETED, "done", result={"text": LARGE}), NOW)
    yield lambda: ledger.keep(run.run_id, OWNER, NOW, kept=True)


def _content(database: SqliteDatabase) -> object:
    return database.read("SELECT * FROM runs"), database.read("SELECT * FROM saved")


def _bound(database: SqliteDatabase, pages: int) -> None:
    database.read(f"PRAGMA max_page_count = {pages}")


def _lives_through(database: SqliteDatabase) -> int:
    """A whole life; how many of its steps found the disk full, and worked once there was room."""
    refused = 0
    for step in _life(database):
        before = _content(database)
        if (problem := _problem_of(step)) is not None:
            refused += 1
            assert problem is StoreProblem.FULL
            assert problem.may_pass
            assert _content(database) == before
            _bound(database, ROOM)
            assert database.read("PRAGMA quick_check") == [("ok",)]
            step()
        assert _content(database) != before
    return refused


def _problem_of(step: Callable[[], object]) -> StoreProblem | None:
    try:
        step()
    except StoreError as error:
        return error.problem
    return None


@pytest.mark.promise("store-full-disk")
def test_a_disk_that_is_full_at_any_page_refuses_one_step_and_breaks_nothing(tmp_path: Path) -> None:
    refusals = []
    for more in range(200):
        home = tmp_path / str(more)
        home.mkdir()
        with closing(open_sqlite(home / "runs.db", TABLES)) as database:
            assert isinstance(database, SqliteDatabase)
            _bound(database, int(database.read("PRAGMA page_count")[0][0] or 0) + more)
            refusals.append(_lives_through(database))
            end = ledger_of(database).page(OWNER, NOW, limit=1, cursor=None).runs[0]
        assert (end.status, end.kept) == (RunStatus.COMPLETED, True)
        if refusals[-1] == 0:
            break

    assert refusals[-1] == 0
    assert set(refusals[:-1]) == {1}
    assert len(refusals) > 10


def test_a_file_that_may_grow_no_further_is_a_full_disk_at_any_page(tmp_path: Path) -> None:
    """A quota, or a bound of the process: the system says EFBIG there and not that the disk is full."""
    with actor("bounded", tmp_path) as bounded:
        said = bounded.says_all()

    assert said[-1] == "done ok"
    assert set(said[:-1]) == {"full ok"}
    assert len(said) > 10
