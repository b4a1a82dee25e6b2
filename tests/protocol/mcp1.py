"""Another interpreter with the official client of the 1.x series, which cannot live beside 2.x."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["NoInterpreterError", "interpreter"]

_PACKAGE: Final = "mcp==1.30.*"
# Read when this is imported: the tests themselves see no HANDRAIL_ variable of the person who runs them.
_NAMED: Final = os.environ.get("HANDRAIL_MCP1_PYTHON")
_CACHE: Final = os.environ.get("HANDRAIL_TEST_CACHE")
_REPOSITORY: Final = Path(__file__).parents[2]
_INSTALL_SECONDS: Final = 300


class NoInterpreterError(Exception):
    """There is none, and none could be made; says why."""


def interpreter() -> Path:
    """The interpreter that the environment names, else one of a virtual environment that is made once and kept.

    Raises:
        NoInterpreterError: it cannot be made.
    """
    if _NAMED:
        return Path(_NAMED)
    cache = Path(_CACHE) if _CACHE else _REPOSITORY / ".cache"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "mcp1.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _made(cache / "mcp1")


def _made(folder: Path) -> Path:
    python, done = folder / "bin" / "python", folder / "done"
    if not done.is_file():
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", _PACKAGE)
        done.touch()
    return python


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_INSTALL_SECONDS)
    except subprocess.CalledProcessError as error:
        raise NoInterpreterError(f"{' '.join(command)}: {error.stderr.decode(errors='replace')[-500:]}") from error
    except subprocess.TimeoutExpired as error:
        raise NoInterpreterError(f"{' '.join(command)}: more than {_INSTALL_SECONDS} s") from error
