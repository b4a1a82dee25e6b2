"""A client without a library: sends and gets JSON documents, in either generation of the protocol."""

import itertools
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from enum import Enum
from typing import Final, TypeVar

import anyio
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from handrail.json_types import Json, JsonObject
from handrail.protocol.stdio.messages import as_line

__all__ = ["ENVELOPE", "EXTENSION", "TIMEOUT", "Era", "Peer", "connected", "document", "envelope", "structured"]

TIMEOUT: Final = 10
"""Seconds that anything may take before the test gives up."""
EXTENSION: Final = "io.modelcontextprotocol/tasks"
AnyT = TypeVar("AnyT")
_PREFIX: Final = "io.modelcontextprotocol/"


def envelope(*, tasks: bool, client: str = "peer") -> JsonObject:
    """What each request of 2026-07-28 carries in its `_meta`."""
    capabilities: JsonObject = {"extensions": {EXTENSION: {}}} if tasks else {}
    return {
        f"{_PREFIX}protocolVersion": "2026-07-28",
        f"{_PREFIX}clientInfo": {"name": client, "version": "1"},
        f"{_PREFIX}clientCapabilities": capabilities,
    }


ENVELOPE: Final = envelope(tasks=False)


class Era(Enum):
    """What a client speaks: the version of a handshake, or the envelope of each request."""

    V2024 = "2024-11-05"
    V2025_06 = "2025-06-18"
    V2025_11 = "2025-11-25"
    MODERN = "2026-07-28"
    MODERN_TASKS = "2026-07-28 with tasks"

    @property
    def is_modern(self) -> bool:
        """Whether there is an envelope instead of a handshake."""
        return self in {Era.MODERN, Era.MODERN_TASKS}


class Peer:
    """One connection to a server, in memory."""

    def __init__(self, era: Era, client: str) -> None:
        self.era = era
        self.client = client
        self.greeting: JsonObject = {}
        self.notes: list[JsonObject] = []
        self.answers: dict[int, JsonObject] = {}
        self._ids = itertools.count(1)
        self._news = anyio.Event()
        self.to_server, self.server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](100)
        self.server_writes, self.from_server = anyio.create_memory_object_stream[SessionMessage](100)

    async def send(self, message: JsonObject) -> None:
        """Send a document as it is."""
        await self.to_server.send(SessionMessage(jsonrpc_message_adapter.validate_python(message, by_name=False)))

    async def ask(self, method: str, params: Mapping[str, Json] | None = None) -> int:
        """Send a request and do not wait: its id."""
        number = next(self._ids)
        given = dict(params or {})
        if self.era.is_modern:
            meta = given.get("_meta")
            own = envelope(tasks=self.era is Era.MODERN_TASKS, client=self.client)
            given["_meta"] = {**own, **(meta if isinstance(meta, dict) else {})}
        await self.send({"jsonrpc": "2.0", "id": number, "method": method, **({"params": given} if given else {})})
        return number

    async def answer_to(self, number: int) -> JsonObject:
        """The whole response to a request."""
        with anyio.fail_after(TIMEOUT):
            while number not in self.answers:
                await self._news.wait()
        return self.answers[number]

    async def request(self, method: str, params: Mapping[str, Json] | None = None) -> JsonObject:
        """Send a request: its whole response."""
        return await self.answer_to(await self.ask(method, params))

    async def result(self, method: str, params: Mapping[str, Json] | None = None) -> JsonObject:
        """Send a request that succeeds: its result."""
        answer = await self.request(method, params)
        assert "result" in answer, answer
        return _object(answer["result"])

    async def error(self, method: str, params: Mapping[str, Json] | None = None) -> JsonObject:
        """Send a request that fails: its error."""
        answer = await self.request(method, params)
        assert "error" in answer, answer
        return _object(answer["error"])

    async def call(self, tool: str, **arguments: Json) -> JsonObject:
        """Call a tool: its result."""
        return await self.result("tools/call", {"name": tool, "arguments": arguments})

    async def cancel(self, number: int) -> None:
        """Take a request back."""
        await self.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number, "reason": "enough"}}
        )

    async def note(self, method: str, **expected: Json) -> JsonObject:
        """The parameters of the first notification of that method that has these parameters; waits for it."""
        with anyio.fail_after(TIMEOUT):
            while True:
                for message in self.notes:
                    params = _object(message.get("params") or {})
                    if message["method"] == method and expected.items() <= params.items():
                        return params
                await self._news.wait()

    async def asked(self, method: str, number: int = 1) -> JsonObject:
        """The so-manieth request of that method that the server sends to this client; waits for it."""
        with anyio.fail_after(TIMEOUT):
            while True:
                asked = [message for message in self.notes if message["method"] == method and "id" in message]
                if len(asked) >= number:
                    return asked[number - 1]
                await self._news.wait()

    async def reply(self, asked: JsonObject, result: JsonObject) -> None:
        """Answer a request of the server."""
        await self.send({"jsonrpc": "2.0", "id": asked["id"], "result": result})

    async def refuse(self, asked: JsonObject, code: int) -> None:
        """Answer a request of the server with an error."""
        await self.send({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": code, "message": "No"}})

    async def read(self) -> None:
        """Take what comes, until the connection ends."""
        async with self.from_server:
            async for item in self.from_server:
                self._take(json.loads(as_line(item.message)))

    def _take(self, message: JsonObject) -> None:
        if "method" in message:
            self.notes.append(message)
        else:
            number = message.get("id")
            assert isinstance(number, int)
            self.answers[number] = message
        news, self._news = self._news, anyio.Event()
        news.set()


@asynccontextmanager
async def connected(
    server: Server[AnyT],
    era: Era,
    client: str = "peer",
    *,
    greet: bool = True,
    capabilities: JsonObject | None = None,
) -> AsyncIterator[Peer]:
    """A peer that has greeted the server as its generation does; with a handshake it declares these capabilities."""
    peer = Peer(era, client)
    async with anyio.create_task_group() as group, peer.to_server:
        group.start_soon(peer.read)
        group.start_soon(server.run, peer.server_reads, peer.server_writes, server.create_initialization_options())
        if greet and not era.is_modern:
            hello: JsonObject = {"name": client, "version": "1"}
            peer.greeting = await peer.result(
                "initialize", {"protocolVersion": era.value, "capabilities": capabilities or {}, "clientInfo": hello}
            )
            await peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield peer
        await peer.to_server.aclose()


def document(result: JsonObject) -> JsonObject:
    """The document of a tool's result, which must say the same in both of its halves."""
    content = result["content"]
    assert isinstance(content, list)
    assert len(content) == 1
    block = _object(content[0])
    assert block["type"] == "text"
    text = block["text"]
    assert isinstance(text, str)
    assert json.loads(text) == result["structuredContent"]
    return _object(result["structuredContent"])


def structured(result: JsonObject, *names: str) -> Json:
    """One value of the document of a tool's result."""
    value: Json = document(result)
    for name in names:
        value = _object(value)[name]
    return value


def _object(value: Json) -> JsonObject:
    assert isinstance(value, dict)
    return value
