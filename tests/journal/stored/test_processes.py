"""Several processes with one journal, and what is in it when one of them is killed."""

from contextlib import ExitStack

import pytest

from handrail.journal import Bounds, CallOutcome
from tests.journal.places import Kind, Place, all_rows
from tests.journal.stored.started import actor


@pytest.mark.promise("journal-crash-is-unknown")
async def test_a_call_whose_process_was_killed_before_its_end_is_there_and_unknown(place: Place) -> None:
    async with place.journal() as journal:
        with actor("begin", place) as other:
            journal_id = other.hears()
            assert (await journal.get(journal_id)).outcome is CallOutcome.OPEN
            other.kill()
        row = await journal.get(journal_id)

    assert row.outcome is CallOutcome.UNKNOWN
    assert row.ended_at is None
    assert row.said["tool"] == "tables_db_update_row"


async def test_the_same_process_left_alone_says_its_end(place: Place) -> None:
    async with place.journal() as journal:
        with actor("begin", place) as other:
            journal_id = other.hears()
            other.tell()
            assert other.says_all() == ["ended"]

        assert (await journal.get(journal_id)).outcome is CallOutcome.DONE


@pytest.mark.promise("journal-shared")
async def test_a_thousand_calls_of_eight_processes_are_all_there_in_one_order(place: Place) -> None:
    with ExitStack() as stack:
        actors = [stack.enter_context(actor("many", place)) for _ in range(8)]
        assert [one.hears() for one in actors] == ["ready"] * 8
        for one in actors:
            one.tell()
        told = [[line.split() for line in one.says_all()] for one in actors]

    async with place.journal() as journal:
        in_database = await all_rows(journal, limit=1000)
    async with place.journal(bounds=Bounds() if place.kind is Kind.SQLITE else None) as journal:
        rows = await all_rows(journal, limit=1000)

    ids = [row.journal_id for row in rows]
    assert len(ids) == len(set(ids)) == 1000
    statuses = {row.journal_id: row.status for row in rows}
    assert statuses == {journal_id: int(number) for lines in told for journal_id, number in lines}
    assert {row.outcome for row in rows} == {CallOutcome.DONE}
    assert (len(in_database) < 1000) is (place.kind is Kind.SQLITE)  # the rest is in archives
    for lines in told:
        tenth = [journal_id for journal_id, number in lines if int(number) % 10 == 0]
        assert [found for found in reversed(ids) if found in set(tenth)] == tenth
