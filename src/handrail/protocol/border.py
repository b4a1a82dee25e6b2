"""The border between our errors and JSON-RPC's: nothing unforeseen reaches the wire."""

import logging
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn, TypeVar

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from pydantic import BaseModel, ValidationError

from handrail.errors import HandrailError, NotFoundError, UsageError
from handrail.json_types import JsonObject
from handrail.protocol.context import Context

__all__ = ["Answer", "guarded", "method_not_found", "protocol_error"]

_LOG: Final = logging.getLogger("handrail.protocol")
_TASK_NOT_FOUND: Final = "Failed to retrieve task: Task not found"

_ParamsT = TypeVar("_ParamsT", bound=BaseModel)
Answer = JsonObject | BaseModel


def method_not_found(method: str) -> NoReturn:
    """Say that this protocol version has no such method.

    Raises:
        MCPError: always, -32601.
    """
    raise MCPError(METHOD_NOT_FOUND, "Method not found", method)


def protocol_error(error: HandrailError) -> MCPError:
    """One of our errors where the protocol has no place for a tool's result (the `tasks/*` methods)."""
    if isinstance(error, NotFoundError):
        return MCPError(INVALID_PARAMS, _TASK_NOT_FOUND)
    return MCPError(INVALID_PARAMS if isinstance(error, UsageError) else INTERNAL_ERROR, error.message, error.as_json())


def guarded(
    answer: Callable[[Context, _ParamsT], Awaitable[Answer]],
) -> Callable[[Context, _ParamsT], Awaitable[Answer]]:
    """A request handler whose unforeseen exceptions stay here.

    The SDK puts the text of an exception on the wire in the handshake generation; that text may hold anything.
    """

    async def handle(ctx: Context, params: _ParamsT) -> Answer:
        try:
            return await answer(ctx, params)
        except (MCPError, ValidationError):
            raise
        except HandrailError as error:
            raise protocol_error(error) from error
        except Exception:  # noqa: BLE001  (the border to the wire: nothing of an unforeseen exception may be shown)
            _LOG.exception("%s failed in an unforeseen way", ctx.method)
            raise MCPError(INTERNAL_ERROR, "Internal error") from None

    return handle
