"""A server on a loopback port, in this process and on its event loop."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio
import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl
from starlette.applications import Starlette

from handrail.protocol import HandrailServer

__all__ = ["Tokens", "listening", "protected"]

_RESOURCE: Final = "http://127.0.0.1:1/mcp"


class Tokens:
    """Takes every token, and takes its text for the name of whom it belongs to."""

    async def verify_token(self, token: str) -> AccessToken:
        """The token of somebody of that name."""
        return AccessToken(token=token, client_id="host", scopes=[], subject=token, resource=_RESOURCE)


def protected(server: HandrailServer) -> Starlette:
    """The server behind authorization."""
    settings = AuthSettings(
        issuer_url=AnyHttpUrl("http://127.0.0.1:2"),
        resource_server_url=AnyHttpUrl(_RESOURCE),
        validate_token_resource=True,
    )
    return server.streamable_http_app(auth=settings, token_verifier=Tokens())


@asynccontextmanager
async def listening(app: Starlette) -> AsyncIterator[str]:
    """The address of an app that listens; everything is gone afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1, ws="none")
        web = _QuietServer(config)
        async with anyio.create_task_group() as group:
            group.start_soon(web.serve, [listener])
            await web.ready.wait()
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
            web.should_exit = True


class _QuietServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = anyio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self.ready.set()
