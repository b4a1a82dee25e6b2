"""The border between our errors and JSON-RPC's: nothing unforeseen reaches the wire."""

import logging
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn, TypeVar

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from pydantic import BaseModel, ValidationError

from handrail.arguments import short_name
from handrail.errors import HandrailError, NotFoundError, UsageError
from handrail.json_types import Json, JsonObject
from handrail.protocol.context import Context

__all__ = ["Answer", "guarded", "invalid_params", "method_not_found", "protocol_error", "with_next_step"]

_LOG: Final = logging.getLogger("handrail.protocol")
_GREET_FIRST: Final = "Send initialize first, or the envelope of 2026-07-28 in each request's _meta."
_PROBLEMS: Final = 3  # of one request that are told
_DEPTH_SHOWN: Final = 8  # steps of the way to one
_SAID: Final = 200  # characters of one
_TASK_NOT_FOUND: Final = "Failed to retrieve task: Task not found"

_ParamsT = TypeVar("_ParamsT", bound=BaseModel)
Answer = JsonObject | BaseModel


def method_not_found(method: str) -> NoReturn:
    """Say that this protocol version has no such method.

    Raises:
        MCPError: always, -32601.
    """
    raise MCPError(METHOD_NOT_FOUND, "Method not found", short_name(method))


def invalid_params(error: ValidationError) -> MCPError:
    """What is wrong with a request's parameters, and where; never the values that were given."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    wrong: list[Json] = [
        {"at": ".".join(short_name(str(part)) for part in item["loc"][:_DEPTH_SHOWN]), "problem": item["msg"][:_SAID]}
        for item in found[:_PROBLEMS]
    ]
    data: JsonObject = {"problems": wrong, "next": "Mend the parameters and send the request again."}
    return MCPError(INVALID_PARAMS, "Invalid request parameters", data)


def with_next_step(error: MCPError) -> MCPError:
    """An error of the SDK's own, short, and with what to do where it leaves that open."""
    said = error.error
    if said.code == METHOD_NOT_FOUND and isinstance(said.data, str):
        return MCPError(said.code, said.message, short_name(said.data))
    if said.code == INVALID_PARAMS and said.data == "":  # how it says that there was no handshake
        return MCPError(said.code, said.message, {"next": _GREET_FIRST})
    return error


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
