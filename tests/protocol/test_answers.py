"""Runs that ask, for clients that know nothing of tasks: a plain call, `get_run`, `answer_run`."""

import pytest

from handrail.json_types import JsonObject
from handrail.runs import MemoryEngine, RunStatus, StartRequest
from tests.protocol.peer import TIMEOUT, Era, Peer, document, structured

pytestmark = pytest.mark.unit

PLAIN = [Era.V2024, Era.V2025_06, Era.V2025_11, Era.MODERN]
EVERY_PLAIN_ERA = pytest.mark.parametrize("era", PLAIN, ids=lambda era: era.value)


async def asking(peer: Peer, *, twice: bool = False) -> tuple[str, list[str]]:
    """A plain call of a run that asks: its id, and the keys of its questions."""
    result = await peer.call("walk", steps=0, ask=True, twice=twice, wait_seconds=40)
    view = document(result)
    assert (result["isError"], view["status"]) == (False, "input_required")
    view = document(await peer.call("get_run", run_id=view["run_id"], wait_seconds=40))
    assert isinstance(view["questions"], list)
    return str(view["run_id"]), [str(question["key"]) for question in view["questions"] if isinstance(question, dict)]


@EVERY_PLAIN_ERA
@pytest.mark.promise("plain-calls-can-answer")
async def test_a_plain_call_of_a_run_that_asks_answers_early_and_says_how_to_go_on(peer: Peer) -> None:
    view = document(await peer.call("walk", steps=1, ask=True, wait_seconds=40))
    step = view["next"]

    assert isinstance(step, dict)
    assert isinstance(view["questions"], list)
    assert isinstance(view["questions"][0], dict)
    assert view["questions"][0]["message"] == "Who walks?"
    answers: JsonObject = {str(view["questions"][0]["key"]): {"name": "Ada"}}
    answered = await peer.call(str(step["tool"]), run_id=view["run_id"], answers=answers)
    assert answered["isError"] is False
    ended = document(await peer.call("get_run", run_id=view["run_id"], wait_seconds=40))
    assert ended["status"] == "completed"
    assert "Ada" in str(ended["result"])


@EVERY_PLAIN_ERA
@pytest.mark.promise("questions-can-be-declined")
async def test_a_question_can_be_declined(peer: Peer) -> None:
    run_id, keys = await asking(peer)

    await peer.call("answer_run", run_id=run_id, decline=[*keys, "unknown"])

    ended = document(await peer.call("get_run", run_id=run_id, wait_seconds=40))
    assert (ended["status"], ended["message"]) == ("failed", "The question was declined.")


async def test_one_question_can_be_answered_and_the_other_declined_at_once(peer: Peer, engine: MemoryEngine) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 0, "ask": True, "twice": True}, "local"))
    await engine.wait(run.run_id, "local", TIMEOUT)
    await peer.call("echo", value="both questions are asked by now")

    await peer.call("answer_run", run_id=run.run_id, answers={"q1": {"name": "Ada"}}, decline=["q2"])

    ended = await engine.wait(run.run_id, "local", TIMEOUT)
    assert (ended.status, ended.message) == (RunStatus.FAILED, "The question was declined.")


@pytest.mark.parametrize("answer", [{}, {"name": 5}, None, "Ada"])
async def test_an_answer_that_does_not_fit_is_an_error_and_leaves_every_question_open(
    peer: Peer, engine: MemoryEngine, answer: JsonObject | str | None
) -> None:
    run_id, keys = await asking(peer)

    result = await peer.call("answer_run", run_id=run_id, answers={keys[0]: answer}, decline=["q2"])

    assert result["isError"] is True
    assert structured(result, "error", "type") == "argument_invalid"
    assert (await engine.get(run_id, "local")).status is RunStatus.INPUT_REQUIRED


@pytest.mark.parametrize("given", [{}, {"answers": {}}, {"decline": []}, {"answers": {}, "decline": []}])
async def test_an_answer_of_nothing_is_an_error_with_the_next_step(peer: Peer, given: JsonObject) -> None:
    run_id, _ = await asking(peer)

    result = await peer.call("answer_run", run_id=run_id, **given)

    assert structured(result, "error", "type") == "usage"
    assert "get_run shows the questions" in str(structured(result, "error", "next"))


@pytest.mark.parametrize("decline", ["q1", [1], {"q1": True}])
async def test_what_is_declined_is_a_list_of_keys(peer: Peer, engine: MemoryEngine, decline: JsonObject) -> None:
    run_id, _ = await asking(peer)

    result = await peer.call("answer_run", run_id=run_id, decline=decline)

    assert structured(result, "error", "type") == "argument_invalid"
    assert (await engine.get(run_id, "local")).status is RunStatus.INPUT_REQUIRED


async def test_an_answer_to_a_run_that_has_ended_changes_nothing(peer: Peer) -> None:
    run_id, keys = await asking(peer)
    await peer.call("cancel_run", run_id=run_id)

    view = document(await peer.call("answer_run", run_id=run_id, answers={keys[0]: {"name": "Eve"}}))

    assert (view["status"], view["result"]) == ("cancelled", None)


async def test_a_cancelled_task_stays_cancelled_on_every_face(peer: Peer, engine: MemoryEngine) -> None:
    run_id, _ = await asking(peer)
    await peer.result("tasks/cancel", {"taskId": run_id})

    views = [document(await peer.call("cancel_run", run_id=run_id)) for _ in range(2)]

    assert [view["status"] for view in views] == ["cancelled"] * 2
    assert (await engine.get(run_id, "local")).status is RunStatus.CANCELLED
    assert (await peer.result("tasks/get", {"taskId": run_id}))["status"] == "cancelled"
