"""Both databases for every test, each time empty."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.runs.store import Database
from handrail.storage.database import closing
from tests.runs.store.places import Kind, Place
from tests.runs.store.servers import PostgresServer


@pytest.fixture(scope="session", autouse=True)
def _server_first(server: PostgresServer | None) -> None:
    """The server runs before the first look at what a test leaves."""


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
