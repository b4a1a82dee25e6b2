"""A journal that has grown too large: its older half goes into a file, and nothing of it is lost on the way."""

import gzip
import json
import logging
import os
import stat
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from itertools import repeat
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from handrail.journal import Bounds, CallOutcome, Journal, JournalError, JournalIdError
from handrail.journal.archives import Archives
from handrail.journal.book import Book
from handrail.journal.rotation import Rotation
from handrail.journal.rows import Placed
from handrail.storage import closing, held_lock
from tests.journal.places import Kind, Place, all_rows, entry, now
from tests.journal.stored.started import actor

SMALL = Bounds(rows=8)
BOUND_S = 30


def _archive(place: Place, bounds: Bounds = SMALL, *, stopped: Callable[[], bool] = lambda: False) -> list[str]:
    """Look at the journal once; the names of the archives that there are then."""
    with closing(place.open()) as database:
        Rotation(place.book(database), Archives(place.home), bounds, stopped).run()
    return _names(place.home)


def _names(home: Path) -> list[str]:
    return sorted(path.name for path in home.iterdir() if path.name.endswith(".gz"))


def _lines(home: Path) -> list[str]:
    """The ids of all archives, in the order of their lines."""
    found = []
    for name in _names(home):
        with gzip.open(home / name, "rt", encoding="utf-8") as file:
            found += [json.loads(line)["id"] for line in file]
    return found


async def _filled(place: Place, count: int = 12, *, clock: Callable[[], datetime] = now) -> list[str]:
    """So many calls that have ended, the oldest first."""
    async with place.journal(clock=clock) as journal:
        return [await journal.note(entry(number), "done", status=number) for number in range(count)]


def _filled_at_once(place: Place, count: int) -> list[str]:
    """The same in one commit."""
    with closing(place.open()) as database, database.write() as sql:
        book = place.book(database)
        ids = [book.begin(sql, "me", "{}") for _ in range(count)]
        for journal_id in ids:
            book.end(sql, journal_id, CallOutcome.DONE)
    return ids


@pytest.mark.promise("journal-nothing-lost")
async def test_the_older_half_goes_into_a_file_that_tells_everything(place: Place) -> None:
    ids = await _filled(place)
    async with place.journal() as journal:
        before = [row.as_json() for row in await all_rows(journal)]

    assert _archive(place) == ["journal-1.jsonl.gz"]

    assert _lines(place.home) == ids[:8]
    assert place.ids() == set(ids[8:])
    assert stat.S_IMODE((place.home / "journal-1.jsonl.gz").stat().st_mode) == 0o600
    async with place.journal(bounds=Bounds()) as journal:
        assert [row.as_json() for row in await all_rows(journal)] == before
        assert [(await journal.get(one)).as_json() for one in reversed(ids)] == before
        assert (await journal.get(ids[0][:30])).journal_id == ids[0]


async def test_a_journal_within_its_bounds_is_left_alone(place: Place) -> None:
    ids = await _filled(place, 8)

    assert _archive(place) == []
    assert place.ids() == set(ids)


async def test_few_rows_that_are_large_count_too(place: Place) -> None:
    async with place.journal() as journal:
        ids = [await journal.note(entry(arguments={"a": "x" * 3000}), "done") for _ in range(8)]

    assert _archive(place, Bounds(rows=1000, characters=20_000)) == ["journal-1.jsonl.gz"]
    assert _lines(place.home) == ids[:5]  # the other three have less than half of the bound


async def test_archive_after_archive_keeps_every_row_in_its_order(place: Place) -> None:
    ids: list[str] = []
    for _ in range(3):
        ids += await _filled(place)
        _archive(place)

    assert _names(place.home) == ["journal-1.jsonl.gz", "journal-2.jsonl.gz", "journal-3.jsonl.gz"]
    assert _lines(place.home) == ids[:32]
    async with place.journal(bounds=Bounds()) as journal:
        for limit in (1, 4, 5, 36, 100):
            assert [row.journal_id for row in await all_rows(journal, limit=limit)] == ids[::-1]
        assert [row.journal_id for row in await all_rows(journal, owner="you")] == []


async def test_rows_since_a_moment_come_from_the_archives_too(sqlite: Place) -> None:
    start = now() - timedelta(days=1)
    for part in range(3):
        await _filled(sqlite, clock=repeat(start + timedelta(hours=part)).__next__)
        _archive(sqlite)

    async with sqlite.journal(bounds=Bounds()) as journal:
        counts = [len((await journal.list(since=start + timedelta(hours=h), limit=100)).rows) for h in range(4)]

    assert counts == [36, 24, 12, 0]


async def test_an_archive_that_is_there_is_never_written_over(sqlite: Place) -> None:
    theirs = sqlite.home / "journal-7.jsonl.gz"
    theirs.write_bytes(gzip.compress(b""))
    await _filled(sqlite)

    assert _archive(sqlite) == ["journal-7.jsonl.gz", "journal-8.jsonl.gz"]
    assert theirs.read_bytes() == gzip.compress(b"")


async def test_a_call_that_is_at_work_and_what_follows_it_stay(place: Place) -> None:
    async with place.journal() as journal:
        first = [await journal.note(entry(), "done") for _ in range(2)]
        at_work = await journal.begin(entry())
        rest = [await journal.note(entry(), "done") for _ in range(9)]
        _archive(place)
        assert _lines(place.home) == first
        assert await journal.finish(at_work, "done")

    assert place.ids() == {at_work, *rest}


async def test_a_journal_whose_oldest_call_is_at_work_makes_no_archive(place: Place) -> None:
    async with place.journal() as journal:
        await journal.begin(entry())
        for _ in range(12):
            await journal.note(entry(), "done")
        assert _archive(place) == []


async def test_what_becomes_known_of_a_call_after_it_was_archived_as_unknown_still_counts(place: Place) -> None:
    with actor("begin", place) as other:
        journal_id = other.hears()
        other.kill()
    await _filled(place)
    _archive(place)
    async with place.journal(bounds=Bounds()) as journal:
        assert journal_id not in place.ids()
        assert (await journal.get(journal_id)).outcome is CallOutcome.UNKNOWN
        assert await journal.finish(journal_id, "done", status=201)
        row = await journal.get(journal_id)
        listed = (await all_rows(journal))[-1]

    assert (row.outcome, row.status) == (CallOutcome.DONE, 201)
    assert listed == row


async def test_an_end_that_comes_between_the_file_and_the_deletion_is_not_lost(place: Place) -> None:
    with actor("begin", place) as other:
        journal_id = other.hears()
        other.kill()
    await _filled(place)
    with closing(place.open()) as database:
        book = place.book(database)
        with database.write() as sql:
            book.settle(sql, [journal_id])  # it is archived as unknown ...
        async with place.journal() as journal:
            await journal.finish(journal_id, "done")  # ... and then its process wakes up
        book.archived(1, 1000, "journal-1.jsonl.gz")
        book.delete([journal_id])

        assert [row.outcome for row in book.late_ends([journal_id]).values()] == [CallOutcome.DONE]


@pytest.mark.promise("journal-nothing-lost")
async def test_killed_at_any_point_each_row_is_in_at_least_one_place(sqlite: Place) -> None:
    ids = await _filled(sqlite, 12)
    with actor("rotate", sqlite) as rotating:
        told = [line.split() for line in rotating.says_all()]

    seen = set()
    for point, home, ended in told:
        place = Place(Kind.SQLITE, Path(home))
        archived = set(_lines(place.home))
        assert archived | place.ids() == set(ids), f"killed at {point}"
        seen.add((ended, bool(archived), len(place.ids())))
        _archive(place)
        assert not [*place.home.glob(".*.part")]
        async with place.journal(bounds=Bounds()) as journal:
            assert [row.journal_id for row in (await journal.list(limit=1000)).rows] == ids[::-1]
    assert seen >= {("killed", False, 12), ("killed", True, 12), ("killed", True, 4)}
    assert len(told) > 60


@pytest.mark.promise("journal-nothing-lost")
async def test_a_disk_that_is_full_for_the_archive_leaves_the_rows(
    sqlite: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await _filled(sqlite)

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            _archive(sqlite)

    assert place_is_whole(sqlite, ids)
    assert _archive(sqlite) == ["journal-1.jsonl.gz"]


def place_is_whole(place: Place, ids: list[str]) -> bool:
    """Every row in the database, and no trace of an archive."""
    return place.ids() == set(ids) and not [path for path in place.home.iterdir() if ".gz" in path.name]


async def test_a_rotation_that_is_told_to_stop_leaves_everything_as_it_was(sqlite: Place) -> None:
    ids = await _filled(sqlite)

    assert _archive(sqlite, stopped=lambda: True) == []
    assert place_is_whole(sqlite, ids)


async def test_only_one_process_archives_at_a_time(sqlite: Place) -> None:
    ids = await _filled(sqlite)

    with held_lock(sqlite.home / "journal-archive.lock"):
        assert _archive(sqlite) == []
    assert place_is_whole(sqlite, ids)


@pytest.mark.parametrize("harm", [lambda data: data[: len(data) // 2], lambda _: b"", lambda _: b"rubbish" * 99])
async def test_a_damaged_archive_is_named_and_the_database_still_read(
    sqlite: Place, harm: Callable[[bytes], bytes]
) -> None:
    ids = await _filled(sqlite)
    _archive(sqlite)
    path = sqlite.home / "journal-1.jsonl.gz"
    path.write_bytes(harm(path.read_bytes()))

    async with sqlite.journal(bounds=Bounds()) as journal:
        assert (await journal.get(ids[-1])).journal_id == ids[-1]
        assert len((await journal.list(limit=3)).rows) == 3
        error = await _wrong(lambda: journal.get(ids[0]))
        assert str(path) in str(error)


async def _wrong(read: Callable[[], Awaitable[object]]) -> JournalError | JournalIdError | None:
    try:
        await read()
    except (JournalError, JournalIdError) as error:
        return error
    return None


async def test_an_open_journal_archives_by_itself_while_calls_go_on(sqlite: Place) -> None:
    async with sqlite.journal(bounds=Bounds(rows=100)) as journal:
        ids: list[str] = []
        with anyio.fail_after(BOUND_S):
            while not _names(sqlite.home):
                ids.append(await journal.note(entry(len(ids)), "done"))
        rows = await all_rows(journal, limit=1000)

    assert [row.journal_id for row in rows] == ids[::-1]
    assert len(sqlite.ids()) < len(ids)


@pytest.mark.parametrize("when", ["at once", "later"])
async def test_leaving_a_journal_ends_its_rotation(sqlite: Place, when: str) -> None:
    ids = _filled_at_once(sqlite, 3000)

    with anyio.fail_after(BOUND_S):
        async with sqlite.journal(bounds=Bounds(rows=10)) as journal:
            ids.append(await journal.note(entry(), "done"))
            if when == "later":
                while not [*sqlite.home.glob(".*.part")]:
                    await anyio.lowlevel.checkpoint()

    async with sqlite.journal(bounds=Bounds()) as journal:
        assert {row.journal_id for row in await all_rows(journal, limit=1000)} == set(ids)


async def test_leaving_a_journal_does_not_wait_for_a_long_rotation(
    sqlite: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = 0
    oldest = Book.oldest

    def endless(book: Book, *, after: int, limit: int) -> list[Placed]:
        nonlocal pages
        pages += 1
        assert pages < 100_000, "nobody told it to stop"
        return oldest(book, after=min(after, 0), limit=limit)

    monkeypatch.setattr(Book, "extent", lambda _: (10**12, 10**15))
    monkeypatch.setattr(Book, "oldest", endless)
    async with sqlite.journal(bounds=SMALL) as journal:
        journal_id = await journal.note(entry(), "done")
        with anyio.fail_after(BOUND_S):
            while pages < 3:
                await anyio.lowlevel.checkpoint()

    assert place_is_whole(sqlite, [journal_id])


async def test_a_rotation_that_fails_is_told_and_calls_go_on(sqlite: Place, caplog: pytest.LogCaptureFixture) -> None:
    def nowhere() -> Path:
        raise PermissionError(13, "Permission denied")

    with caplog.at_level(logging.WARNING), anyio.fail_after(BOUND_S):
        async with Journal(sqlite.open, archives=nowhere, bounds=SMALL) as journal:
            while "stay where they are" not in caplog.text:
                await journal.note(entry(), "done")
