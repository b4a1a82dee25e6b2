"""What is written of a call, and that it is written once and never changed."""

import gzip
import json
import stat
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

import anyio
import pytest

from handrail.journal import (
    Bounds,
    CallOutcome,
    JournalCursorError,
    JournalError,
    JournalIdError,
    JournalRow,
    journal_text,
    open_journal,
)
from handrail.journal.archives import Archives
from handrail.journal.desk import Desk
from handrail.journal.rotation import Rotation
from handrail.journal.sayings import Said, Saying
from handrail.json_types import JsonObject
from handrail.runs.store import open_store
from handrail.storage import StoreError
from handrail.storage.database import closing
from handrail.storage.process import ProcessMark
from tests.journal.places import Place, all_rows, entry, now

BOUND_S = 30


async def test_a_call_is_open_until_its_end_and_then_tells_all(place: Place) -> None:
    async with place.journal() as journal:
        journal_id = await journal.begin(entry())
        begun = await journal.get(journal_id)
        await journal.finish(journal_id, "done", status=200, digest="abc")
        ended = await journal.get(journal_id)

    assert (begun.outcome, begun.ended_at, begun.status) == (CallOutcome.OPEN, None, None)
    assert ended.ended_at is not None
    assert begun.began_at <= ended.ended_at <= now()
    assert ended.as_json() == {
        "id": journal_id,
        "at": begun.began_at.isoformat(),
        "owner": "me",
        "client": "client 1.0",
        "surface": "appwrite_call_tool",
        "tool": "tables_db_update_row",
        "project": "main",
        "request": "PUT /v1/rows/1",
        "arguments": {"row_id": "0"},
        "hints": {"readOnlyHint": False, "destructiveHint": True},
        "risks": ["bulk", "money"],
        "rule": "a PUT changes",
        "level": "model",
        "by": "model: confirm_write",
        "outcome": "done",
        "ended_at": ended.ended_at.isoformat(),
        "status": 200,
        "digest": "abc",
    }


@pytest.mark.promise("journal-before-the-send")
async def test_a_call_is_in_the_database_when_begin_returns_and_its_end_when_finish_does(place: Place) -> None:
    async with place.journal() as journal:
        journal_id = await journal.begin(entry())
        with closing(place.open()) as other:
            assert other.read("SELECT journal_id FROM journal_calls") == [(journal_id,)]
            assert other.read("SELECT * FROM journal_ends") == []
            await journal.finish(journal_id, "failed", status=404)
            assert other.read("SELECT journal_id, outcome, status FROM journal_ends") == [(journal_id, "failed", 404)]


def test_every_commit_of_the_file_waits_for_the_disk(sqlite: Place) -> None:
    with closing(sqlite.open()) as database:
        assert database.read("PRAGMA synchronous") == [(2,)]


@pytest.mark.promise("journal-end-once")
async def test_of_two_ends_the_first_counts(place: Place) -> None:
    async with place.journal() as journal:
        journal_id = await journal.begin(entry())
        firsts: list[bool] = []

        async def end(outcome: str) -> None:
            firsts.append(await journal.finish(journal_id, outcome))

        assert await journal.finish(journal_id, "done", status=200)
        with anyio.fail_after(BOUND_S):
            async with anyio.create_task_group() as group:
                for outcome in ("failed", "unknown", "done"):
                    group.start_soon(end, outcome)
        row = await journal.get(journal_id)

    assert firsts == [False, False, False]
    assert (row.outcome, row.status) == (CallOutcome.DONE, 200)


@pytest.mark.parametrize("outcome", ["refused", "needs_approval", "failed"])
async def test_a_call_that_was_not_made_is_one_row_with_its_end(place: Place, outcome: str) -> None:
    async with place.journal() as journal:
        journal_id = await journal.note(entry(), outcome)
        row = await journal.get(journal_id)

    assert row.outcome.value == outcome
    assert row.ended_at is not None


@pytest.mark.parametrize("outcome", ["open", "", "Done", "fine"])
async def test_an_end_that_is_none_is_not_written(sqlite: Place, outcome: str) -> None:
    async with sqlite.journal() as journal:
        journal_id = await journal.begin(entry())
        with pytest.raises(ValueError, match=r"."):
            await journal.finish(journal_id, outcome)
        with pytest.raises(ValueError, match=r"."):
            await journal.note(entry(), outcome)

        assert [row.outcome for row in await all_rows(journal)] == [CallOutcome.OPEN]


@pytest.mark.promise("journal-append-only")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journal_calls SET said = '{}'",
        "UPDATE journal_calls SET owner = 'nobody'",
        "UPDATE journal_ends SET outcome = 'done'",
        "UPDATE journal_archives SET up_to = 1000",
        "DELETE FROM journal_calls",
        "DELETE FROM journal_ends",
        "DELETE FROM journal_archives",
    ],
)
async def test_the_database_itself_refuses_to_change_or_forget_what_was_said(place: Place, statement: str) -> None:
    async with place.journal() as journal:
        await journal.note(entry(), "refused")
        with closing(place.open()) as database:
            place.book(database).archived(1, 0, "file")
            before = _everything(place)
            with pytest.raises(StoreError, match="journal"), database.write() as sql:
                sql(statement)

    assert _everything(place) == before


def _everything(place: Place) -> list[object]:
    with closing(place.open()) as database:
        return [database.read(f"SELECT * FROM journal_{name}") for name in ("calls", "ends", "archives")]  # noqa: S608  (fixed words)


async def test_rows_come_newest_first_page_by_page_and_by_owner(place: Place) -> None:
    async with place.journal() as journal:
        ids = [await journal.begin(entry(number, owner="me" if number % 3 else "you")) for number in range(20)]
        rows = await all_rows(journal, limit=7)
        yours = await all_rows(journal, limit=2, owner="you")
        last = await journal.list(limit=20)

    assert [row.journal_id for row in rows] == ids[::-1]
    assert [row.journal_id for row in yours] == ids[::3][::-1]
    assert last.next_cursor is None


async def test_rows_since_a_moment_are_those_that_began_then_or_later(place: Place) -> None:
    base = now() - timedelta(hours=1)
    moments = iter([base + timedelta(minutes=number) for number in range(5)])

    async with place.journal(clock=lambda: next(moments)) as journal:
        ids = [await journal.begin(entry(number)) for number in range(5)]
        moments = iter([now()] * 20)
        page = await journal.list(since=base + timedelta(minutes=3))

    assert [row.journal_id for row in page.rows] == ids[:2:-1]


@pytest.mark.parametrize("cursor", ["", "x", "1", "-1-1", "0-", "9" * 30 + "-1", "0-1-1", "٣-1"])
async def test_a_cursor_that_is_none_is_refused(sqlite: Place, cursor: str) -> None:
    async with sqlite.journal() as journal:
        with pytest.raises(JournalCursorError):
            await journal.list(cursor=cursor)
        assert (await journal.list()).rows == ()


async def test_a_row_is_found_by_how_its_id_begins_where_no_other_does(place: Place) -> None:
    async with place.journal() as journal:
        first = await journal.begin(entry())
        second = await journal.begin(entry())
        common = next(n for n in range(44) if first[n] != second[n])

        assert (await journal.get(first[: common + 1])).journal_id == first
        for start in ("", first[:common], "nothing", first + "0", "%", "_" * 44, "\0", "\ud800"):
            assert await _missing(journal.get, start)
        assert await _missing(lambda start: journal.get(start, owner="you"), first)
        assert (await journal.get(first, owner="me")).journal_id == first


async def _missing(get: Callable[[str], Awaitable[JournalRow]], start: str) -> str | None:
    try:
        await get(start)
    except JournalIdError as error:
        return error.next_step
    return None


async def test_the_resource_shows_the_callers_own_newest_rows(place: Place) -> None:
    async with place.journal() as journal:
        ids = [await journal.note(entry(number), "refused") for number in range(4)]
        await journal.note(entry(owner="you"), "refused")
        text = await journal_text(journal, "me", rows=3)
        shown: JsonObject = json.loads(text)

    rows = shown["rows"]
    assert isinstance(rows, list)
    assert [row["id"] for row in rows if isinstance(row, dict)] == ids[:0:-1]
    assert shown["more"] is True


async def test_reads_are_kept_only_where_they_are_asked_for(sqlite: Place) -> None:
    async with sqlite.journal() as journal:
        assert await journal.note_read(entry(), "done") is None
        assert await all_rows(journal) == []
    async with sqlite.journal(reads=True) as journal:
        journal_id = await journal.note_read(entry(), "done", status=200)
        rows: list[JournalRow] = await all_rows(journal)

    assert [(row.journal_id, row.outcome, row.status) for row in rows] == [(journal_id, CallOutcome.DONE, 200)]


async def test_a_call_of_another_machine_is_open_for_as_long_as_calls_may_take(place: Place) -> None:
    began = now()
    await _write_from("elsewhere", ProcessMark(1, "x/1"), place, began)

    async with place.journal(clock=lambda: began + timedelta(minutes=14)) as journal:
        assert (await all_rows(journal))[0].outcome is CallOutcome.OPEN
    async with place.journal(clock=lambda: began + timedelta(minutes=16)) as journal:
        assert (await all_rows(journal))[0].outcome is CallOutcome.UNKNOWN


async def test_a_call_that_nobody_ended_is_unknown_once_calls_take_no_longer(sqlite: Place) -> None:
    async with sqlite.journal() as journal:
        journal_id = await journal.begin(entry())
    later = now() + timedelta(minutes=16)
    async with sqlite.journal(clock=lambda: later) as journal:
        assert (await journal.get(journal_id)).outcome is CallOutcome.UNKNOWN
        assert await journal.finish(journal_id, "done")
        assert (await journal.get(journal_id)).outcome is CallOutcome.DONE


async def _write_from(machine: str, process: ProcessMark, place: Place, began: datetime) -> None:
    with closing(place.open()) as database, database.write() as sql:
        sql(
            "INSERT INTO journal_calls (journal_id, owner, began_at, origin, said, size) VALUES (?, ?, ?, ?, ?, ?)",
            ("a" * 44, "me", began.timestamp(), f"{machine} {process.as_text()}", "{}", 2),
        )


async def test_a_journal_that_is_not_open_says_so(sqlite: Place) -> None:
    journal = sqlite.journal()
    with pytest.raises(JournalError, match="not open"):
        await journal.begin(entry())
    async with journal:
        await journal.begin(entry())
    with pytest.raises(JournalError, match="not open"):
        await journal.begin(entry())
    with pytest.raises(JournalError, match="not open"):
        await journal.list()


async def test_calls_that_come_at_once_share_few_commits(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    write = Desk.write

    def counted(desk: Desk, sayings: Sequence[Saying]) -> list[Said]:
        sizes.append(len(sayings))
        return write(desk, sayings)

    monkeypatch.setattr(Desk, "write", counted)
    ids: list[str] = []

    async def one(number: int) -> None:
        ids.append(await journal.begin(entry(number)))

    async with place.journal() as journal:
        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(one, number)
        rows = await all_rows(journal, limit=100)

    assert sum(sizes) == 50
    assert len(sizes) <= 3
    assert {row.journal_id for row in rows} == set(ids)
    assert len(set(ids)) == 50


async def test_each_of_many_gets_the_id_of_its_own_row(sqlite: Place) -> None:
    found: dict[str, str] = {}

    async def one(number: int) -> None:
        found[await journal.begin(entry(number))] = str(number)

    async with sqlite.journal() as journal:
        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(one, number)
        rows = await all_rows(journal, limit=100)

    assert {row.journal_id: row.said["arguments"] for row in rows} == {
        journal_id: {"row_id": number} for journal_id, number in found.items()
    }


async def test_the_journal_lives_beside_the_runs_in_the_database_of_the_setting(postgres: Place) -> None:
    with closing(open_store(postgres.home, postgres.url)) as runs:
        async with open_journal(lambda: postgres.home, postgres.url) as journal:
            journal_id = await journal.begin(entry())
        assert runs.read("SELECT journal_id FROM journal_calls") == [(journal_id,)]
        assert runs.read("SELECT * FROM runs") == []

    assert [*postgres.home.iterdir()] == []


async def test_the_journal_of_a_home_is_a_file_for_its_owner_only(sqlite: Place) -> None:
    async with open_journal(lambda: sqlite.home) as journal:
        assert [*sqlite.home.iterdir()] == []
        await journal.begin(entry())
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in sqlite.home.iterdir()}

    assert {"journal.db", "journal.db-wal"} < set(modes)
    assert set(modes.values()) == {0o600}


@pytest.mark.promise("journal-no-secret")
async def test_a_secret_is_nowhere_in_the_files_of_a_journal(sqlite: Place, caplog: pytest.LogCaptureFixture) -> None:
    secret = "canary-secret-key"
    secretive = entry(owner=f"me {secret}", arguments={"a": [secret], "password": "other-canary"}, request_line=secret)

    async with sqlite.journal(secrets=frozenset({secret}), bounds=Bounds()) as journal:
        for _ in range(8):
            await journal.note(secretive, "done")
        mine = await all_rows(journal, owner=f"me {secret}")
        shown = await journal_text(journal, f"me {secret}")
        with closing(sqlite.open()) as database:
            Rotation(sqlite.book(database), Archives(sqlite.home), Bounds(rows=2), lambda: False).run()
        content = b"".join(
            gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            for path in sqlite.home.iterdir()
        )

    assert len(mine) == 8
    assert b"tables_db_update_row" in content
    for text in (content.decode(errors="replace"), shown, caplog.text, str(mine)):
        assert "canary" not in text
