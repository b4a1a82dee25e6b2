"""The stand-in on a loopback port, inside the caller's own event loop."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from handrail.errors import UnavailableError
from handrail.sandbox.state import SandboxState
from handrail.sandbox.state_file import StateFile

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["Sandbox", "SandboxPortError", "create_app", "serve_sandbox"]

_HOST = "127.0.0.1"
_START_S = 10
_BACKLOG = 128


class SandboxPortError(UnavailableError):
    """The wanted port cannot be had."""

    type = "sandbox_port_taken"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A running stand-in: what a client needs to reach it, and its memory to look into.

    Attributes:
        endpoint: base URL with `/v1`, as in `APPWRITE_ENDPOINT`.
        project_id: as in `APPWRITE_PROJECT_ID`.
        api_key: a key, as in `APPWRITE_API_KEY`.
        state: everything it remembers.
    """

    endpoint: str
    project_id: str
    api_key: str
    state: SandboxState


def create_app(state: SandboxState) -> "Starlette":
    """The stand-in as an ASGI application.

    Args:
        state: its memory; several applications may share one.

    Returns:
        A Starlette application. Without a server of ours below, dropped connections only end the request.
    """
    from handrail.sandbox.app import build_app  # noqa: PLC0415  (brings Starlette, which nobody else here needs)

    return build_app(state)


def _listen(port: int) -> socket.socket:
    # asyncio turns Nagle's delay off only for sockets that say that they are TCP.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_HOST, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        message = f"Port {port} on {_HOST} cannot be had: {error.strerror}."
        raise SandboxPortError(message, next_step="Choose another port, or 0 for any free one.", port=port) from error
    listener.settimeout(0)
    return listener


@asynccontextmanager
async def serve_sandbox(
    state: SandboxState | None = None, *, port: int = 0, state_file: Path | None = None
) -> AsyncIterator[Sandbox]:
    """Serve the stand-in on 127.0.0.1 for as long as the block lasts.

    It takes no signal handler, writes nothing to stdout, and stops within two seconds even if requests hang.
    Needs an asyncio event loop.

    Args:
        state: its memory; None for an empty one.
        port: the port to listen on; 0 for any free one.
        state_file: where its data are written as JSON, now and after each change: kind -> id -> document, as
            `SandboxState.data` gives them without moments. None for nowhere.

    Yields:
        How to reach it.

    Raises:
        SandboxPortError: the port is taken.
        SandboxStateFileError: the file cannot be written.
    """
    from handrail.sandbox.server import SandboxServer  # noqa: PLC0415  (brings uvicorn and Starlette)

    memory = SandboxState() if state is None else state
    kept = None if state_file is None else StateFile(state_file)
    if kept is not None:
        kept.write(memory)
    listener = _listen(port)
    server = SandboxServer(memory, listener, kept)
    endpoint = f"http://{_HOST}:{listener.getsockname()[1]}/v1"
    failure: Exception | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(server.run)
        try:
            with anyio.fail_after(_START_S):
                await server.ready()
            yield Sandbox(endpoint, memory.project_id, next(iter(memory.keys), ""), memory)
        except Exception as error:  # noqa: BLE001  (raised again below, outside the group that would wrap it)
            failure = error
        finally:
            server.stop()
    if failure is not None:
        raise failure
