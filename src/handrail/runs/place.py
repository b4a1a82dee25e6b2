"""Where the runs of one home folder keep what they need on disk."""

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from handrail.storage.lock import held_lock

__all__ = ["RunPlace"]

_ID_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class RunPlace:
    """The folders and files of the runs, all inside the home folder, which is its owner's alone."""

    home: Path

    @property
    def records(self) -> Path:
        """The folder of all run records."""
        return self.home / "runs"

    @property
    def scratch(self) -> Path:
        """The folder of the temporary files of runs at work."""
        return self.home / "scratch"

    @property
    def socket(self) -> Path:
        """Where the worker listens."""
        return self.home / "worker.sock"

    @property
    def lock(self) -> Path:
        """What the one worker of this home holds."""
        return self.home / "worker.lock"

    @property
    def log(self) -> Path:
        """What the worker and its runs print and log."""
        return self.home / "worker.log"

    @property
    def failure(self) -> Path:
        """Why the worker could not start, when it last could not."""
        return self.home / "worker.failed"

    def identity(self) -> str:
        """The id of this home, made at the first call: it tells homes apart that share one database.

        Raises:
            OSError: it cannot be read or made.
        """
        file = self.home / "home.id"
        with held_lock(self.home / "home.lock"):
            if not file.exists():
                part = file.with_suffix(".part")
                part.write_text(secrets.token_hex(_ID_BYTES), encoding="ascii")
                part.replace(file)
            return file.read_text(encoding="ascii").strip()
