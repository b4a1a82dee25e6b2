"""A running engine, a server on it, and peers of each generation."""

from collections.abc import AsyncIterator

import pytest

from handrail.protocol import HandrailServer, RunTool, ServerTool, WaitPolicy, create_server
from handrail.protocol.run_tools import run_tools
from handrail.runs import MemoryEngine
from tests.protocol.peer import Era, Peer, connected
from tests.protocol.sample_tools import TOOLS, WALK, walk


@pytest.fixture
async def engine() -> AsyncIterator[MemoryEngine]:
    async with MemoryEngine(walk, records=None, slots=4, limit=5) as running:
        yield running


@pytest.fixture
def wait() -> WaitPolicy:
    return WaitPolicy(grace_s=0.05)


@pytest.fixture
def server(engine: MemoryEngine, wait: WaitPolicy) -> HandrailServer:
    tools: list[ServerTool | RunTool] = [*TOOLS, WALK, *run_tools(engine, wait)]
    return create_server(tools, engine=engine, name="fixture", version="1", instructions="Walk.", wait=wait)


@pytest.fixture
def era() -> Era:
    """The generation of `peer`; a test that needs another one is parametrised with it."""
    return Era.V2025_11


@pytest.fixture
async def peer(server: HandrailServer, era: Era) -> AsyncIterator[Peer]:
    async with connected(server, era) as connection:
        yield connection


@pytest.fixture
async def old(server: HandrailServer) -> AsyncIterator[Peer]:
    """A client of 2025-11-25."""
    async with connected(server, Era.V2025_11) as connection:
        yield connection


@pytest.fixture
async def new(server: HandrailServer) -> AsyncIterator[Peer]:
    """A client of 2026-07-28 that declares the tasks extension."""
    async with connected(server, Era.MODERN_TASKS) as connection:
        yield connection
