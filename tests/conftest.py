"""What every test gets: a home of its own session, a clean environment, and a check that nothing is left behind."""

import inspect
import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.runs import RunPlace
from tests.leaks import Snapshot, processes_in
from tests.runs.worker_home import stop_worker

# One thread for numpy, before any test imports it: two on a busy machine wait for each other ten times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def _own_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home and a folder for temporary files that belong to this session; no settings of the person who tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("HANDRAIL_", "APPWRITE_")) and not name.startswith("HANDRAIL_TEST_"):
                patch.delenv(name)
        patch.setenv("HANDRAIL_HOME", str(tmp_path_factory.mktemp("home")))
        scratch = tmp_path_factory.mktemp("scratch")
        patch.setenv("TMPDIR", str(scratch))
        patch.setattr(tempfile, "tempdir", str(scratch))
        yield
        stop_worker(RunPlace(Path(os.environ["HANDRAIL_HOME"])))
    left = processes_in(tmp_path_factory.getbasetemp())
    assert not left, f"the tests left behind: {left}"


@pytest.fixture(scope="session")
def session_home(_own_world: None) -> Path:
    """The session's home, whose catalog cache all tests share."""
    return Path(os.environ["HANDRAIL_HOME"])


class _Errors(logging.Handler):
    """Keeps what was logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(record.getMessage())


@pytest.fixture(autouse=True)
def _no_error_is_logged(request: pytest.FixtureRequest) -> Iterator[None]:
    """No error of ours is logged, unless the test says that there is one, or looks at the log itself by `caplog`."""
    errors = _Errors()
    logging.getLogger("handrail").addHandler(errors)
    yield
    logging.getLogger("handrail").removeHandler(errors)
    expected = request.node.get_closest_marker("logs_errors") is not None
    looks_itself = "caplog" in inspect.signature(request.function).parameters
    assert expected or looks_itself or not errors.seen, f"logged as an error: {errors.seen}"


@pytest.fixture(autouse=True)
def _nothing_is_left(_own_world: None) -> Iterator[None]:
    """After each test: no child process, listening port, open file or temporary file that was not there before."""
    before = Snapshot.take()
    yield
    left = before.what_is_left()
    assert not left, f"the test left behind: {left}"
