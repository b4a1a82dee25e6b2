"""Locks between processes."""

import os
import stat
from pathlib import Path

import pytest

from handrail.storage.lock import held_lock, try_lock
from tests.runs.store.processes import actor


def test_a_lock_keeps_out_others_until_it_is_let_go_of(tmp_path: Path) -> None:
    path = tmp_path / "some.lock"
    with actor("lock", tmp_path) as other:
        assert other.hears() == "locked"
        assert try_lock(path) is None
        with pytest.raises(TimeoutError), held_lock(path, seconds=0.05):
            raise NotImplementedError
        other.tell()
        assert other.hears() == "free"

        handle = try_lock(path)
        assert handle is not None
        os.close(handle)


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    with actor("lock", tmp_path) as other:
        other.hears()
        other.kill()

    with held_lock(tmp_path / "some.lock", seconds=1):
        assert try_lock(tmp_path / "some.lock") is None


def test_a_lock_is_let_go_of_when_what_it_guards_fails(tmp_path: Path) -> None:
    path = tmp_path / "some.lock"
    with pytest.raises(ZeroDivisionError), held_lock(path):
        raise ZeroDivisionError

    handle = try_lock(path)
    assert handle is not None
    os.close(handle)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_lock_is_no_link_to_somewhere_else(tmp_path: Path) -> None:
    (tmp_path / "some.lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="symbolic link"):
        try_lock(tmp_path / "some.lock")
    assert not (tmp_path / "elsewhere").exists()
