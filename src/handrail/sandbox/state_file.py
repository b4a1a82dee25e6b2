"""The stand-in's data in a file, for whoever watches what a server really does to them."""

import json
import os
from pathlib import Path

from handrail.errors import UnavailableError
from handrail.sandbox.state import SandboxState

__all__ = ["SandboxStateFileError", "StateFile"]


class SandboxStateFileError(UnavailableError):
    """The stand-in's data cannot be written to their file. `data` holds `path` and `problem` (the system's words)."""

    type = "sandbox_state_file"


class StateFile:
    """Writes a state's data as JSON, without moments; readers see the old file or the new one, never half of one.

    Args:
        path: the file; its owner alone may read it, for it holds the secrets of the stand-in's sessions.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written: str | None = None

    def write(self, state: SandboxState) -> None:
        """Write the data down, unless they are as they were.

        Raises:
            SandboxStateFileError: the file cannot be written.
        """
        text = json.dumps(state.data(stamps=False), sort_keys=True, indent=1) + "\n"
        if text == self._written:
            return
        try:
            self._replace(text)
        except OSError as error:
            problem = error.strerror or type(error).__name__
            raise SandboxStateFileError(
                f"The stand-in's data cannot be written to {self._path}: {problem}.",
                next_step="Name a file in a folder that you can write to.",
                path=str(self._path),
                problem=problem,
            ) from error
        self._written = text

    def _replace(self, text: str) -> None:
        part = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            with open(part, "w", encoding="utf-8", opener=_for_owner) as stream:
                stream.write(text)
            part.replace(self._path)
        finally:
            part.unlink(missing_ok=True)


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
