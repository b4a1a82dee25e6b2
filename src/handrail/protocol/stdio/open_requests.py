"""The requests that have been handed to the server and not been answered yet: which, how many, how large."""

from typing import Final

import anyio
from mcp.shared.dispatcher import coerce_request_id
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from handrail.json_types import JsonObject

__all__ = ["MAX_OPEN", "OpenRequests"]

MAX_OPEN: Final = 512
"""Requests that may be open at once; streams of `subscriptions/listen` and calls that wait are among them."""
_LONG_MESSAGES: Final = 4  # messages of the largest size that may be open at once
_ID_SHOWN: Final = 64


class OpenRequests:
    """The open requests of one connection.

    Args:
        max_message_bytes: the longest message; four of them may be open at once, or as many bytes in smaller ones.
    """

    def __init__(self, max_message_bytes: int) -> None:
        self._max_bytes = _LONG_MESSAGES * max_message_bytes
        self._sizes: dict[RequestId, int] = {}
        self._bytes = 0
        self._changed = anyio.Event()

    def refusal(self, request: JSONRPCRequest) -> JSONRPCError | None:
        """The answer to a request that cannot be taken now; None where it can.

        A second request of an id that is still open gets an error without an id: one id, one answer.
        """
        if coerce_request_id(request.id) in self._sizes:
            said: JsonObject = {"id": str(request.id)[:_ID_SHOWN], "next": "Give each request an id of its own."}
            return _error(None, INVALID_REQUEST, "A request with this id is still open", said)
        if len(self._sizes) >= MAX_OPEN or self._bytes >= self._max_bytes:
            next_step = "Wait for an answer, or cancel a request."
            limits: JsonObject = {"limit": MAX_OPEN, "limitBytes": self._max_bytes, "next": next_step}
            return _error(request.id, INTERNAL_ERROR, "Too many open requests", limits)
        return None

    def note_incoming(self, message: JSONRPCMessage, size: int) -> None:
        """A message of so many bytes goes to the server."""
        match message:
            case JSONRPCRequest():
                self._sizes[coerce_request_id(message.id)] = size
                self._bytes += size
            case JSONRPCNotification(
                method="notifications/cancelled", params={"requestId": str() | int() as request_id}
            ):
                self._remove(request_id)

    def note_outgoing(self, message: JSONRPCMessage) -> None:
        """A message comes from the server."""
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self._remove(message.id)

    async def none_left(self) -> None:
        """Wait until nothing is open."""
        while self._sizes:
            await self._changed.wait()

    def _remove(self, request_id: RequestId) -> None:
        self._bytes -= self._sizes.pop(coerce_request_id(request_id), 0)
        changed, self._changed = self._changed, anyio.Event()
        changed.set()


def _error(request_id: RequestId | None, code: int, message: str, data: JsonObject) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message, data=data))
