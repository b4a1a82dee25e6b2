"""The worker's socket: readable for its owner only, one order and one answer a connection."""

import contextlib
import os
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

import anyio
import anyio.abc
import anyio.to_thread
from anyio.streams.buffered import BufferedByteReceiveStream
from pydantic import ValidationError

from handrail.runs.worker.messages import Order, WorkerState

__all__ = ["listening", "tell_worker"]

_LINE_BYTES: Final = 1024 * 1024
_ANSWER_SECONDS: Final = 5.0
_LONGEST_ADDRESS: Final = 100


@asynccontextmanager
async def listening(path: Path, obey: Callable[[Order], WorkerState]) -> AsyncGenerator[None]:
    """While this is open, orders are taken at this path. Only who holds the worker's lock may call it.

    Args:
        path: the socket; one that a killed worker left there is replaced.
        obey: does an order, without waiting.
    """
    listener = await anyio.abc.SocketListener.from_socket(await anyio.to_thread.run_sync(_listener, path))
    async with listener as accepting, anyio.create_task_group() as group:
        group.start_soon(accepting.serve, lambda connection: _answer(connection, obey))
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(_remove, path)
            group.cancel_scope.cancel()


async def tell_worker(path: Path, order: Order, *, seconds: float = _ANSWER_SECONDS) -> WorkerState | None:
    """Give an order; what the worker answers, or None where none listens.

    Raises:
        TimeoutError: there is one, and it does not answer: it is stopped, or very busy.
    """
    try:
        with anyio.fail_after(seconds):
            async with await _connected(path) as connection:
                await connection.send(order.model_dump_json().encode() + b"\n")
                line = await BufferedByteReceiveStream(connection).receive_until(b"\n", _LINE_BYTES)
        return WorkerState.model_validate_json(line)
    except TimeoutError:  # which is an OSError
        raise
    except (OSError, anyio.BrokenResourceError, anyio.EndOfStream, anyio.IncompleteRead, ValidationError):
        return None


async def _answer(connection: anyio.abc.SocketStream, obey: Callable[[Order], WorkerState]) -> None:
    async with connection:
        with contextlib.suppress(
            anyio.BrokenResourceError, anyio.EndOfStream, anyio.IncompleteRead, anyio.DelimiterNotFound, ValidationError
        ):
            with anyio.move_on_after(_ANSWER_SECONDS):
                line = await BufferedByteReceiveStream(connection).receive_until(b"\n", _LINE_BYTES)
                state = obey(Order.model_validate_json(line))
                await connection.send(state.model_dump_json().encode() + b"\n")


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _listener(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    try:
        with _short(path) as address:
            listener.bind(address)
        path.chmod(0o600)
        listener.listen(socket.SOMAXCONN)
        listener.settimeout(0)
    except BaseException:
        listener.close()
        raise
    return listener


async def _connected(path: Path) -> anyio.abc.SocketStream:
    with _short(path) as address:
        return await anyio.connect_unix(address)


@contextmanager
def _short(path: Path) -> Generator[str]:
    """An address of the socket that fits into the 108 bytes that the system takes, however deep the home is."""
    if len(os.fsencode(path)) <= _LONGEST_ADDRESS or sys.platform != "linux":
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
