"""One server, two generations: what each may see and call."""

import json

import pytest

from handrail.json_types import JsonObject
from handrail.protocol import HandrailServer, create_server
from handrail.protocol.eras import TASK_CALL
from tests.protocol.peer import EXTENSION, Era, Peer, connected
from tests.protocol.sample_tools import TOOLS

pytestmark = pytest.mark.unit

EVERY_ERA = pytest.mark.parametrize("era", list(Era), ids=lambda era: era.value)
LEGACY_TASKS: JsonObject = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}


async def greeting(server: HandrailServer, era: Era) -> JsonObject:
    """The answer that holds the server's capabilities."""
    async with connected(server, era) as peer:
        return await peer.result("server/discover") if era.is_modern else dict(peer.greeting)


@EVERY_ERA
@pytest.mark.promise("capabilities-by-era")
async def test_tasks_are_advertised_in_the_form_of_the_generation_and_in_no_other(
    server: HandrailServer, era: Era
) -> None:
    capabilities = (await greeting(server, era))["capabilities"]

    expected: JsonObject = {"tools": {"listChanged": False}}
    if era.is_modern:
        expected["extensions"] = {EXTENSION: {}}
    if era is Era.V2025_11:
        expected["tasks"] = LEGACY_TASKS
    assert capabilities == expected


@EVERY_ERA
async def test_a_server_without_runs_advertises_no_tasks(era: Era) -> None:
    capabilities = (await greeting(create_server(TOOLS), era))["capabilities"]

    assert capabilities == {"tools": {"listChanged": False}}


@EVERY_ERA
async def test_the_instructions_reach_every_client(server: HandrailServer, era: Era) -> None:
    assert (await greeting(server, era))["instructions"] == "Walk."


@EVERY_ERA
@pytest.mark.parametrize(
    ("method", "eras"),
    [
        ("tasks/get", {Era.V2025_11, Era.MODERN, Era.MODERN_TASKS}),
        ("tasks/cancel", {Era.V2025_11, Era.MODERN, Era.MODERN_TASKS}),
        ("tasks/result", {Era.V2025_11}),
        ("tasks/list", {Era.V2025_11}),
        ("tasks/update", {Era.MODERN, Era.MODERN_TASKS}),
        ("subscriptions/listen", {Era.MODERN, Era.MODERN_TASKS}),
        ("ping", {Era.V2024, Era.V2025_06, Era.V2025_11}),
        ("resources/list", set()),
        ("tasks/nothing", set()),
        (TASK_CALL, set()),
    ],
)
async def test_a_method_exists_in_its_generations_only(peer: Peer, era: Era, method: str, eras: set[Era]) -> None:
    params: JsonObject = {"name": "walk", "arguments": {"steps": 1}} if method == TASK_CALL else {}
    answer = await peer.request(method, params)

    error = answer.get("error") or {}
    assert isinstance(error, dict)
    assert (error.get("code") != -32601) == (era in eras)


@pytest.mark.parametrize("era", [Era.MODERN, Era.MODERN_TASKS], ids=lambda era: era.value)
@pytest.mark.parametrize("method", ["tasks/result", "tasks/list"])
async def test_methods_of_the_old_tasks_are_gone_whatever_their_parameters(peer: Peer, method: str) -> None:
    for params in ({}, {"taskId": "x"}, {"cursor": "x"}):
        assert (await peer.error(method, dict(params)))["code"] == -32601


@EVERY_ERA
async def test_a_server_without_runs_has_no_task_methods(era: Era) -> None:
    async with connected(create_server(TOOLS), era) as peer:
        for method in ("tasks/get", "tasks/list", "tasks/cancel"):
            assert (await peer.error(method, {"taskId": "x"}))["code"] == -32601


@pytest.mark.parametrize("era", [Era.V2024, Era.V2025_06, Era.MODERN], ids=lambda era: era.value)
async def test_a_wish_for_a_task_is_ignored_where_there_are_none(peer: Peer) -> None:
    params: JsonObject = {"name": "walk", "arguments": {"steps": 1}, "task": {"ttl": 1}}

    result = await peer.result("tools/call", params)

    assert "task" not in result
    assert isinstance(result["structuredContent"], dict)
    assert result["structuredContent"]["status"] == "completed"


async def test_a_wish_for_a_task_before_the_handshake_is_refused(server: HandrailServer) -> None:
    async with connected(server, Era.V2025_11, greet=False) as peer:
        params: JsonObject = {"name": "walk", "arguments": {"steps": 1}, "task": {}}
        error = await peer.error("tools/call", params)

    assert error["code"] == -32602


@pytest.mark.parametrize("era", [Era.V2025_11, Era.MODERN], ids=lambda era: era.value)
async def test_parameters_that_do_not_fit_are_refused_with_what_is_wrong_and_nothing_of_what_was_sent(
    peer: Peer,
) -> None:
    error = await peer.error("tools/call", {"name": ["canary"]})

    assert (error["code"], error["message"]) == (-32602, "Invalid request parameters")
    assert "name" in json.dumps(error["data"])
    assert isinstance(error["data"], dict)
    assert error["data"]["next"]
    assert "canary" not in json.dumps(error)


async def test_who_does_not_greet_is_told_to(server: HandrailServer) -> None:
    async with connected(server, Era.V2025_11, greet=False) as peer:
        error = await peer.error("tools/list")

    assert error["code"] == -32602
    assert "initialize" in json.dumps(error["data"])


@pytest.mark.promise("errors-are-small")
async def test_a_method_that_there_is_not_is_repeated_in_part_only(peer: Peer) -> None:
    error = await peer.error("x" * 10_000)

    assert (error["code"], error["data"]) == (-32601, "x" * 64)
