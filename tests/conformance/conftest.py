"""The referees, and the fixture where they find it."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handrail.protocol import HandrailServer
from tests.conformance.fixture import fixture_server
from tests.conformance.referees import Referees, installed_referees
from tests.end_to_end.conftest import environment

__all__ = ["environment"]  # of the tests of the real command, which is driven here, too

FIGURES = "figures"
WITHOUT = "HANDRAIL_TEST_WITHOUT_REFEREES"


@pytest.fixture(scope="session")
def referees() -> Referees:
    """All of them. Where they cannot be installed, tests fail: nothing of this may go missing unnoticed."""
    if os.environ.get(WITHOUT):
        pytest.skip(f"{WITHOUT} is set")
    return installed_referees()


@pytest.fixture
async def judged(tmp_path: Path) -> AsyncIterator[HandrailServer]:
    """The suite's fixture on a running engine; nothing listens yet."""
    async with fixture_server(tmp_path / "runs") as server:
        yield server


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what the referees counted: a pass alone does not tell how much was looked at, and what was not."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == FIGURES:
                terminalreporter.write_line(f"{report.nodeid.rpartition('::')[2]}: {value}")
