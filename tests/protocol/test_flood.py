"""A client that sends more than it should, or reads less: memory stays bounded, and nothing stands still for good."""

from pathlib import Path

import anyio
import psutil
import pytest

from handrail.json_types import JsonObject
from handrail.protocol.stdio.open_requests import MAX_OPEN
from tests.protocol.process import ServerProcess, request, serving

PING: JsonObject = {"jsonrpc": "2.0", "id": "ping", "method": "ping"}
CANCEL_1: JsonObject = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
CALLS = 300
SIZE = 100_000


async def _ask_all(server: ServerProcess) -> None:
    for number in range(1, CALLS + 1):
        await server.call(number, "echo", value="x" * SIZE)


@pytest.mark.promise("unread-answers-bounded")
async def test_nothing_is_read_while_the_client_does_not_read_and_everything_is_answered_once_it_does(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as server, anyio.create_task_group() as group:
        await server.greet()
        before = psutil.Process(server.process.pid).memory_info().rss
        all_sent = anyio.Event()

        async def ask() -> None:
            await _ask_all(server)
            all_sent.set()

        group.start_soon(ask)
        with anyio.move_on_after(2):
            await all_sent.wait()
        grown = psutil.Process(server.process.pid).memory_info().rss - before
        stopped = not all_sent.is_set()
        answered = [(await server.receive())["id"] for _ in range(CALLS)]

    assert stopped
    assert grown < CALLS * SIZE
    assert sorted(map(str, answered)) == sorted(map(str, range(1, CALLS + 1)))


LISTING: JsonObject = {"jsonrpc": "2.0", "id": "more", "method": "tools/list", "params": {}}


@pytest.mark.promise("open-requests-bounded")
async def test_a_request_too_many_is_refused_and_a_cancel_makes_room(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.greet()
        await server.send(*(request(number, "slow") for number in range(1, MAX_OPEN + 1)))
        await server.send(LISTING)
        refusal = await server.receive()

        await server.send(PING)
        pong = await server.receive()
        await server.send(CANCEL_1, LISTING)
        answer = await server.receive()

    assert refusal["id"] == "more"
    assert isinstance(refusal["error"], dict)
    assert refusal["error"]["message"] == "Too many open requests"
    assert isinstance(refusal["error"]["data"], dict)
    assert refusal["error"]["data"]["limit"] == MAX_OPEN
    assert pong == {"jsonrpc": "2.0", "id": "ping", "result": {}}
    assert answer["id"] == "more"
    assert "result" in answer


@pytest.mark.promise("open-requests-bounded")
async def test_long_requests_fill_up_sooner_than_short_ones(tmp_path: Path) -> None:
    async with serving(tmp_path, "--max-bytes", "10000") as server:
        await server.greet()
        long: JsonObject = {"name": "slow", "arguments": {"seconds": 60}, "_meta": {"padding": "x" * 9_000}}
        for number in range(1, 6):
            await server.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": long})
        await server.send({"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": long})

        refusal = await server.receive()

    assert (refusal["id"], "error" in refusal) == (6, True)


@pytest.mark.parametrize("again", [1, "1"])
@pytest.mark.promise("one-id-one-answer")
async def test_a_second_request_of_an_open_id_gets_no_answer_of_that_id(tmp_path: Path, again: int | str) -> None:
    async with serving(tmp_path) as server:
        await server.greet()
        await server.call(1, "slow", seconds=0.5)

        await server.send({**request(1, "echo"), "id": again})

        refusal, answer = await server.receive(), await server.receive()
        await server.call(1, "echo", value="after the answer the id is free")
        later = await server.receive()

    assert refusal["id"] is None
    assert isinstance(refusal["error"], dict)
    assert refusal["error"]["data"] == {"id": "1", "next": "Give each request an id of its own."}
    assert (answer["id"], "result" in answer) == (1, True)
    assert (later["id"], "result" in later) == (1, True)
