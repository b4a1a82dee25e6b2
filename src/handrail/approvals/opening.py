"""The approvals of one home folder, opened when they are first needed, from any task of an event loop."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeVar

import anyio
import anyio.to_thread

from handrail.approvals.errors import ApprovalsUnavailableError
from handrail.approvals.sealing import Seal, load_key
from handrail.errors import UnavailableError

if TYPE_CHECKING:
    from handrail.approvals.store import ApprovalStore

__all__ = ["STORE_FILE", "ApprovalBook", "open_store"]

STORE_FILE: Final = "approvals.db"
T = TypeVar("T")


def open_store(home: Path) -> "ApprovalStore":
    """The approvals of this home, made ready. Blocks the thread.

    Raises:
        UnavailableError: the file cannot be used.
    """
    from handrail.approvals.schema import TABLES  # noqa: PLC0415  (not needed to start a server)
    from handrail.approvals.store import ApprovalStore  # noqa: PLC0415  (likewise)
    from handrail.storage import open_database  # noqa: PLC0415  (likewise)

    return ApprovalStore(open_database(home / STORE_FILE, TABLES))


@dataclass(frozen=True, slots=True)
class _Opened:
    store: "ApprovalStore"
    seal: Seal


class ApprovalBook:
    """What is asked, agreed to and used up in one home. A context manager: at its end the files are closed.

    Args:
        home: finds the home folder; called when it is first needed, in a worker thread, again after a failure.
    """

    def __init__(self, home: Callable[[], Path]) -> None:
        self._home = home
        self._opened: _Opened | None = None
        self._lock = anyio.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; what is asked afterwards opens them again."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.store.close()

    async def do(self, work: "Callable[[ApprovalStore, Seal], T]") -> T:
        """Do something in the book, in a worker thread and to its end, whoever is cancelled meanwhile.

        Raises:
            ApprovalsUnavailableError: the book cannot be used; nothing was done.
        """
        try:
            opened = await self._open()
            return await anyio.to_thread.run_sync(work, opened.store, opened.seal)
        except UnavailableError as error:
            raise ApprovalsUnavailableError(
                f"This needs an approval, and approvals cannot be kept here: {error.message}",
                next_step=error.next_step,
                cause=error.as_json(),
            ) from error
        except OSError as error:
            raise ApprovalsUnavailableError(
                f"This needs an approval, and approvals cannot be kept here: {error.strerror or error}.",
                next_step="Set HANDRAIL_HOME to a folder that you can write to.",
                cause={"type": "system", "message": error.strerror or str(error)},
            ) from error

    async def _open(self) -> _Opened:
        async with self._lock:
            if self._opened is None:
                self._opened = await anyio.to_thread.run_sync(self._open_files)
            return self._opened

    def _open_files(self) -> _Opened:
        home = self._home()
        seal = Seal(load_key(home))
        return _Opened(open_store(home), seal)
