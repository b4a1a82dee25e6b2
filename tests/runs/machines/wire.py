"""A network between a machine and the database that can be cut."""

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final
from urllib.parse import quote

import anyio
import anyio.abc
from anyio.from_thread import BlockingPortal, start_blocking_portal

from tests.runs.store.servers import PostgresServer

__all__ = ["Wire", "wired"]

_BYTES: Final = 65536
_GONE: Final = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)


class _Carrier:
    """Carries bytes between a port and the server's socket, where everybody is let in."""

    def __init__(self, server: PostgresServer, port: int) -> None:
        self._server = server
        self.port = port
        self._whole = anyio.Event()
        self._whole.set()
        self._refuses = False
        self._streams: set[anyio.abc.SocketStream] = set()

    def silence(self) -> None:
        self._whole = anyio.Event()

    async def refuse(self) -> None:
        self._refuses = True
        for stream in [*self._streams]:
            await stream.aclose()

    def mend(self) -> None:
        self._refuses = False
        self._whole.set()

    async def carry(self, near: anyio.abc.SocketStream) -> None:
        async with near:
            if self._refuses:
                return
            await self._whole.wait()
            path = self._server.folder / f".s.PGSQL.{self._server.port}"
            async with await anyio.connect_unix(str(path)) as far, anyio.create_task_group() as group:
                self._streams |= {near, far}
                group.start_soon(self._one_way, near, far)
                group.start_soon(self._one_way, far, near)
            self._streams -= {near, far}

    async def _one_way(self, source: anyio.abc.SocketStream, target: anyio.abc.SocketStream) -> None:
        with suppress(*_GONE):
            while True:
                content = await source.receive(_BYTES)
                await self._whole.wait()
                await target.send(content)
        await source.aclose()
        await target.aclose()


@asynccontextmanager
async def _carrying(server: PostgresServer) -> AsyncIterator[_Carrier]:
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setblocking(False)  # noqa: FBT003  (the standard library's own way)
    async with await anyio.abc.SocketListener.from_socket(listening) as listener, anyio.create_task_group() as group:
        carrier = _Carrier(server, listening.getsockname()[1])
        group.start_soon(listener.serve, carrier.carry)
        yield carrier
        group.cancel_scope.cancel()


class Wire:
    """A network between machines and a server, in a thread of its own.

    Args:
        carrier: does it.
        portal: the way to its thread.
    """

    def __init__(self, carrier: _Carrier, portal: BlockingPortal) -> None:
        self._carrier = carrier
        self._portal = portal

    def url(self, schema: str) -> str:
        """The address of a schema of the server by this way."""
        return f"postgresql://tester@127.0.0.1:{self._carrier.port}/postgres?options={quote(f'-csearch_path={schema}')}"

    def silence(self) -> None:
        """From now on no byte comes through; nobody is told."""
        self._portal.call(self._carrier.silence)

    def refuse(self) -> None:
        """End every connection, and let none come up."""
        self._portal.call(self._carrier.refuse)

    def mend(self) -> None:
        """All is as before; what was sent meanwhile arrives."""
        self._portal.call(self._carrier.mend)


@contextmanager
def wired(server: PostgresServer) -> Iterator[Wire]:
    """While this is open, there is a way to the server."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(_carrying(server)) as carrier:
        yield Wire(carrier, portal)
