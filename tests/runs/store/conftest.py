"""Both databases for every test, each time empty."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handrail.runs.store import Database
from handrail.storage.database import closing
from tests.runs.store.places import Kind, Place
from tests.runs.store.servers import PostgresServer, find_binaries, running_server


@pytest.fixture(scope="session", autouse=True)
def server(_own_world: None) -> Iterator[PostgresServer | None]:
    """Runs before the first look at what a test leaves; None where no PostgreSQL is installed."""
    binaries = find_binaries()
    if binaries is None:
        assert not os.environ.get("HANDRAIL_TEST_REQUIRE_POSTGRES"), "PostgreSQL is not installed"
        yield None
        return
    with running_server(binaries) as running:
        yield running


@pytest.fixture
def postgres(server: PostgresServer | None) -> PostgresServer:
    """The server, for tests of PostgreSQL alone."""
    if server is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return server


@pytest.fixture(scope="session")
def _schemas() -> Callable[[], str]:
    numbers = itertools.count()
    return lambda: f"test_{next(numbers)}"


@pytest.fixture
def schema(postgres: PostgresServer, _schemas: Callable[[], str]) -> str:
    """A schema of the test's own, in the server's usual database."""
    name = _schemas()
    postgres.execute(f"CREATE SCHEMA {name}")
    return name


@pytest.fixture
def postgres_place(postgres: PostgresServer, schema: str, tmp_path: Path) -> Place:
    """Where an empty store in PostgreSQL is."""
    return Place(Kind.POSTGRES, tmp_path, postgres.url(schema=schema))


@pytest.fixture(params=list(Kind), ids=str)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where an empty store is."""
    kind: Kind = request.param
    if kind is Kind.SQLITE:
        return Place(kind, tmp_path)
    on_server: Place = request.getfixturevalue("postgres_place")
    return on_server


@pytest.fixture
def database(place: Place) -> Iterator[Database]:
    """One connection to an empty store."""
    with closing(place.open()) as opened:
        yield opened
