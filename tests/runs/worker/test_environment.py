"""What a run needs of its caller's environment: in memory only, and lost with the worker (design, decision 11b)."""

import hashlib
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from handrail.json_types import Json
from handrail.runs import KEPT_FOR, RunReason, RunStatus
from handrail.runs.store import StoredLedger, open_store
from tests.runs.worker.bodies_worker import Options
from tests.runs.worker.homes import OWNER, Home, ended, is_completed, kill, until

_CANARY = "canary-4711-geheim-äö"
_NAME = "SOME_MODEL_KEY"


def _files_with(folder: Path, words: str) -> list[str]:
    sought = (words.encode(), words.encode("utf-16-le"), words.encode("unicode_escape"))
    return [
        str(path) for path in folder.rglob("*") if path.is_file() and any(word in path.read_bytes() for word in sought)
    ]


def _processes_with(home: Home, words: str) -> list[str]:
    found = []
    for pid in home.processes():
        process = psutil.Process(pid)
        said = " ".join([*process.cmdline(), *(f"{name}={value}" for name, value in process.environ().items())])
        found += [said] if words in said else []
    return found


@pytest.mark.promise("worker-keeps-no-key")
async def test_a_handed_key_reaches_the_body_and_nothing_else(home: Home) -> None:
    async with home.engine() as engine:
        steps: list[list[Json]] = [["report", "has it"], ["record", "doc", 1], ["environment", _NAME]]
        steps += [["act", "one"], ["wait", "go"]]
        run = await engine.start(home.request(*steps, environment={_NAME: _CANARY}))
        await home.until_acted("one")
        in_processes = _processes_with(home, _CANARY)
        in_files = _files_with(home.place.home, _CANARY)
        home.say("go")
        end = await ended(engine, run)

    assert end.result == {"digest": hashlib.sha256(_CANARY.encode()).hexdigest(), "names": [_NAME]}
    assert (in_processes, in_files) == ([], [])
    assert _files_with(home.place.home, _CANARY) == []
    assert _files_with(home.place.home, run.run_id), "the search itself finds what is there"


async def test_a_worker_and_its_runs_inherit_no_key_of_whoever_started_them(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("APPWRITE_API_KEY", "OPENAI_API_KEY", "HANDRAIL_SECRET", "LD_PRELOAD_NOT"):
        monkeypatch.setenv(name, _CANARY)
    async with home.engine() as engine:
        end = await ended(engine, await engine.start(home.request(["outer_environment", "left"])))
        assert _processes_with(home, _CANARY) == []

    assert end.result is not None
    names = end.result["names"]
    assert isinstance(names, list)
    assert {"PATH", "TMPDIR"} <= {*map(str, names)}
    assert not {"APPWRITE_API_KEY", "OPENAI_API_KEY", "HANDRAIL_SECRET", "LD_PRELOAD_NOT"} & {*map(str, names)}
    assert str(end.result["TMPDIR"]) == str(home.place.scratch / end.run_id)
    await until(lambda: home.scratch() == [])


async def test_a_run_whose_key_was_lost_with_a_worker_is_interrupted(home: Home) -> None:
    options = Options(slots=1, environment_s=0.5)
    await home.link(options).wake()  # so short a time is over before a worker has started
    async with home.engine(options) as engine:
        first = await engine.start(home.request(["keep_acting", "acts"], resumable=True, environment={_NAME: "a"}))
        second = await engine.start(home.request(["act", "second"], resumable=True, environment={_NAME: "b"}))
        third = await engine.start(home.request(["act", "third"]))
        await home.until_acted("acts")
        kill((await home.worker()).pid)
        ends = [await ended(engine, run) for run in (first, second)]
        assert is_completed(await ended(engine, third)), "one that needs none is done"

    assert {(end.status, end.reason) for end in ends} == {(RunStatus.FAILED, RunReason.INTERRUPTED)}
    assert "environment was lost" in ends[1].message
    assert home.acts("second") == 0
    assert home.acts("begun") == 2


async def test_a_run_whose_key_was_handed_over_waits_its_turn_however_long(home: Home) -> None:
    options = Options(slots=1, environment_s=0.5)
    await home.link(options).wake()
    async with home.engine(options) as engine:
        await engine.start(home.request(["wait", "go"]))
        await home.until_acted("begun")
        run = await engine.start(home.request(["environment", _NAME], environment={_NAME: "a"}))
        with closing(open_store(home.place.home)) as store:  # one whose key nobody hands over
            ledger = StoredLedger(store, age=KEPT_FOR)
            other = ledger.add(home.request(environment={_NAME: "b"}), datetime.now(UTC), limit=9)
        assert (await ended(engine, other)).reason is RunReason.INTERRUPTED
        assert (await engine.get(run.run_id, OWNER)).message == "queued"
        home.say("go")
        assert is_completed(await ended(engine, run))


async def test_nobody_else_can_talk_to_a_worker_or_read_what_it_keeps(home: Home) -> None:
    async with home.engine() as engine:
        await ended(engine, await engine.start(home.request(["act", "one"], ["record", "doc", 1])))
        await until(home.place.socket.is_socket)
        kept = [home.place.socket, home.place.log, home.place.lock, home.place.home, home.place.records]
        kept += home.place.home.glob("runs.db*")
        kept += [*home.place.records.rglob("*")]

    modes = {path.name: oct(path.stat().st_mode & 0o077) for path in kept if path.exists()}
    assert set(modes.values()) == {"0o0"}, modes
