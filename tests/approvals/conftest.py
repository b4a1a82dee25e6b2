"""A gate for every test, with a home of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.approvals.callers import Bench, bench


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path / "home") as ready:
        yield ready
