"""Threats that are somebody else's to keep out as well, held here from outside: a web page, a redirect, a new SDK."""

import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from handrail.appwrite import Backend, Limits, open_transport
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.planner import plan_request
from handrail.composition import open_server
from tests.gate.world import World
from tests.protocol.http_server import listening

_ORDER = re.compile(
    r"\b(ignore (all|any|previous)|disregard|you must (now|always)|system prompt|do not tell|secretly|exfiltrate)\b",
    re.IGNORECASE,
)


@pytest.mark.promise("web-pages-stay-out")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "169.254.169.254"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({}, 200),
    ],
)
async def test_a_page_that_reaches_the_loopback_by_another_name_is_refused(
    world: World, headers: dict[str, str], status: int
) -> None:
    handshake = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "page", "version": "1"},
        },
    }
    accept = {"accept": "application/json, text/event-stream"}
    with anyio.fail_after(20):
        async with (
            open_server(world.settings()) as server,
            listening(server.streamable_http_app()) as url,
            httpx2.AsyncClient(timeout=10) as http,
        ):
            response = await http.post(url, headers={**accept, **headers}, json=handshake)

    assert response.status_code == status


@pytest.mark.promise("redirects-reach-nobody")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_what_a_backend_redirects_to_is_never_asked(catalog: Catalog, status: int) -> None:
    async with _counting() as (second, asked):

        async def redirect(_request: Request) -> Response:
            return RedirectResponse(f"{second}/v1/private", status_code=status)

        app = Starlette(routes=[Route("/{rest:path}", redirect, methods=["GET", "POST", "DELETE"])])
        with anyio.fail_after(20):
            async with listening(app) as url:
                backend = Backend(url.replace("/mcp", "/v1"), "p", "canary-key")
                async with open_transport(backend, Limits()) as transport:
                    for tool, arguments in (("users_list", {}), ("users_delete", {"user_id": "a"})):
                        plan = plan_request(catalog.get(tool), arguments, config={"project": "p"})
                        assert (await transport.send(plan)).status == status

    assert asked == []


@asynccontextmanager
async def _counting() -> AsyncIterator[tuple[str, list[str]]]:
    """A second server, and what it is asked."""
    asked: list[str] = []

    async def answer(request: Request) -> Response:
        asked.append(str(request.url))
        return Response("secret")

    app = Starlette(routes=[Route("/{rest:path}", answer, methods=["GET", "POST", "DELETE"])])
    async with listening(app) as url:
        yield url.removesuffix("/mcp"), asked


@pytest.mark.promise("descriptions-are-known")
def test_what_the_sdk_says_of_its_methods_gives_no_orders_and_changes_only_knowingly(catalog: Catalog) -> None:
    texts = {tool: f"{catalog.get(tool).title}\n{catalog.get(tool).description}" for tool in sorted(catalog.names())}
    orders = {tool for tool, text in texts.items() if _ORDER.search(text)}
    digest = hashlib.sha256("\0".join(f"{tool}\0{text}" for tool, text in texts.items()).encode()).hexdigest()

    assert orders == set()
    # A new SDK release says something else: read the difference, then write its digest here.
    assert digest == "f662eadfdea74da620b7890ce1541c16174571c0fb1ef98e44db5e814a1cad80"
