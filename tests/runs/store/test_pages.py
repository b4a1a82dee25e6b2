"""Which runs a store shows, page by page, and for how long."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from handrail.runs import CursorError, RunStatus
from handrail.runs.store import Database, RunAttempt
from tests.runs.store.places import AGE, CANCELLED, DONE, NOW, OWNER, claimed, ledger_of, request, started

LATE = NOW + AGE + timedelta(seconds=1)


def _all(database: Database, size: int) -> list[str]:
    """The ids of all pages."""
    ledger, cursor = ledger_of(database), None
    found: list[str] = []
    while True:
        page = ledger.page(OWNER, LATE, limit=size, cursor=cursor)
        found += [run.run_id for run in page.runs]
        if page.next_cursor is None:
            return found
        assert len(page.runs) == size
        cursor = page.next_cursor


def test_pages_show_every_run_once_newest_first_and_none_that_is_over(database: Database) -> None:
    ledger = ledger_of(database)
    shown = []
    for number in range(210):
        run = ledger.add(request(n=number), NOW, limit=500)
        ledger.add(request(owner="you"), NOW, limit=500)
        if number % 10 in {1, 2, 3}:
            ledger.end(run.run_id, OWNER, CANCELLED, LATE if number % 10 == 3 else NOW)
        if number % 10 == 2:
            ledger.keep(run.run_id, OWNER, NOW, kept=True)
        if number % 10 != 1:
            shown.append(run.run_id)

    assert _all(database, 7) == shown[::-1]
    assert _all(database, len(shown)) == shown[::-1]
    assert [len(ledger.page(OWNER, LATE, limit=size, cursor=None).runs) for size in (0, -5, 10**6)] == [
        1,
        1,
        len(shown),
    ]


def test_a_run_that_starts_meanwhile_moves_no_page(database: Database) -> None:
    runs = [started(database).run_id for _ in range(4)]
    ledger = ledger_of(database)
    first = ledger.page(OWNER, NOW, limit=2, cursor=None)
    started(database)

    second = ledger.page(OWNER, NOW, limit=2, cursor=first.next_cursor)

    assert [run.run_id for page in (first, second) for run in page.runs] == runs[::-1]


def test_pages_leave_the_results_out(database: Database) -> None:
    run, attempt, _ = claimed(database)
    attempt.end(DONE, NOW)

    assert [found.result for found in ledger_of(database).page(OWNER, NOW, limit=5, cursor=None).runs] == [None]
    assert ledger_of(database).get(run.run_id, OWNER, NOW).result == DONE.result


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "٣", "9" * 21, "1; DROP TABLE runs"])
def test_a_cursor_of_another_kind_is_refused(database: Database, cursor: str) -> None:
    with pytest.raises(CursorError):
        ledger_of(database).page(OWNER, NOW, limit=5, cursor=cursor)


@pytest.mark.parametrize(("cursor", "shown"), [("0", 0), ("9" * 20, 1), (str(2**63), 1), ("0" * 20, 0)])
def test_a_cursor_beyond_every_run_is_a_page_like_others(database: Database, cursor: str, shown: int) -> None:
    started(database)

    assert len(ledger_of(database).page(OWNER, NOW, limit=5, cursor=cursor).runs) == shown


@pytest.mark.promise("store-retention")
def test_ended_runs_are_forgotten_a_week_after_their_end_with_what_they_saved(database: Database) -> None:
    ledger = ledger_of(database)
    ended, kept, live, young = (claimed(database)[0].run_id for _ in range(4))
    for run_id in (ended, kept, live, young):
        RunAttempt(database, run_id, 1).save("part", run_id)
    for run_id, at in ((ended, NOW), (kept, NOW), (young, NOW + timedelta(seconds=2))):
        ledger.end(run_id, OWNER, DONE, at)
    ledger.keep(kept, OWNER, NOW, kept=True)

    assert ledger.forget_over(NOW + AGE) == []
    assert ledger.forget_over(LATE) == [ended]

    assert ledger.known([ended, kept, live, young]) == {kept, live, young}
    assert {row[0] for row in database.read("SELECT run_id FROM saved")} == {kept, live, young}
    assert ledger.get(live, OWNER, LATE + 50 * AGE).status is RunStatus.WORKING


def test_a_run_that_is_kept_no_longer_is_as_old_as_its_end(database: Database) -> None:
    run, attempt, _ = claimed(database)
    ledger = ledger_of(database)
    attempt.end(DONE, NOW)
    kept = ledger.keep(run.run_id, OWNER, NOW, kept=True)

    assert kept.kept
    assert ledger.keep(run.run_id, OWNER, LATE, kept=True) == kept
    assert ledger.get(run.run_id, OWNER, LATE) == kept
    with database.write() as sql:
        sql("UPDATE runs SET kept = 0")
    assert ledger.forget_over(LATE) == [run.run_id]


def test_a_week_is_counted_from_the_end_and_not_from_the_start(database: Database) -> None:
    run, attempt, _ = claimed(database)
    attempt.end(DONE, NOW + 3 * AGE)

    assert ledger_of(database).forget_over(NOW + 4 * AGE) == []
    assert ledger_of(database).get(run.run_id, OWNER, NOW + 4 * AGE).status is RunStatus.COMPLETED


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_jumps_drops_no_run_that_works(database: Database, hours: int) -> None:
    run, _, _ = claimed(database)
    ledger = ledger_of(database)

    assert ledger.forget_over(NOW + timedelta(hours=hours)) == []
    assert ledger.get(run.run_id, OWNER, NOW + timedelta(hours=hours)) == run


def test_revisions_grow_with_each_change_and_are_told_of_any_number_of_runs(database: Database) -> None:
    ledger = ledger_of(database)
    run, attempt, queue = claimed(database)
    seen = [run.revision]
    changes: list[Callable[[], object]] = [
        lambda: attempt.report("one", NOW),
        lambda: attempt.ask("how many?", {}, NOW),
        lambda: ledger.answer(run.run_id, OWNER, {"q1": 1}, NOW),
        lambda: attempt.withdraw("q1", NOW),
        lambda: attempt.end(DONE, NOW),
        lambda: ledger.keep(run.run_id, OWNER, NOW, kept=True),
    ]
    for change in changes:
        change()
        seen.append(ledger.revisions([run.run_id])[run.run_id])

    assert seen == sorted(set(seen))
    many = [f"{number:044x}" for number in range(70_000)]
    assert ledger.known([*many, run.run_id]) == {run.run_id}
    assert ledger.revisions([]) == {}
    assert queue.waiting() == 0
