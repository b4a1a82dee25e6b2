"""A value that is made in the background from the moment when it is first wanted."""

import logging
import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from handrail.errors import HandrailError

__all__ = ["Soon"]

_LOG: Final = logging.getLogger(__name__)

T = TypeVar("T")


class Soon(Generic[T]):
    """Makes a value once, in a thread of its own that no end of the process waits for. Safe to ask from many threads.

    Args:
        make: makes it. Where it raises an error of ours or an import fails, there is no value, and the log says why.
        what: its name in the log.
    """

    def __init__(self, make: Callable[[], T], what: str) -> None:
        self._make = make
        self._what = what
        self._lock = threading.Lock()
        self._settled: threading.Event | None = None
        self._value: T | None = None

    def get(self, patience_s: float | None) -> T | None:
        """The value, or None where it is not there in time, or never will be.

        Args:
            patience_s: how long to wait at most, in seconds; None: until it is settled.
        """
        with self._lock:
            if self._settled is None:
                self._settled = threading.Event()
                threading.Thread(target=self._run, args=(self._settled,), name=self._what, daemon=True).start()
            settled = self._settled
        settled.wait(patience_s)
        return self._value

    def _run(self, settled: threading.Event) -> None:
        try:
            self._value = self._make()
        except (HandrailError, ImportError) as error:  # numpy may be broken where something else installed its own
            _LOG.warning("%s cannot be used: %s", self._what, error)
        finally:
            settled.set()
