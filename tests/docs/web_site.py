"""A web site on loopback that answers exactly what a test says, lies included."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import SocketStream

__all__ = ["Reply", "WebSite", "serve_site"]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer. `length` is what it says of its length; None for the truth. `hangs`: it never ends."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/markdown"})
    length: int | None = None
    hangs: bool = False
    etag: str = ""


@dataclass(slots=True)
class WebSite:
    """What is there, and what was asked for."""

    address: str = ""
    replies: dict[str, Reply] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def put(self, path: str, text: str, *, etag: str = "") -> None:
        self.replies[path] = Reply(text.encode(), etag=etag)

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    async def answer(self, stream: SocketStream) -> None:
        async with stream:
            try:
                await self._answer(stream)
            except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.ClosedResourceError):
                return

    async def _answer(self, stream: SocketStream) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += await stream.receive()
        first, *lines = head.decode().split("\r\n\r\n")[0].split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        path = first.split(" ")[1]
        self.asked.append((path, headers))
        reply = self.replies.get(path, Reply(b"nothing here", 404))
        if reply.etag and headers.get("if-none-match") == reply.etag:
            reply = Reply(b"", 304)
        told = {**reply.headers, **({"etag": reply.etag} if reply.etag else {}), "connection": "close"}
        told["content-length"] = str(len(reply.body) if reply.length is None else reply.length)
        shown = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        await stream.send(f"HTTP/1.1 {reply.status} X\r\n{shown}\r\n".encode() + reply.body)
        if reply.hangs:
            await anyio.sleep_forever()


@asynccontextmanager
async def serve_site() -> AsyncIterator[WebSite]:
    site = WebSite()
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(anyio.abc.SocketAttribute.local_port)
    site.address = f"http://127.0.0.1:{port}"
    async with anyio.create_task_group() as group:
        group.start_soon(listener.serve, site.answer)
        yield site
        group.cancel_scope.cancel()
    await listener.aclose()
