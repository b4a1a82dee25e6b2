"""The command line, in this process and as a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from handrail.cli.app import app
from tests.runs.worker_home import home_of_runs

__all__ = ["Command", "Invoke"]

Invoke = Callable[..., Result]
Command = Callable[..., subprocess.CompletedProcess[str]]
_BOUND_S = 60


@pytest.fixture(autouse=True)
def _hangups_count() -> Iterator[None]:
    """A hang-up ends a process, also where whoever runs the tests has it ignored (as `nohup` does)."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home of the test's own, whose worker ends with the test."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    with home_of_runs(folder):
        yield folder


@pytest.fixture(scope="module")
def busy_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home that the tests of a module share, for those that need runs at work; its worker ends with the module."""
    folder = tmp_path_factory.mktemp("busy")
    with home_of_runs(folder):
        yield folder


@pytest.fixture
def invoke(session_home: Path) -> Invoke:
    """Runs a command in this process; its errors are raised."""
    assert session_home.is_dir()
    return lambda *arguments: CliRunner().invoke(app, [*arguments])


@pytest.fixture
def command(session_home: Path) -> Command:
    """Runs the real command, as a shell would."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "handrail", *arguments],
            env={**os.environ, "HANDRAIL_HOME": str(session_home), **environment},
            capture_output=True,
            text=True,
            timeout=_BOUND_S,
            check=False,
        )

    return run
