"""What a run asks, asked of a client of 2025-11-25 on the stream of its `tasks/result`."""

from collections.abc import AsyncIterator

import anyio
import pytest

from handrail.json_types import Json, JsonObject
from handrail.protocol import HandrailServer
from handrail.runs import MemoryEngine, Run, RunStatus, StartRequest
from tests.protocol.peer import TIMEOUT, Era, Peer, connected, structured

pytestmark = pytest.mark.unit

ELICIT = "elicitation/create"
FORMS: JsonObject = {"elicitation": {"form": {}}}


@pytest.fixture
async def fills(server: HandrailServer) -> AsyncIterator[Peer]:
    """A client that fills in forms."""
    async with connected(server, Era.V2025_11, capabilities=FORMS) as peer:
        yield peer


async def asking(engine: MemoryEngine, **arguments: Json) -> Run:
    """A run that asks."""
    run = await engine.start(StartRequest("walk", {"steps": 0, "ask": True, **arguments}, "local"))
    return await engine.wait(run.run_id, "local", TIMEOUT)


async def waits(peer: Peer, run: Run) -> int:
    """Ask for the result of a run's task and do not wait."""
    return await peer.ask("tasks/result", {"taskId": run.run_id})


def accepted(**content: Json) -> JsonObject:
    return {"action": "accept", "content": content}


async def text_of(peer: Peer, request: int) -> str:
    """The result that a request gets, as text."""
    return str((await peer.answer_to(request))["result"])


@pytest.mark.promise("elicitation-2025-11-25")
async def test_a_question_is_asked_as_a_form_that_names_its_task(fills: Peer, engine: MemoryEngine) -> None:
    run = await asking(engine)
    await waits(fills, run)

    asked = await fills.asked(ELICIT)

    params = asked["params"]
    assert isinstance(params, dict)
    meta = params.pop("_meta")
    assert isinstance(meta, dict)
    assert meta["io.modelcontextprotocol/related-task"] == {"taskId": run.run_id}
    assert params == {
        "mode": "form",
        "message": "Who walks?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    }


@pytest.mark.promise("elicitation-2025-11-25")
async def test_an_accepted_form_answers_the_run_and_the_result_comes(fills: Peer, engine: MemoryEngine) -> None:
    waiting = await waits(fills, await asking(engine))

    await fills.reply(await fills.asked(ELICIT), accepted(name="Ada"))

    result = (await fills.answer_to(waiting))["result"]
    assert isinstance(result, dict)
    assert "Ada" in str(structured(result, "result", "asked"))


@pytest.mark.parametrize("action", ["decline", "cancel"])
@pytest.mark.promise("questions-can-be-declined")
async def test_a_declined_or_dismissed_form_is_told_to_the_run(fills: Peer, engine: MemoryEngine, action: str) -> None:
    waiting = await waits(fills, await asking(engine))

    await fills.reply(await fills.asked(ELICIT), {"action": action})

    assert "The question was declined." in await text_of(fills, waiting)


@pytest.mark.parametrize("reply", [accepted(), accepted(name=5), {"action": "accept"}, accepted(name={"a": 1}), {}])
async def test_an_answer_that_does_not_fit_is_asked_for_again_with_what_is_wrong(
    fills: Peer, engine: MemoryEngine, reply: JsonObject
) -> None:
    waiting = await waits(fills, await asking(engine))
    await fills.reply(await fills.asked(ELICIT), reply)

    again = await fills.asked(ELICIT, 2)

    assert isinstance(again["params"], dict)
    assert str(again["params"]["message"]).startswith("Who walks? (")
    await fills.reply(again, accepted(name="Ada"))
    assert "Ada" in await text_of(fills, waiting)


async def test_a_host_that_accepts_every_form_empty_is_asked_three_times_and_the_question_stays_open(
    fills: Peer, engine: MemoryEngine
) -> None:
    run = await asking(engine)
    waiting = await waits(fills, run)
    for number in (1, 2, 3):
        await fills.reply(await fills.asked(ELICIT, number), accepted())
    await fills.call("echo", value="the third answer has been read by now")

    assert len([note for note in fills.notes if note["method"] == ELICIT]) == 3
    assert (await engine.get(run.run_id, "local")).status is RunStatus.INPUT_REQUIRED
    await fills.call("answer_run", run_id=run.run_id, answers={run.questions[0].key: {"name": "Ada"}})
    assert "Ada" in await text_of(fills, waiting)


async def test_a_client_that_refuses_to_ask_leaves_the_question_to_others(fills: Peer, engine: MemoryEngine) -> None:
    run = await asking(engine)
    waiting = await waits(fills, run)

    await fills.refuse(await fills.asked(ELICIT), -32601)
    await fills.call("echo", value=1)

    assert (await engine.get(run.run_id, "local")).status is RunStatus.INPUT_REQUIRED
    await engine.answer(run.run_id, "local", {run.questions[0].key: {"name": "Ada"}})
    assert "Ada" in await text_of(fills, waiting)


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}])
@pytest.mark.promise("elicitation-2025-11-25")
async def test_a_client_that_fills_in_no_forms_is_not_asked(
    server: HandrailServer, engine: MemoryEngine, capabilities: JsonObject
) -> None:
    run = await asking(engine)
    async with connected(server, Era.V2025_11, capabilities=capabilities) as peer:
        waiting = await waits(peer, run)
        answered = await peer.call("answer_run", run_id=run.run_id, answers={run.questions[0].key: {"name": "Ada"}})

        assert "Ada" in await text_of(peer, waiting)
        assert answered["isError"] is False
        assert not [note for note in peer.notes if note["method"] == ELICIT]


async def test_a_client_that_names_no_mode_fills_in_forms(server: HandrailServer, engine: MemoryEngine) -> None:
    async with connected(server, Era.V2025_11, capabilities={"elicitation": {}}) as peer:
        await waits(peer, await asking(engine))

        await peer.asked(ELICIT)


async def test_what_two_streams_ask_is_answered_by_the_first_and_taken_back_from_the_other(
    fills: Peer, engine: MemoryEngine
) -> None:
    run = await asking(engine)
    requests = [await waits(fills, run), await waits(fills, run)]
    first, second = await fills.asked(ELICIT, 1), await fills.asked(ELICIT, 2)

    await fills.reply(first, accepted(name="Ada"))
    await fills.note("notifications/cancelled", requestId=second["id"])
    await fills.reply(second, accepted(name="Eve"))

    for request in requests:
        text = await text_of(fills, request)
        assert "Ada" in text
        assert "Eve" not in text


async def test_each_of_two_questions_is_asked_and_answered_apart(fills: Peer, engine: MemoryEngine) -> None:
    waiting = await waits(fills, await asking(engine, twice=True))
    names = {"Who walks?": "Ada", "Who rests?": "Bob"}

    for number in (1, 2):
        asked = await fills.asked(ELICIT, number)
        assert isinstance(asked["params"], dict)
        await fills.reply(asked, accepted(name=names[str(asked["params"]["message"])]))

    result = (await fills.answer_to(waiting))["result"]
    assert isinstance(result, dict)
    assert structured(result, "result", "asked") == "{'name': 'Ada'}, {'name': 'Bob'}"


async def test_a_run_that_is_cancelled_takes_its_question_back(fills: Peer, engine: MemoryEngine) -> None:
    run = await asking(engine)
    waiting = await waits(fills, run)
    asked = await fills.asked(ELICIT)

    await engine.cancel(run.run_id, "local")

    assert "cancelled" in await text_of(fills, waiting)
    await fills.note("notifications/cancelled", requestId=asked["id"])


async def test_taking_back_the_request_for_the_result_never_touches_the_run(fills: Peer, engine: MemoryEngine) -> None:
    run = await asking(engine)
    waiting = await waits(fills, run)
    asked = await fills.asked(ELICIT)

    await fills.cancel(waiting)
    await fills.note("notifications/cancelled", requestId=asked["id"])
    await fills.reply(asked, accepted(name="Eve"))
    await fills.call("echo", value=1)

    assert (await engine.get(run.run_id, "local")).status is RunStatus.INPUT_REQUIRED
    assert waiting not in fills.answers


async def test_what_a_plain_call_asks_is_answered_by_the_tool_it_names(fills: Peer) -> None:
    with anyio.fail_after(TIMEOUT):
        asking = await fills.call("walk", steps=0, ask=True, wait_seconds=40)

    assert structured(asking, "status") == "input_required"
    assert structured(asking, "next", "tool") == "answer_run"
    assert not [note for note in fills.notes if note["method"] == ELICIT]
