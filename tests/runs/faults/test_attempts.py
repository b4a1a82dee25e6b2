"""A fault at each call of the store (F32) and at each write of the record (F12) of a whole run."""

import errno
import itertools
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from handrail.runs import Run, RunReason, RunStatus
from handrail.runs.store import StoreError
from handrail.storage.database import StoreProblem
from tests.runs.faults.attempts import EPISODES, Faults, World, world

pytestmark = pytest.mark.logs_errors  # a body that a foreign error ends is logged as a crash


def _cancelled(scope: anyio.CancelScope) -> None:
    scope.cancel()


def _disk_error(_scope: anyio.CancelScope) -> None:
    raise OSError(errno.EIO, "Input/output error")


def _store_error(_scope: anyio.CancelScope) -> None:
    raise StoreError(StoreProblem.DAMAGED, "The store cannot be used.", next_step="", where="here")


@pytest.mark.promise("any-fault-any-moment")
@pytest.mark.parametrize("fault", [_cancelled, _disk_error, _store_error])
async def test_a_fault_at_any_call_of_the_store_costs_no_run_its_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[anyio.CancelScope], None]
) -> None:
    for at in itertools.count(1):  # F32
        faults = Faults(at, fault)
        with world(tmp_path / str(at), monkeypatch, faults) as here:
            first = await _attempt(here)
            faults.at = 0  # the second attempt meets none
            if not first.status.is_terminal:
                assert first.attempt == 2
                await _attempt(here)
            _check(here, at)
            if faults.count < at:
                assert at > 15, "it has met a fault at every call"
                return


async def _attempt(here: World) -> Run:
    """The run after one attempt and what a worker does then; no end is changed by it."""
    await here.attempt()
    before = here.run
    here.give_up()
    if before.status.is_terminal:
        assert here.run == before
    return here.run


def _check(here: World, at: int) -> None:
    run = here.run
    assert run.status in {RunStatus.COMPLETED, RunStatus.FAILED}, (at, run)
    assert here.after_end == [], (at, here.acts)
    assert all(here.acts.count(f"e{number}") <= 2 for number in range(EPISODES)), (at, here.acts)
    assert sum(here.acts.count(f"e{number}") - 1 for number in range(EPISODES)) <= 1, "one episode at most again"
    if run.status is RunStatus.COMPLETED:
        assert run.result == {"ok": True, "total": 7}
        assert here.acts[-1] == "last"
    assert run.questions == ()


@pytest.mark.promise("full-disk-ends-one-run")
@pytest.mark.parametrize("once", [True, False], ids=["once", "from then on"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
async def test_a_full_disk_at_any_write_of_the_record_ends_the_run_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], number: int, *, once: bool
) -> None:
    write = os.write
    for at in itertools.count(1):  # F12
        count = 0

        def failing(handle: int, content: bytes, at: int = at) -> int:
            nonlocal count
            count += 1
            if count == at or (count > at and not once):
                raise OSError(number, os.strerror(number))
            return write(handle, content)

        with world(tmp_path / str(at), monkeypatch, Faults(0, _cancelled)) as here:
            with monkeypatch.context() as patch:
                patch.setattr(os, "write", failing)
                code = await here.attempt()
            run = here.run
            assert code == 0, (at, run)
            _check_disk(here)
            if count < at:
                assert at > 8, "it has met a full disk at every write"
                return
            if run.status is RunStatus.COMPLETED:
                assert "No space left" in (said := capfd.readouterr().err) or "Read-only" in said, "it is told of"
                continue
            assert (run.status, run.reason) == (RunStatus.FAILED, RunReason.CRASHED), (at, run)
            assert os.strerror(number) in run.message
            assert here.acts[-1:] != ["last"]


def _check_disk(here: World) -> None:
    """The database is whole, and what of the record there is, is whole too."""
    with closing(sqlite3.connect(here.place.home / "runs.db")) as rows:
        assert rows.execute("PRAGMA quick_check").fetchone() == ("ok",)
    for path in here.place.records.rglob("*.json"):
        assert json.loads(path.read_text()) is not None
    assert [*here.place.records.rglob("*.part")] == []
