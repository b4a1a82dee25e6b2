"""uvicorn, tamed: no signals, no output, connections that faults can cut, an end within a bound."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from handrail.sandbox.app import Lines, build_app
from handrail.sandbox.state import SandboxState
from handrail.sandbox.state_file import StateFile

__all__ = ["SandboxServer"]

_STOP_S = 1


def _protocol_over(lines: Lines) -> type[H11Protocol]:
    """The HTTP/1.1 protocol of uvicorn, noting its connections in `lines`."""

    class Noting(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's own signature
            super().connection_made(transport)
            if self.client is not None:
                lines.open[self.client] = transport

        def connection_lost(self, exc: Exception | None) -> None:
            if self.client is not None:
                lines.open.pop(self.client, None)
            super().connection_lost(exc)

    return Noting


class _QuietServer(Server):
    """uvicorn's server without its signal handlers, waiting for an event rather than polling a flag."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.ready = anyio.Event()
        self.ending = anyio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals belong to the program that the stand-in runs in."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self.ending.wait()


class SandboxServer:
    """One listening stand-in; `kept` is where its data are written after each change."""

    def __init__(self, state: SandboxState, listener: socket.socket, kept: StateFile | None = None) -> None:
        self._lines = Lines()
        self._listener = listener
        config = Config(
            build_app(state, self._lines, kept),
            http=_protocol_over(self._lines),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=_STOP_S,
        )
        self._server = _QuietServer(config)

    async def run(self) -> None:
        """Serve until `stop`; shielded, for a cancelled owner must still let connections end in order."""
        with anyio.CancelScope(shield=True):
            await self._server.serve([self._listener])

    async def ready(self) -> None:
        """Wait until requests are answered."""
        await self._server.ready.wait()

    def stop(self) -> None:
        """End the answers under way, hanging ones too, then the server; one that is only starting ends once it runs."""
        self._lines.stop()
        self._server.ending.set()
