"""What a test may leave behind: processes, ports, open files, temporary files."""

import gc
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

__all__ = ["Snapshot", "processes_in"]

_GRACE_S: Final = 3.0  # how long something that is just ending may take to be gone
_STEP_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What this process holds at one moment."""

    held: frozenset[str]

    @classmethod
    def take(cls) -> "Snapshot":
        """What is held now."""
        return cls(frozenset(_children() | _ports() | _files() | _temporary()))

    def what_is_left(self) -> list[str]:
        """What is held now and was not then, once what was ending has ended."""
        left = self._new()
        deadline = time.monotonic() + _GRACE_S
        while left and time.monotonic() < deadline:
            gc.collect()
            time.sleep(_STEP_S)
            left = self._new()
        return left

    def _new(self) -> list[str]:
        return sorted(Snapshot.take().held - self.held)


def processes_in(folder: Path) -> list[str]:
    """What runs in this folder or below, whoever started it: a worker is nobody's child, and works in its home."""
    return [f"process {found.pid} in {found.cwd()}: {_command(found)}" for found in _in(folder)]


def _in(folder: Path) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        try:
            inside = Path(process.cwd()).is_relative_to(folder) and process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            continue
        if inside:
            yield process


def _children() -> set[str]:
    return {f"process {child.pid}: {_command(child)}" for child in psutil.Process().children(recursive=True)}


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return "(gone)"


def _ports() -> set[str]:
    connections = psutil.Process().net_connections(kind="inet")
    return {f"listening on {c.laddr.port}" for c in connections if c.status == psutil.CONN_LISTEN}


def _files() -> set[str]:
    """Open regular files: sockets and pipes of an event loop come and go with it."""
    return {f"open file {file.path}" for file in psutil.Process().open_files() if not _is_ours(file.path)}


def _is_ours(path: str) -> bool:
    """Files of the test run itself: its caches, coverage data, and what pytest captures into."""
    return ".hypothesis" in path or ".coverage" in path or "(deleted)" in path


def _temporary() -> set[str]:
    folder = Path(tempfile.gettempdir())
    return {f"temporary {entry}" for entry in folder.iterdir()} if folder.is_dir() else set()
