"""The stand-in with data to look at, and calls that go to it over a real port."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from handrail.appwrite import Backend, Calls, Limits, Transport, open_transport
from handrail.appwrite.catalog import Catalog, load_catalogs
from handrail.lazy import Lazy
from handrail.sandbox import Sandbox, SandboxState, serve_sandbox
from tests.appwrite.callers import Caller, Places, open_places


@pytest.fixture(scope="session")
def catalog(session_home: Path) -> Catalog:
    """Every method of the installed SDKs."""
    return load_catalogs(session_home)


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    """A stand-in of its own for each test."""
    async with serve_sandbox(SandboxState.seeded()) as served:
        yield served


@pytest.fixture
async def transport(sandbox: Sandbox) -> AsyncIterator[Transport]:
    """Goes to the stand-in, with short time limits."""
    backend = Backend(sandbox.endpoint, sandbox.project_id, sandbox.api_key)
    async with open_transport(backend, Limits(connect_s=2, read_s=0.5, call_s=5)) as opened:
        yield opened


@pytest.fixture
async def places(transport: Transport, session_home: Path, tmp_path: Path) -> AsyncIterator[Places]:
    """The real gate, journal and shaper, for calls to the stand-in."""
    lazy = Lazy.of(partial(load_catalogs, session_home))
    async with open_places(transport, lazy, tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def calls(places: Places) -> Calls:
    """Calls to the stand-in."""
    return Calls(places.parts)


@pytest.fixture
def caller(calls: Calls) -> Caller:
    """Calls methods of the stand-in, and cannot be asked."""
    return Caller(calls)
