"""A server on standard input and output, from its first byte to the end of its process."""

import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, JSONRPCResponse

from handrail.protocol.stdio.descriptors import Wire
from handrail.protocol.stdio.framing import LineSplitter, LongLine
from handrail.protocol.stdio.guard import EndGuard
from handrail.protocol.stdio.messages import Refusal, as_line, read_line
from handrail.protocol.stdio.open_requests import OpenRequests
from handrail.protocol.stdio.outbox import Outbox

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from handrail.protocol.server import HandrailServer

__all__ = ["DEFAULT_MAX_MESSAGE_BYTES", "END_SECONDS", "serve_stdio"]

_LOG: Final = logging.getLogger("handrail.protocol")

DEFAULT_MAX_MESSAGE_BYTES: Final = 4 * 1024 * 1024
END_SECONDS: Final = 1.2
"""How long the process may live once it is to end, whatever still runs in it."""
_WAITING_BYTES: Final = 4 * 1024 * 1024
"""How much may wait to be written: with more of it nothing is read until the client has read."""
_AHEAD: Final = 64
"""How many messages are read ahead of the server, so that none waits for a turn of the loop for each before it."""
_DRAIN_SECONDS: Final = 0.5
"""How long what has been asked may still be answered after the end of input."""
_FLUSH_SECONDS: Final = 0.3
"""How long the last lines may take to be written."""


async def serve_stdio(
    server: "HandrailServer", *, max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES, wire: Wire | None = None
) -> None:
    """Serve until the input ends, a signal (TERM, INT, HUP) comes, the client stops reading, or the parent dies.

    Call it from the main thread of a process that has nothing else to do: it takes standard input and output for good,
    and the process ends at most `END_SECONDS` after its time has come, by force if need be. What was asked before the
    end is still answered if that is quick; runs that calls wait for are left alone.

    Memory is bounded whatever the client sends: beyond `MAX_OPEN` open requests each further one is refused at once
    (what takes one back still gets through), and while the client does not read its answers, nothing of it is read.

    Args:
        server: what answers.
        max_message_bytes: the longest line that is read; a longer one is refused with an error, nothing else happens.
        wire: the streams, where the process has claimed them already; better so, see `Wire.claim`.
    """
    wire = wire or Wire.claim()
    guard = EndGuard(wire.incoming, wire.parent, END_SECONDS)
    with guard.watching():
        await _Connection(server, wire, guard, max_message_bytes).serve()
    guard.due()


class _Connection:
    def __init__(self, server: "HandrailServer", wire: Wire, guard: EndGuard, max_bytes: int) -> None:
        self._server = server
        self._wire = wire
        self._guard = guard
        self._max_bytes = max_bytes
        self._open = OpenRequests(max_bytes)
        self._outbox = Outbox(_WAITING_BYTES)
        self._greeted = False

    async def serve(self) -> None:
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](_AHEAD)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        options = self._server.create_initialization_options()
        async with anyio.create_task_group() as group:
            group.start_soon(self._write_all)
            group.start_soon(self._take_answers, from_server)
            async with anyio.create_task_group() as readers:
                readers.start_soon(self._read_until_end, to_server)
                await self._server.run(from_client, to_client, options)
                readers.cancel_scope.cancel()
            group.cancel_scope.deadline = anyio.current_time() + _FLUSH_SECONDS

    async def _read_until_end(self, to_server: "MemoryObjectSendStream[SessionMessage | Exception]") -> None:
        """Read until there is a reason to end, let the answers out that are due, then close the server's input."""
        async with to_server:
            async with anyio.create_task_group() as group:
                group.start_soon(self._end_on_demand, group.cancel_scope)
                await self._read_all(to_server)
                group.cancel_scope.cancel()
            self._server.begin_shutdown()
            self._guard.due()
            with anyio.move_on_after(_DRAIN_SECONDS):
                await self._open.none_left()
                await self._outbox.empty()

    async def _end_on_demand(self, scope: anyio.CancelScope) -> None:
        await self._guard.ended.wait()
        scope.cancel()

    async def _read_all(self, to_server: "MemoryObjectSendStream[SessionMessage | Exception]") -> None:
        splitter = LineSplitter(self._max_bytes)
        while chunk := await self._wire.read():
            for line in splitter.feed(chunk):
                await self._hand_on(line, to_server)
        for line in splitter.finish():
            await self._hand_on(line, to_server)

    async def _hand_on(
        self, line: bytes | LongLine, to_server: "MemoryObjectSendStream[SessionMessage | Exception]"
    ) -> None:
        await self._outbox.room()
        message = read_line(line, self._max_bytes)
        if isinstance(message, Refusal):
            await self._outbox.put(as_line(message.answer))
        elif isinstance(message, JSONRPCRequest) and self._is_ping(message.method):
            # Here, and not behind what was asked before it: who pings wants to know whether anybody is there.
            await self._outbox.put(as_line(JSONRPCResponse(jsonrpc="2.0", id=message.id, result={})))
        elif isinstance(message, JSONRPCRequest) and (refusal := self._open.refusal(message)):
            await self._outbox.put(as_line(refusal))
        elif message is not None and isinstance(line, bytes):
            self._open.note_incoming(message, len(line))
            await to_server.send(SessionMessage(message))

    def _is_ping(self, method: str) -> bool:
        """Whether this is a ping of a generation that has it: one with a handshake."""
        self._greeted = self._greeted or method == "initialize"
        return self._greeted and method == "ping"

    async def _take_answers(self, messages: "MemoryObjectReceiveStream[SessionMessage]") -> None:
        async with messages:
            async for item in messages:
                await self._outbox.put(as_line(item.message))
                self._open.note_outgoing(item.message)
        self._outbox.close()

    async def _write_all(self) -> None:
        async with aclosing(self._outbox.lines()) as lines:
            async for line in lines:
                try:
                    await self._wire.write(line)
                except OSError as error:
                    _LOG.debug("the client stopped reading: %s", error)
                    self._outbox.discard()
                    self._guard.end()
