"""Both databases for every test, each time empty."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.journal.places import Kind, Place
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


@pytest.fixture(scope="session")
def _schemas() -> Callable[[], str]:
    numbers = itertools.count()
    return lambda: f"journal_{next(numbers)}"


@pytest.fixture
def sqlite(tmp_path: Path) -> Place:
    """A journal in a home folder."""
    return Place(Kind.SQLITE, tmp_path)


@pytest.fixture
def postgres(server: PostgresServer | None, _schemas: Callable[[], str], tmp_path: Path) -> Place:
    """A journal in a schema of the test's own."""
    if server is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    schema = _schemas()
    server.execute(f"CREATE SCHEMA {schema}")
    return Place(Kind.POSTGRES, tmp_path, server.url(schema=schema))


@pytest.fixture(params=list(Kind), ids=str)
def place(request: pytest.FixtureRequest) -> Place:
    """A journal in one of the two."""
    found: Place = request.getfixturevalue(str(request.param))
    return found
