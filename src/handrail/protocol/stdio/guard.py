"""What ends the process: the end of input, a signal, the host's death. And what makes sure that it does end."""

import asyncio
import contextlib
import os
import select
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Final

import anyio

__all__ = ["EndGuard"]

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_PARENT_MS: Final = 2_000  # how often the parent is looked for, in milliseconds
_INIT: Final = 1  # the process that inherits orphans


class EndGuard:
    """Notices that the process should end, says so, and ends it by force when it has not ended in time.

    A handler that blocks the event loop, or a thread that a library waits for, would keep a process alive that nobody
    talks to any more. So a thread of our own watches, which needs neither the event loop nor anybody's good will.

    Args:
        incoming: the descriptor of the wire's input.
        parent: the process whose death ends this one; one that is gone already does so at once. Init never dies.
        seconds: how long the process may take to end.
    """

    def __init__(self, incoming: int, parent: int, seconds: float) -> None:
        self.ended = anyio.Event()
        self._incoming = incoming
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._parent = parent
        self._due = threading.Event()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch from now on. Signals are given back at the end; the thread goes on until the process is gone."""
        threading.Thread(target=self._watch, name="handrail-end-guard", daemon=True).start()
        threading.Thread(target=self._enforce, name="handrail-end-enforcer", daemon=True).start()
        before = {number: signal.signal(number, self._on_signal) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def end(self) -> None:
        """The process is to end. From any thread, at any time, as often as you like."""
        self._due.set()
        with contextlib.suppress(RuntimeError):  # the loop has ended already
            self._loop.call_soon_threadsafe(self.ended.set)

    def due(self) -> None:
        """The process is about to end by itself: make sure that it does."""
        self._due.set()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.end()

    def _watch(self) -> None:
        """Wait, without a byte read, until the other side is gone or the parent has died."""
        poller = select.poll()
        poller.register(self._incoming, getattr(select, "POLLRDHUP", 0))
        while not self._due.is_set():
            if self._parent not in {_INIT, os.getppid()}:
                self.end()
            elif poller.poll(_PARENT_MS):
                self._due.set()  # what was sent before is still read; the reader sees the end for itself

    def _enforce(self) -> None:
        self._due.wait()
        threading.Event().wait(self._seconds)
        os._exit(0)
