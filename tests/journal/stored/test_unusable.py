"""A journal that cannot be written: nothing is sent, in words that say what mends it; reads go on."""

import logging
import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio
import pytest

from handrail.errors import HandrailError
from handrail.home import HomeError
from handrail.journal import CallOutcome, Journal, JournalError, open_journal
from handrail.journal.desk import Desk
from handrail.journal.sayings import Said, Saying
from handrail.storage import Database
from tests.journal.places import Kind, Place, all_rows, entry
from tests.journal.stored.started import actor
from tests.runs.store.servers import SHARED

BOUND_S = 30


async def _problem(journal: Journal) -> JournalError:
    async with journal as opened:
        try:
            await opened.begin(entry())
        except JournalError as error:
            return error
    pytest.fail("it was written")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that users without rights can reach."""
    folder = Path(tempfile.mkdtemp(prefix="handrail-home-", dir=SHARED))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


class _Full:
    """A journal on a disk that can be full."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.database: Database | None = None

    def open(self) -> Database:
        self.database = self._place.open()
        return self.database

    def bound(self, pages: int) -> None:
        assert self.database is not None
        self.database.read(f"PRAGMA max_page_count = {pages}")


@pytest.mark.promise("journal-or-nothing-is-sent")
async def test_on_a_full_disk_a_call_is_refused_until_there_is_room(sqlite: Place) -> None:
    disk = _Full(sqlite)
    async with Journal(disk.open) as journal:
        ids = [await journal.begin(entry())]
        disk.bound(1)
        full: JournalError | None = None
        while full is None and len(ids) < 1000:
            try:
                ids.append(await journal.begin(entry(arguments={"text": "x" * 4000})))
            except JournalError as error:
                full = error
        disk.bound(1_000_000)
        ids.append(await journal.begin(entry()))
        rows = await all_rows(journal)

    assert full is not None
    assert full.data["problem"] == "full"
    assert "nothing was sent" in full.message
    assert "room" in str(full.next_step)
    assert [row.journal_id for row in reversed(rows)] == ids


async def test_an_end_that_finds_the_disk_full_leaves_the_row_and_says_what_that_means(sqlite: Place) -> None:
    disk = _Full(sqlite)
    async with Journal(disk.open) as journal:
        journal_id = await journal.begin(entry())
        disk.bound(1)
        with pytest.raises(JournalError, match="its row reads unknown"):
            await journal.finish(journal_id, "done", digest="x" * 50_000)
        assert (await journal.get(journal_id)).outcome is CallOutcome.OPEN


def test_a_file_that_may_grow_no_further_is_a_full_disk(sqlite: Place) -> None:
    with actor("bounded", sqlite) as bounded:
        said = bounded.says_all()

    assert said[-1] == "done"
    assert set(said[:-1]) == {"full"}


@pytest.mark.promise("journal-or-nothing-is-sent")
@pytest.mark.parametrize("what", ["empty home", "journal"])
def test_in_a_home_that_may_only_be_read_nothing_is_sent(open_folder: Path, what: str) -> None:
    place = Place(Kind.SQLITE, open_folder)
    if what == "journal":
        place.open().close()
    if os.geteuid() != 0:
        for path in (*open_folder.iterdir(), open_folder):
            path.chmod(0o500 if path.is_dir() else 0o400)

    with actor("unprivileged", place) as nobody:
        assert nobody.says_all() == ["read_only"]
    open_folder.chmod(0o755)


async def test_a_damaged_file_is_named_and_moving_it_aside_mends_it(sqlite: Place) -> None:
    path = sqlite.home / "journal.db"
    path.write_bytes(b"no database at all\n" * 500)

    error = await _problem(sqlite.journal())
    assert error.data["problem"] == "damaged"
    assert str(path) in error.message
    assert "Move the file aside" in str(error.next_step)
    path.rename(sqlite.home / "aside")
    async with sqlite.journal() as journal:
        await journal.begin(entry())


async def test_a_journal_that_is_damaged_while_it_is_open_refuses_and_never_lies(sqlite: Place) -> None:
    async with sqlite.journal() as journal:
        for number in range(200):
            await journal.begin(entry(number, arguments={"text": "x" * 1000}))
    path = sqlite.home / "journal.db"
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)

    assert (await _problem(sqlite.journal())).data["problem"] == "damaged"


async def test_a_newer_journal_is_left_alone(sqlite: Place) -> None:
    sqlite.open().close()
    with closing_sqlite(sqlite.home / "journal.db") as database:
        database.execute("PRAGMA user_version = 999")

    assert (await _problem(sqlite.journal())).data["problem"] == "newer"


class closing_sqlite:  # noqa: N801  (reads as `contextlib.closing` does)
    """A plain connection that ends with the block."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)

    def __enter__(self) -> sqlite3.Connection:
        return self._connection

    def __exit__(self, *_error: object) -> None:
        self._connection.close()


async def test_without_a_home_nothing_is_sent_and_the_homes_own_words_say_why() -> None:
    def nowhere() -> Path:
        raise HomeError("The home folder /x is not yours to write to.", next_step="Set HANDRAIL_HOME.", path="/x")

    error = await _problem(open_journal(nowhere))

    assert "The home folder /x is not yours to write to; nothing was sent." in error.message
    assert error.next_step == "Set HANDRAIL_HOME."


async def test_a_read_does_not_fail_for_its_record(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Database:
        raise HandrailError("It is broken.")

    async with Journal(broken, reads=True) as journal:
        with caplog.at_level(logging.WARNING):
            assert await journal.note_read(entry(), "done") is None

    assert "a read is not in the journal" in caplog.text


@pytest.mark.parametrize("number", [1, 30])
async def test_an_error_that_nobody_expects_reaches_all_who_wait(number: int) -> None:
    def broken() -> Database:
        raise ZeroDivisionError

    found: list[type[BaseException]] = []

    async def one(journal: Journal) -> None:
        try:
            await journal.begin(entry())
        except ZeroDivisionError as error:
            found.append(type(error))

    with anyio.fail_after(30):
        async with Journal(broken) as journal, anyio.create_task_group() as group:
            for _ in range(number):
                group.start_soon(one, journal)

    assert len(found) == number


async def test_a_call_that_is_cancelled_before_it_is_written_leaves_no_row(sqlite: Place) -> None:
    async with sqlite.journal() as journal:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await journal.begin(entry())
        assert scope.cancelled_caught
        assert await all_rows(journal) == []


@pytest.mark.promise("journal-before-the-send")
async def test_a_call_that_is_cancelled_while_it_is_written_still_gets_its_id_and_its_end(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, go_on = threading.Event(), threading.Event()
    write = Desk.write

    def slow(desk: Desk, sayings: Sequence[Saying]) -> list[Said]:
        writing.set()
        assert go_on.wait(BOUND_S)
        return write(desk, sayings)

    monkeypatch.setattr(Desk, "write", slow)
    ids: list[str] = []

    async def call() -> None:
        journal_id = await journal.begin(entry())
        try:
            await anyio.sleep(BOUND_S)
        finally:
            await journal.finish(journal_id, "refused")
            ids.append(journal_id)

    with anyio.fail_after(BOUND_S):
        async with place.journal() as journal:
            async with anyio.create_task_group() as group:
                group.start_soon(call)
                group.start_soon(call)  # waits behind the other
                await anyio.to_thread.run_sync(writing.wait, BOUND_S)
                group.cancel_scope.cancel()
                go_on.set()
            rows = await all_rows(journal)

    assert len(ids) == 2
    assert {(row.journal_id, row.outcome) for row in rows} == {(one, CallOutcome.REFUSED) for one in ids}
