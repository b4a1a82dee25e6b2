"""A home for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runs.worker.homes import Home
from tests.runs.worker_home import home_of_runs


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home of the test's own; nothing of it is left but its files."""
    folder = tmp_path / "acts"
    folder.mkdir()
    (tmp_path / "home").mkdir(mode=0o700)
    with home_of_runs(tmp_path / "home") as place:
        made = Home(place, folder)
        yield made
        made.end_workers()
    assert made.scratch() == []
