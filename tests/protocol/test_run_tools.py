"""`get_run`, `list_runs` and `cancel_run`."""

import pytest

from handrail.protocol import WaitPolicy
from handrail.protocol.run_tools import run_tools
from handrail.runs import MemoryEngine, StartRequest
from tests.protocol.peer import Era, Peer, document, structured

pytestmark = pytest.mark.unit

EVERY_ERA = pytest.mark.parametrize("era", list(Era), ids=lambda era: era.value)


async def test_the_hints_say_what_the_tools_do(engine: MemoryEngine) -> None:
    hints = {
        tool.name: tool.annotations.model_dump(by_alias=True, exclude_none=True)
        for tool in run_tools(engine, WaitPolicy())
    }

    reads = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
    assert hints == {
        "get_run": reads,
        "answer_run": {
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": False,
            "openWorldHint": True,
        },
        "list_runs": reads,
        "cancel_run": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
    }


@EVERY_ERA
async def test_a_long_poll_returns_when_the_run_asks(peer: Peer, engine: MemoryEngine) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 0, "ask": True}, "local"))

    result = await peer.call("get_run", run_id=run.run_id, wait_seconds=40)

    view = document(result)
    assert view["status"] == "input_required"
    assert isinstance(view["questions"], list)
    assert isinstance(view["questions"][0], dict)
    assert view["questions"][0]["message"] == "Who walks?"


@EVERY_ERA
async def test_a_run_that_asks_says_how_to_answer_and_goes_on_with_the_answer(peer: Peer, engine: MemoryEngine) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 0, "ask": True}, "local"))
    asking = document(await peer.call("get_run", run_id=run.run_id, wait_seconds=40))
    question, step = asking["questions"], asking["next"]
    assert isinstance(question, list)
    assert isinstance(question[0], dict)
    assert isinstance(step, dict)

    await peer.call(str(step["tool"]), run_id=run.run_id, answers={str(question[0]["key"]): {"name": "Ada"}})
    ended = document(await peer.call("get_run", run_id=run.run_id, wait_seconds=40))

    assert (step["tool"], ended["status"]) == ("answer_run", "completed")


@EVERY_ERA
async def test_a_long_poll_does_not_return_on_each_message(peer: Peer, engine: MemoryEngine) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 5, "delay_s": 0.05}, "local"))

    result = await peer.call("get_run", run_id=run.run_id, wait_seconds=40)

    assert structured(result, "status") == "completed"


@EVERY_ERA
async def test_a_run_that_ended_in_an_error_is_shown_as_one(
    peer: Peer, engine: MemoryEngine, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("CRITICAL"):
        run = await engine.start(StartRequest("walk", {"steps": 1, "crash": True}, "local"))
        result = await peer.call("get_run", run_id=run.run_id, wait_seconds=40)

    assert result["isError"] is True
    assert structured(result, "reason") == "crashed"


@EVERY_ERA
@pytest.mark.parametrize("tool", ["get_run", "cancel_run"])
async def test_an_unknown_and_a_foreign_run_look_the_same(peer: Peer, engine: MemoryEngine, tool: str) -> None:
    foreign = await engine.start(StartRequest("walk", {"steps": 1, "delay_s": 60}, "somebody else"))

    answers = [await peer.call(tool, run_id=run_id) for run_id in (foreign.run_id, "0" * len(foreign.run_id))]

    texts = [str(document(answer)).replace(foreign.run_id, "0" * len(foreign.run_id)) for answer in answers]
    assert texts[0] == texts[1]
    assert structured(answers[0], "error", "type") == "run_not_found"


@EVERY_ERA
async def test_cancelling_twice_does_no_harm(peer: Peer) -> None:
    started = await peer.call("walk", steps=1, delay_s=60, wait_seconds=0) if peer.era in PLAIN else None
    run_id = structured(started, "run_id") if started else (await start_task(peer))

    views = [document(await peer.call("cancel_run", run_id=run_id)) for _ in range(2)]

    assert [view["status"] for view in views] == ["cancelled", "cancelled"]
    assert views[0]["elapsed_s"] == views[1]["elapsed_s"]


@EVERY_ERA
async def test_runs_are_listed_newest_first_in_pages_and_only_ones_own(peer: Peer, engine: MemoryEngine) -> None:
    await engine.start(StartRequest("walk", {"steps": 0}, "somebody else"))
    started = [(await engine.start(StartRequest("walk", {"steps": 0}, "local"))).run_id for _ in range(3)]

    first = document(await peer.call("list_runs", limit=2))
    second = document(await peer.call("list_runs", limit=2, cursor=first["next_cursor"]))

    assert isinstance(first["runs"], list)
    assert isinstance(second["runs"], list)
    listed = [run["run_id"] for run in [*first["runs"], *second["runs"]] if isinstance(run, dict)]
    assert listed == started[::-1]
    assert second["next_cursor"] is None


@EVERY_ERA
@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": 51}, {"limit": "2"}, {"cursor": "not ours"}])
async def test_a_page_that_cannot_be_is_an_error_result(peer: Peer, arguments: dict[str, str | int]) -> None:
    result = await peer.call("list_runs", **arguments)

    assert result["isError"] is True


PLAIN = (Era.V2024, Era.V2025_06, Era.V2025_11, Era.MODERN)


async def start_task(peer: Peer) -> str:
    """A long run as a task of the extension: its id."""
    task = await peer.call("walk", steps=1, delay_s=60)
    return str(task["taskId"])


async def test_a_wait_that_no_clock_can_measure_is_an_error_with_the_bound(peer: Peer, engine: MemoryEngine) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 0}, "local"))

    result = await peer.call("get_run", run_id=run.run_id, wait_seconds=10**400)

    assert structured(result, "error", "type") == "argument_invalid"
    assert "at most 3600" in str(structured(result, "error", "message"))
