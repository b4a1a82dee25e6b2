"""A home whose file is none, is broken, is somebody else's or is newer: said in words, and nothing of it is changed."""

import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handrail.runs.store import StoreError, StoreProblem, open_store
from handrail.runs.store.schema import SCHEMA
from handrail.storage.database import closing
from tests.runs.store.places import NOW, OWNER, ledger_of, request, started
from tests.runs.store.processes import actor
from tests.runs.store.servers import SHARED

Make = Callable[[Path], object]
CANARY = "canary-secret"


def _problem(home: Path, *, thorough: bool = False) -> StoreError:
    with pytest.raises(StoreError) as caught:
        open_store(home, thorough=thorough).close()
    error = caught.value
    assert error.next_step
    assert error.data["problem"] == error.problem.value
    assert error.data["where"] == str(home / "runs.db")
    return error


def _version(path: Path, version: int, *, wal: bool) -> None:
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
    database.execute("CREATE TABLE runs (something INTEGER)")
    database.execute(f"PRAGMA user_version = {version}")
    database.commit()
    database.close()


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda path: path.mkdir(), StoreProblem.UNUSABLE),
        (os.mkfifo, StoreProblem.UNUSABLE),
        (lambda path: path.symlink_to("elsewhere"), StoreProblem.UNUSABLE),
        (lambda path: path.symlink_to("/dev/null"), StoreProblem.UNUSABLE),
        (lambda path: path.write_bytes(b"no database at all\n" * 500), StoreProblem.DAMAGED),
        (lambda path: _version(path, SCHEMA + 1, wal=True), StoreProblem.NEWER),
        (lambda path: _version(path, SCHEMA + 1, wal=False), StoreProblem.NEWER),
        (lambda path: _version(path, 0, wal=False), StoreProblem.UNUSABLE),
    ],
    ids=["folder", "fifo", "dangling link", "link", "no database", "newer", "newer without log", "foreign"],
)
@pytest.mark.promise("store-bad-file-untouched")
def test_what_is_no_store_of_ours_is_named_and_left_alone(tmp_path: Path, make: Make, problem: StoreProblem) -> None:
    path = tmp_path / "runs.db"
    make(path)
    before = _looks(path)

    for thorough in (False, True):
        assert _problem(tmp_path, thorough=thorough).problem is problem

    assert _looks(path) == before
    assert {entry.name for entry in tmp_path.iterdir()} == {"runs.db", "runs.lock"}


def _looks(path: Path) -> tuple[object, ...]:
    found = path.lstat()
    content = path.read_bytes() if stat.S_ISREG(found.st_mode) else None
    return found.st_mode, found.st_uid, found.st_ino, content


def test_a_missing_home_is_named(tmp_path: Path) -> None:
    assert _problem(tmp_path / "nowhere").problem is StoreProblem.UNUSABLE


def test_a_new_store_is_for_its_owner_only(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        started(database)
        modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()}

    assert modes == dict.fromkeys(["runs.db", "runs.db-wal", "runs.db-shm", "runs.lock"], 0o600)


def test_a_file_of_another_owner_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    path = tmp_path / "runs.db"
    path.touch(0o666)
    os.chown(path, 12345, -1)

    assert "another user" in _problem(tmp_path).message


def _big_store(home: Path) -> Path:
    with closing(open_store(home)) as database:
        for number in range(40):
            started(database, request(text=CANARY + "x" * 4000, number=number))
        database.read("PRAGMA wal_checkpoint(TRUNCATE)")
    return home / "runs.db"


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_a_file_that_was_cut_is_found_damaged_when_looked_through(tmp_path: Path, share: float) -> None:
    path = _big_store(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    before = path.read_bytes()

    error = _problem(tmp_path, thorough=True)

    assert error.problem is StoreProblem.DAMAGED
    assert CANARY not in str(error.as_json())
    assert path.read_bytes() == before


@pytest.mark.parametrize("seed", range(8))
def test_a_page_of_rubbish_is_found_when_looked_through_and_is_never_more_than_a_damaged_store(
    tmp_path: Path, seed: int
) -> None:
    path = _big_store(tmp_path)
    content = bytearray(path.read_bytes())
    page = (seed * 7 + 1) % (len(content) // 4096)
    content[page * 4096 : page * 4096 + 4096] = bytes((seed * 31 + offset * 17) % 256 for offset in range(4096))
    path.write_bytes(content)

    assert _problem(tmp_path, thorough=True).problem is StoreProblem.DAMAGED
    assert _use(tmp_path) in {None, StoreProblem.DAMAGED}


def _use(home: Path) -> StoreProblem | None:
    """Use the store without a look through; what is wrong, where that is met."""
    try:
        with closing(open_store(home)) as database:
            ledger_of(database).page(OWNER, NOW, limit=200, cursor=None)
            started(database)
    except StoreError as error:
        return error.problem
    return None


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that users without rights can reach."""
    folder = Path(tempfile.mkdtemp(prefix="handrail-home-", dir=SHARED))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("what", ["empty home", "store"])
def test_a_home_that_may_only_be_read_is_read_only(open_folder: Path, what: str) -> None:
    if what == "store":
        with closing(open_store(open_folder)) as database:
            started(database)
    if os.geteuid() != 0:
        for path in (*open_folder.iterdir(), open_folder):
            path.chmod(0o500 if path.is_dir() else 0o400)
    before = {entry.name: entry.read_bytes() for entry in open_folder.iterdir()}

    with actor("unprivileged", open_folder) as nobody:
        assert nobody.says_all() == ["read_only"]

    open_folder.chmod(0o755)
    assert {entry.name: entry.read_bytes() for entry in open_folder.iterdir()} == before


def test_an_error_shows_as_json_what_is_wrong_and_what_mends_it(tmp_path: Path) -> None:
    _version(tmp_path / "runs.db", SCHEMA + 1, wal=True)

    shown = _problem(tmp_path).as_json()

    assert shown["type"] == "store_unusable"
    assert shown["next"] == "Install the newest Handrail, or set HANDRAIL_HOME to another folder."
    assert f"shape {SCHEMA + 1}" in str(shown["message"])
