"""Ends that a system asks for, where a command has something to put away first."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

__all__ = ["ending_cleanly"]

_ENDS: Final = (signal.SIGTERM, signal.SIGHUP)
_BY_SIGNAL: Final = 128  # exit codes of processes that a signal ended begin here


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind what runs inside as Ctrl-C does. One that is ignored stays ignored (`nohup`).

    Only for the main thread.

    Raises:
        SystemExit: one of the two came; its code is 128 and the signal's number.
    """
    came: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        came.append(number)
        handler = signal.getsignal(signal.SIGINT)
        # An event loop has put its own handler there: it cancels what runs.
        (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)

    before = {number: signal.getsignal(number) for number in _ENDS}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, interrupt)
        yield
    except KeyboardInterrupt:
        if came:
            raise SystemExit(_BY_SIGNAL + came[0]) from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
