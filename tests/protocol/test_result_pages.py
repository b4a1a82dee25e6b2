"""Results that are too large for one answer."""

import hashlib
import json

import pytest

from handrail.json_types import JsonObject
from handrail.runs import MemoryEngine, Run, StartRequest
from tests.protocol.peer import TIMEOUT, Era, Peer, document

pytestmark = pytest.mark.unit

EVERY_ERA = pytest.mark.parametrize("era", list(Era), ids=lambda era: era.value)
PLAIN = pytest.mark.parametrize("era", [Era.V2024, Era.V2025_06, Era.V2025_11, Era.MODERN], ids=lambda era: era.value)
TEN_MB = 10_000_000
MOST_OF_AN_ANSWER = 60_000


async def ended(engine: MemoryEngine, large: int) -> Run:
    """A run that ended with a result of that many characters and a few."""
    run = await engine.start(StartRequest("walk", {"steps": 0, "large": large}, "local"))
    return await engine.wait(run.run_id, "local", TIMEOUT)


async def read_all(peer: Peer, view: JsonObject) -> str:
    """All pages of a result, each by the next step of the answer before."""
    text = ""
    while view["next"] is not None:
        step = view["next"]
        assert isinstance(step, dict)
        assert isinstance(step["arguments"], dict)
        view = document(await peer.call(str(step["tool"]), **step["arguments"]))
        assert view["result"] is None
        assert len(str(view["result_text"])) <= 8_192
        text += str(view["result_text"])
    return text


@EVERY_ERA
@pytest.mark.promise("large-results-have-pages")
async def test_a_large_result_comes_in_pages_that_are_the_whole(peer: Peer, engine: MemoryEngine) -> None:
    run = await ended(engine, 20_000)

    view = document(await peer.call("get_run", run_id=run.run_id))

    text = await read_all(peer, view)
    assert json.loads(text) == run.result
    assert (view["result"], view["status"]) == (None, "completed")
    assert (view["result_size"], view["result_pages"]) == (len(text), 3)
    assert view["result_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert view["result_preview"] == text[:1_000]


@PLAIN
async def test_a_plain_call_gives_a_large_result_as_get_run_does(peer: Peer) -> None:
    view = document(await peer.call("walk", steps=0, large=9_000))

    assert view["result"] is None
    assert view["next"] == {"tool": "get_run", "arguments": {"run_id": view["run_id"], "page": 1}}
    assert "x" * 9_000 in await read_all(peer, view)


@pytest.mark.promise("large-results-have-pages")
async def test_ten_megabytes_reach_no_answer_as_a_whole(old: Peer, new: Peer, engine: MemoryEngine) -> None:
    run = await ended(engine, TEN_MB)
    pages = 1_221

    plain = await old.call("get_run", run_id=run.run_id)
    legacy = await old.result("tasks/result", {"taskId": run.run_id})
    modern = (await new.result("tasks/get", {"taskId": run.run_id}))["result"]
    last = document(await old.call("get_run", run_id=run.run_id, page=pages))
    listed = await old.call("list_runs")

    assert isinstance(modern, dict)
    assert document(plain) == document(legacy) == document(modern)
    assert document(plain)["result_pages"] == pages
    assert (last["next"], str(last["result_text"])[-3:]) == (None, 'x"}')
    assert all(len(json.dumps(answer)) < MOST_OF_AN_ANSWER for answer in (plain, legacy, modern, last, listed))


async def test_a_small_result_is_one_page_for_whoever_asks_for_it(old: Peer, engine: MemoryEngine) -> None:
    run = await ended(engine, 0)

    whole = document(await old.call("get_run", run_id=run.run_id))
    page = document(await old.call("get_run", run_id=run.run_id, page=1))

    assert whole["result"] == run.result
    assert "result_pages" not in whole
    assert json.loads(str(page["result_text"])) == run.result
    assert (page["result_pages"], page["next"]) == (1, None)


@pytest.mark.parametrize("page", [0, -1, 4, 10**30, "1", 1.5])
async def test_a_page_that_there_is_not_is_an_error_that_says_how_many_there_are(
    old: Peer, engine: MemoryEngine, page: float | str
) -> None:
    run = await ended(engine, 20_000)

    result = await old.call("get_run", run_id=run.run_id, page=page)

    assert result["isError"] is True
    error = document(result)["error"]
    assert isinstance(error, dict)
    assert (error["type"], "page" in str(error["message"])) == ("argument_invalid", True)


async def test_pages_of_two_results_do_not_mix(old: Peer, engine: MemoryEngine) -> None:
    runs = [await ended(engine, size) for size in (20_000, 30_000)]

    views = [document(await old.call("get_run", run_id=run.run_id, page=page)) for page in (1, 2) for run in runs]

    assert [view["result_pages"] for view in views] == [3, 4, 3, 4]
    assert [view["run_id"] for view in views] == [run.run_id for run in runs] * 2


async def test_a_page_of_a_run_that_has_no_result_is_the_run_as_it_stands(old: Peer, engine: MemoryEngine) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 1, "delay_s": 60}, "local"))

    view = document(await old.call("get_run", run_id=run.run_id, page=1, wait_seconds=0))

    assert view["status"] == "working"
    assert view["next"] == {"tool": "get_run", "arguments": {"run_id": run.run_id, "wait_seconds": 20}}


@EVERY_ERA
async def test_a_listing_says_which_runs_have_a_result_and_shows_neither_results_nor_arguments(
    peer: Peer, engine: MemoryEngine
) -> None:
    done = await ended(engine, 100)
    live = await engine.start(StartRequest("walk", {"steps": 1, "delay_s": 60}, "local"))

    runs = document(await peer.call("list_runs"))["runs"]

    assert isinstance(runs, list)
    assert [(run["run_id"], run["has_result"]) for run in runs if isinstance(run, dict)] == [
        (live.run_id, False),
        (done.run_id, True),
    ]
    keys = {"run_id", "agent", "status", "reason", "message", "elapsed_s", "has_result"}
    assert all(isinstance(run, dict) and run.keys() == keys for run in runs)
