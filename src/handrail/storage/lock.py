"""Locks between processes. The system lets go of one when its process ends, however it ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["held_lock", "try_lock"]

_WAIT_SECONDS: Final = 10.0
_LOOK_SECONDS: Final = 0.01


@contextmanager
def held_lock(path: Path, *, seconds: float = _WAIT_SECONDS) -> Iterator[None]:
    """While this is open, no other process has the lock of this file. Blocks the thread.

    Raises:
        TimeoutError: another process has had it for `seconds`.
        OSError: the file cannot be made.
    """
    until = time.monotonic() + seconds
    while (handle := try_lock(path)) is None:
        if time.monotonic() > until:
            raise TimeoutError(f"Another process has held {path} for {seconds:g} s")
        time.sleep(_LOOK_SECONDS)
    try:
        yield
    finally:
        os.close(handle)


def try_lock(path: Path) -> int | None:
    """The lock of this file as a descriptor to be closed, or None where another process has it.

    Raises:
        OSError: the file cannot be made.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except BaseException:
        os.close(handle)
        raise
    return handle
