"""A PostgreSQL server for all tests of runs. A folder whose tests use it asks for it by an autouse fixture."""

import itertools
import os
from collections.abc import Callable, Iterator

import pytest

from tests.runs.store.servers import PostgresServer, find_binaries, running_server


@pytest.fixture(scope="session")
def server(_own_world: None) -> Iterator[PostgresServer | None]:
    """None where no PostgreSQL is installed. It must run before the first look at what a test leaves."""
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
