"""A call that asks: on its own stream before 2026-07-28, by ending with the question since."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.protocol import Call, ServerTool, ToolAnswer, create_server
from tests.protocol.peer import TIMEOUT, Era, Peer, connected, document
from tests.protocol.sample_tools import GATEWAY, schema

pytestmark = pytest.mark.unit

ELICIT = "elicitation/create"
FORMS: JsonObject = {"elicitation": {"form": {}}}
FORM: JsonObject = {"type": "object", "properties": {"approve": {"type": "boolean"}}, "required": ["approve"]}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
OLD = pytest.mark.parametrize("era", [Era.V2025_06, Era.V2025_11], ids=lambda era: era.value)


async def _ask(call: Call, arguments: JsonMapping) -> ToolAnswer:
    seconds = arguments.get("seconds", TIMEOUT)
    assert isinstance(seconds, int | float)
    answer = await call.elicit("q", "Really?", FORM, state="sealed", seconds=seconds)
    if answer is None:
        return ToolAnswer({"asked": False, "state": call.request_state})
    return ToolAnswer(
        {
            "action": answer.action.value,
            "content": dict(answer.content),
            "by": answer.by_person,
            "state": call.request_state,
        }
    )


ASKING = ServerTool("ask", "Ask", "Asks.", schema({"seconds": {"type": "number"}}), GATEWAY, _ask)


@asynccontextmanager
async def client(era: Era, capabilities: JsonObject | None = FORMS, *tools: ServerTool) -> AsyncIterator[Peer]:
    server = create_server([ASKING, *tools])
    async with connected(server, era, capabilities=capabilities) as peer:
        yield peer


def params(capabilities: JsonObject = FORMS, tool: str = "ask", **more: Json) -> JsonObject:
    """Of a call of 2026-07-28 whose client declares these capabilities."""
    return {"name": tool, "arguments": {}, "_meta": {CAPABILITIES: capabilities}, **more}


def retry(answer: Json, state: Json = "sealed", key: str = "q") -> JsonObject:
    return params(inputResponses={key: answer}, requestState=state)


def accepted(content: JsonObject) -> JsonObject:
    return {"action": "accept", "content": content}


@OLD
@pytest.mark.promise("calls-can-ask")
async def test_a_client_is_asked_on_the_stream_of_its_call(era: Era) -> None:
    async with client(era) as peer:
        waiting = await peer.ask("tools/call", {"name": "ask", "arguments": {}})
        asked = await peer.asked(ELICIT)
        await peer.reply(asked, accepted({"approve": True}))
        result = (await peer.answer_to(waiting))["result"]

    assert asked["params"] == {"mode": "form", "message": "Really?", "requestedSchema": FORM}
    assert isinstance(result, dict)
    assert document(result) == {"action": "accept", "content": {"approve": True}, "by": False, "state": None}


@OLD
@pytest.mark.parametrize(
    ("reply", "action", "content"),
    [
        ({"action": "decline"}, "decline", {}),
        ({"action": "cancel", "content": None}, "cancel", {}),
        ({"action": "accept"}, "accept", {}),
        (accepted({"approve": "true"}), "accept", {"approve": "true"}),
        (accepted({"approve": 1}), "accept", {"approve": 1}),
        (accepted({"approve": True, "more": ["x"]}), "accept", {"approve": True, "more": ["x"]}),
        (accepted({"approve": {"nested": True}}), "cancel", {}),
        ({}, "cancel", {}),
        ({"action": "yes"}, "cancel", {}),
    ],
)
async def test_what_comes_back_is_handed_on_in_its_own_type_or_as_no_answer(
    era: Era, reply: JsonObject, action: str, content: JsonObject
) -> None:
    async with client(era) as peer:
        waiting = await peer.ask("tools/call", {"name": "ask", "arguments": {}})
        await peer.reply(await peer.asked(ELICIT), reply)
        result = (await peer.answer_to(waiting))["result"]

    assert isinstance(result, dict)
    found = document(result)
    assert (found["action"], found["content"]) == (action, content)


@OLD
@pytest.mark.promise("calls-can-ask")
async def test_no_answer_in_time_is_a_no_and_a_late_one_is_ignored(era: Era) -> None:
    async with client(era) as peer:
        with anyio.fail_after(TIMEOUT / 2):
            result = await peer.call("ask", seconds=0.05)
        asked = await peer.asked(ELICIT)
        await peer.note("notifications/cancelled", requestId=asked["id"])
        await peer.reply(asked, accepted({"approve": True}))

        assert document(result)["action"] == "decline"
        assert document(await peer.call("ask", seconds=0.05))["action"] == "decline"


@OLD
async def test_a_second_answer_to_one_question_is_ignored(era: Era) -> None:
    async with client(era) as peer:
        waiting = await peer.ask("tools/call", {"name": "ask", "arguments": {}})
        asked = await peer.asked(ELICIT)
        await peer.reply(asked, {"action": "decline"})
        await peer.reply(asked, accepted({"approve": True}))

        result = (await peer.answer_to(waiting))["result"]
        assert isinstance(result, dict)
        assert document(result)["action"] == "decline"


@OLD
@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}])
@pytest.mark.promise("calls-can-ask")
async def test_a_client_that_fills_in_no_forms_is_never_asked(era: Era, capabilities: JsonObject) -> None:
    async with client(era, capabilities) as peer:
        assert document(await peer.call("ask")) == {"asked": False, "state": None}
        assert not [note for note in peer.notes if note["method"] == ELICIT]


async def test_a_client_of_a_version_without_elicitation_is_never_asked() -> None:
    async with client(Era.V2024, FORMS) as peer:
        assert document(await peer.call("ask")) == {"asked": False, "state": None}


@OLD
async def test_a_client_that_refuses_to_ask_counts_as_one_that_can_not(era: Era) -> None:
    async with client(era) as peer:
        waiting = await peer.ask("tools/call", {"name": "ask", "arguments": {}})
        await peer.refuse(await peer.asked(ELICIT), -32601)

        result = (await peer.answer_to(waiting))["result"]
        assert isinstance(result, dict)
        assert document(result)["asked"] is False


@OLD
@pytest.mark.promise("no-answer-after-cancel")
async def test_a_call_that_is_taken_back_while_it_asks_takes_its_question_back_and_says_nothing(era: Era) -> None:
    async with client(era) as peer:
        waiting = await peer.ask("tools/call", {"name": "ask", "arguments": {}})
        asked = await peer.asked(ELICIT)
        await peer.cancel(waiting)
        await peer.note("notifications/cancelled", requestId=asked["id"])
        await peer.reply(asked, accepted({"approve": True}))

        assert document(await peer.call("ask", seconds=0.01))["action"] == "decline"
        assert waiting not in peer.answers


async def test_a_made_up_state_of_an_older_version_is_not_seen() -> None:
    async with client(Era.V2025_11, {}) as peer:
        result = await peer.result("tools/call", {"name": "ask", "arguments": {}, "requestState": "sealed"})

        assert document(result) == {"asked": False, "state": None}


@pytest.mark.promise("calls-can-ask")
async def test_a_call_of_the_new_generation_ends_with_its_question_and_nothing_is_sent() -> None:
    async with client(Era.MODERN) as peer:
        result = await peer.result("tools/call", params())

        assert result["resultType"] == "input_required"
        assert result["requestState"] == "sealed"
        assert result["inputRequests"] == {
            "q": {"method": ELICIT, "params": {"mode": "form", "message": "Really?", "requestedSchema": FORM}}
        }
        assert not {"content", "structuredContent", "isError"} & set(result)
        assert not peer.notes


async def test_the_retry_brings_the_answer_and_the_state() -> None:
    async with client(Era.MODERN) as peer:
        result = await peer.result("tools/call", retry(accepted({"approve": True})))

        assert document(result) == {"action": "accept", "content": {"approve": True}, "by": False, "state": "sealed"}


@pytest.mark.parametrize(
    ("given", "action"),
    [
        (retry({"action": "decline"}), "decline"),
        (retry({"action": "cancel"}), "cancel"),
        (retry(accepted({"approve": True}), key="other"), "cancel"),
        (params(requestState="sealed"), "cancel"),
        (params(requestState="sealed", inputResponses={}), "cancel"),
        (retry({"roots": []}), "cancel"),
        (retry(accepted({}), state=""), "accept"),
    ],
)
async def test_a_retry_without_an_answer_to_the_question_brings_none(given: JsonObject, action: str) -> None:
    async with client(Era.MODERN) as peer:
        assert document(await peer.result("tools/call", given))["action"] == action


@pytest.mark.parametrize(
    "given",
    [
        params(inputResponses={"q": accepted({"approve": True})}),
        params(inputResponses={"q": accepted({"approve": True})}, requestState=None),
    ],
)
@pytest.mark.promise("calls-can-ask")
async def test_an_answer_without_its_question_is_none(given: JsonObject) -> None:
    async with client(Era.MODERN) as peer:
        assert (await peer.result("tools/call", given))["resultType"] == "input_required"


@pytest.mark.parametrize("responses", [[], "yes", {"q": "yes"}, {"q": {"action": "yes"}}, {"q": None}])
async def test_an_answer_that_is_none_of_the_protocols_is_a_protocol_error(responses: Json) -> None:
    async with client(Era.MODERN) as peer:
        error = await peer.error("tools/call", params(inputResponses=responses, requestState="sealed"))

        assert error["code"] == -32602


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}])
async def test_a_request_that_declares_no_forms_is_not_answered_with_one(capabilities: JsonObject) -> None:
    async with client(Era.MODERN) as peer:
        given = params(capabilities, inputResponses={"q": accepted({"approve": True})}, requestState="sealed")

        assert document(await peer.result("tools/call", params(capabilities))) == {"asked": False, "state": None}
        assert document(await peer.result("tools/call", given)) == {"asked": False, "state": "sealed"}
