"""Two machines, which are two homes on one database; and one home on it for the tests of the worker."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runs.machines.machine import Machines, made_machines
from tests.runs.machines.wire import Wire, wired
from tests.runs.store.servers import PostgresServer
from tests.runs.worker.homes import Home


@pytest.fixture(scope="session", autouse=True)
def _server_first(server: PostgresServer | None) -> None:
    """The server runs before the first look at what a test leaves."""


@pytest.fixture
def wire(postgres: PostgresServer) -> Iterator[Wire]:
    """A way to the server that can be cut."""
    with wired(postgres) as made:
        yield made
        made.mend()


@pytest.fixture
def wired_machines(wire: Wire, postgres: PostgresServer, schema: str, tmp_path: Path) -> Iterator[Machines]:
    """Two machines, of which the first has only this way."""
    with made_machines(tmp_path, wire.url(schema), postgres.url(schema=schema)) as made:
        yield made
        wire.mend()


@pytest.fixture
def machines(postgres: PostgresServer, schema: str, tmp_path: Path) -> Iterator[Machines]:
    """Both machines; nothing of them is left but their files."""
    url = postgres.url(schema=schema)
    with made_machines(tmp_path, url, url) as made:
        yield made


@pytest.fixture
def home(postgres: PostgresServer, schema: str, tmp_path: Path) -> Iterator[Home]:
    """One of them."""
    with made_machines(tmp_path, postgres.url(schema=schema)) as made:
        yield made.one
