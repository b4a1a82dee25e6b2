"""Keeps numpy's arithmetic on the thread that asks for it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["one_thread"]

_NAMES: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@contextmanager
def one_thread() -> Iterator[None]:
    """While numpy is imported for the first time: tell it to start no threads, unless the environment says otherwise.

    A short text is too small to share: on a busy machine its threads wait for each other ten times as long as the
    work takes (250 instead of 30 ms, on two cores that eight processes used).
    """
    ours = [name for name in _NAMES if name not in os.environ]
    os.environ.update(dict.fromkeys(ours, "1"))
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)
