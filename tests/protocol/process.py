"""The fixture server as a process of its own, driven by the bytes on its pipes."""

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from typing import Final

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from handrail.json_types import JsonObject

__all__ = ["COMMAND", "ENVIRONMENT", "ServerProcess", "serving"]

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = (sys.executable, str(Path(__file__).with_name("fixture_server.py")))
ENVIRONMENT: Final = {"PYTHONPATH": str(ROOT), "PATH": os.defpath}
_TIMEOUT: Final = 30
_LONGEST: Final = 20_000_000


@dataclass
class ServerProcess:
    """A running server. Every byte that it writes is kept in `written`."""

    process: Process
    errors: Path
    written: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        assert self.process.stdout is not None
        self._out = BufferedByteReceiveStream(self.process.stdout)

    async def send(self, *messages: JsonObject | bytes) -> None:
        """Send documents, or bytes as they are."""
        assert self.process.stdin is not None
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
            await self.process.stdin.send(line)

    async def greet(self, version: str = "2025-11-25") -> None:
        """Shake hands."""
        hello: JsonObject = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "pipe", "version": "1"},
        }
        await self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
        assert (await self.receive())["id"] == 0
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def receive(self) -> JsonObject:
        """The next message."""
        with anyio.fail_after(_TIMEOUT):
            line = await self._out.receive_until(b"\n", _LONGEST)
        self.written.append(line)
        message: JsonObject = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    async def call(self, number: int, tool: str, **arguments: object) -> None:
        """Ask for a tool's answer and do not wait."""
        await self.send(request(number, tool, **arguments))

    async def close_input(self) -> None:
        """Nothing more will be sent."""
        assert self.process.stdin is not None
        await self.process.stdin.aclose()

    async def rest(self) -> list[JsonObject]:
        """All messages up to the end of output, each of which must be one."""
        data = b""
        with anyio.fail_after(_TIMEOUT):
            try:
                while True:
                    data += await self._out.receive()
            except anyio.EndOfStream:
                pass
        assert not data or data.endswith(b"\n"), data[-100:]
        messages: list[JsonObject] = [json.loads(line) for line in data.splitlines()]
        assert all(message["jsonrpc"] == "2.0" for message in messages)
        return messages

    async def end(self, within: float) -> int:
        """The exit code of a process that ends in time."""
        with anyio.fail_after(within):
            return await self.process.wait()

    def said(self) -> str:
        """What was written to standard error."""
        return self.errors.read_text(errors="replace")


def request(number: int, tool: str, **arguments: object) -> JsonObject:
    """A call of a tool."""
    params: JsonObject = json.loads(json.dumps({"name": tool, "arguments": arguments}))
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@asynccontextmanager
async def serving(
    folder: Path, *flags: str, command: Sequence[str] = COMMAND, environment: Mapping[str, str] = ENVIRONMENT
) -> AsyncIterator[ServerProcess]:
    """A server process that is gone afterwards, whatever happens."""
    errors = folder / "stderr.txt"
    with errors.open("wb") as sink:
        process = await anyio.open_process(
            [*command, *flags], stdin=PIPE, stdout=PIPE, stderr=sink, env={**environment, "TMPDIR": str(folder)}
        )
    try:
        yield ServerProcess(process, errors)
    finally:
        with anyio.CancelScope(shield=True):
            if process.returncode is None:
                process.kill()
            await process.aclose()
