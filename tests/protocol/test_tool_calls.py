"""Calls of tools that start no run, in every generation of the protocol."""

import logging

import pytest

from handrail.json_types import Json, JsonObject
from tests.protocol.peer import Era, Peer, document
from tests.protocol.sample_tools import SECRET

pytestmark = pytest.mark.unit

EVERY_ERA = pytest.mark.parametrize("era", list(Era), ids=lambda era: era.value)


@EVERY_ERA
@pytest.mark.parametrize("value", [None, 0, 1.5, "ü\u2028\x00", [None, {"a": None}], {}, "x" * 100_000])
async def test_an_answer_says_the_same_in_both_halves(peer: Peer, value: Json) -> None:
    result = await peer.call("echo", value=value)

    assert document(result) == {"echo": value, "none": None}
    assert result["isError"] is False


@EVERY_ERA
async def test_a_result_has_a_type_in_the_new_generation_only(peer: Peer, era: Era) -> None:
    result = await peer.call("echo", value=1)

    assert result.get("resultType") == ("complete" if era.is_modern else None)


@EVERY_ERA
async def test_an_unknown_tool_is_a_protocol_error_that_names_the_nearest(peer: Peer) -> None:
    error = await peer.error("tools/call", {"name": "ecko", "arguments": {}})

    assert error["code"] == -32602
    assert error["message"] == "There is no tool 'ecko'. Use 'echo'."
    assert isinstance(error["data"], dict)
    assert isinstance(error["data"]["data"], dict)
    assert error["data"]["data"]["nearest"] == "echo"


@EVERY_ERA
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"valu": 1}, {"problem": "unknown", "argument": "valu", "nearest": "value"}),
        ({"size": 1}, {"problem": "unknown", "argument": "size"}),
    ],
)
async def test_wrong_arguments_are_a_result_that_the_model_can_mend(
    peer: Peer, arguments: JsonObject, expected: JsonObject
) -> None:
    result = await peer.call("echo", **arguments)

    error = document(result)["error"]
    assert result["isError"] is True
    assert isinstance(error, dict)
    assert error["type"] == "argument_invalid"
    assert isinstance(error["data"], dict)
    assert expected.items() <= error["data"].items()


@EVERY_ERA
async def test_a_refusal_is_a_result_with_the_next_step(peer: Peer) -> None:
    result = await peer.call("refuse")

    assert result["isError"] is True
    assert document(result) == {
        "error": {
            "type": "refused",
            "code": None,
            "message": "Not today.",
            "next": "Ask again tomorrow.",
            "data": {"day": "today"},
        }
    }


@EVERY_ERA
@pytest.mark.promise("unforeseen-errors-are-masked")
async def test_nothing_of_an_unforeseen_exception_reaches_the_caller(
    peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        result = await peer.call("break")

    error = document(result)["error"]
    assert result["isError"] is True
    assert isinstance(error, dict)
    assert error["type"] == "internal"
    assert SECRET not in str(peer.answers)
    assert SECRET in caplog.text
    assert await peer.call("echo", value=1)


@EVERY_ERA
@pytest.mark.promise("reads-while-slow")
async def test_reads_and_ping_are_answered_while_a_call_is_slow(peer: Peer, era: Era) -> None:
    slow = await peer.ask("tools/call", {"name": "slow", "arguments": {}})

    assert await peer.call("echo", value=1)
    if not era.is_modern:
        assert await peer.result("ping") == {}
    assert slow not in peer.answers


@EVERY_ERA
@pytest.mark.promise("no-answer-after-cancel")
async def test_a_cancelled_call_is_never_answered(peer: Peer) -> None:
    slow = await peer.ask("tools/call", {"name": "slow", "arguments": {}, "_meta": {"progressToken": "t"}})
    await peer.note("notifications/progress", progressToken="t")

    await peer.cancel(slow)
    await peer.call("echo", value=1)

    assert slow not in peer.answers


@EVERY_ERA
async def test_metadata_of_other_vendors_is_tolerated(peer: Peer) -> None:
    meta: JsonObject = {"x-codex/turn": {"a": [1]}, "progressToken": 7, "anthropic/foo": None}

    assert await peer.result("tools/call", {"name": "echo", "arguments": {}, "_meta": meta})
    assert await peer.result("tools/list", {"_meta": meta})


@EVERY_ERA
async def test_a_tool_learns_who_calls(peer: Peer, era: Era) -> None:
    seen = document(await peer.call("client"))

    assert seen == {"name": "peer", "protocol": era.value[:10], "owner": "local"}


@pytest.mark.parametrize("arguments", [[], "x", 5])
async def test_arguments_that_are_no_object_are_a_protocol_error(peer: Peer, arguments: Json) -> None:
    error = await peer.error("tools/call", {"name": "echo", "arguments": arguments})

    assert error["code"] == -32602


async def test_missing_arguments_are_no_arguments(peer: Peer) -> None:
    result = await peer.result("tools/call", {"name": "echo"})

    assert document(result) == {"echo": None, "none": None}


async def test_half_a_surrogate_pair_in_an_answer_is_replaced(peer: Peer) -> None:
    result = await peer.call("echo", value="a\ud800b")

    assert document(result) == {"echo": "a?b", "none": None}
