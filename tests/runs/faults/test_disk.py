"""A home in which something cannot be written: that run ends with the reason, and the next one is done (F12)."""

import shutil
from pathlib import Path

import anyio
import pytest

from handrail.json_types import Json
from handrail.runs import Run, RunReason, RunStatus
from tests.runs.worker.homes import Home, ended, is_completed


async def _two_runs(home: Home, broken: Path) -> Run:
    """How a run ends while a file lies where a folder should be; the worker lives on and does the next one."""
    await anyio.Path(broken).write_text("in the way")
    async with home.engine() as engine:
        end = await ended(engine, await engine.start(home.request(["act", "one"])))
        worker = (await home.worker()).pid
        await anyio.Path(broken).unlink()
        assert is_completed(await ended(engine, await engine.start(home.request(["act", "two"]))))
        assert (await home.worker()).pid == worker
    assert home.acts("one") == 0
    return end


async def test_a_run_whose_record_cannot_be_made_ends_with_the_reason(home: Home) -> None:
    end = await _two_runs(home, home.place.records)

    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.CRASHED)
    assert "run.json could not be written" in end.message
    assert end.result is not None
    assert str(end.result["error"]).count("HANDRAIL_HOME") == 1, "with the next step"


async def test_a_run_without_room_for_temporary_files_ends_with_the_reason(home: Home) -> None:
    end = await _two_runs(home, home.place.scratch)

    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)
    assert "it could not begin: Not a directory" in end.message


@pytest.mark.parametrize("at", [1, 2, 4])
async def test_a_disk_that_fills_up_ends_the_run_and_not_the_worker(home: Home, at: int) -> None:
    steps: list[list[Json]] = [["record", f"doc{number}", {"n": number}] for number in range(5)]
    link = home.link(settings={"TEST_FULL_AT": str(at)})
    async with home.engine(link=link) as engine:
        end = await ended(engine, await engine.start(home.request(*steps)))
        state = await home.worker()
        again = await ended(engine, await engine.start(home.request(["act", "other"])))
        assert (await home.worker()).pid == state.pid

    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.CRASHED), end
    assert "No space left on device" in end.message
    assert is_completed(again) == (at > 1), "which writes once before its body begins"


async def test_a_home_that_is_removed_under_a_server_is_told_of(home: Home) -> None:
    async with home.engine() as engine:
        assert is_completed(await ended(engine, await engine.start(home.request(["act", "one"]))))
        await home.stop()
        shutil.rmtree(home.place.home)
        end = await ended(engine, await engine.start(home.request(["act", "two"])))

    assert (end.status, end.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)
    home.place.home.mkdir()
