"""The real server, a stand-in that tells what was sent, and a home of the test's own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handrail.appwrite.catalog import Catalog, load_catalogs
from handrail.sandbox import SandboxState, serve_sandbox
from tests.cli.conftest import command
from tests.gate.world import World

__all__ = ["catalog", "command", "home", "world"]


@pytest.fixture(scope="session")
def catalog(session_home: Path) -> Catalog:
    """Every method of the installed SDKs."""
    return load_catalogs(session_home)


@pytest.fixture
def home(tmp_path: Path, session_home: Path, catalog: Catalog) -> Path:
    """A home of the test's own, with the session's cache of the catalog."""
    assert catalog.names()
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    (folder / "cache").symlink_to(session_home / "cache")
    return folder


@pytest.fixture
async def world(home: Path) -> AsyncIterator[World]:
    async with serve_sandbox(SandboxState.seeded()) as sandbox:
        yield World(home, sandbox)
