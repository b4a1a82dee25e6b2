"""Lines into messages. What is no message gets an answer of its own, and the next line is read as ever. Pure."""

import math
import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

from handrail.protocol.stdio.framing import LongLine

__all__ = ["Refusal", "as_line", "read_line"]

_ID: Final = rb'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\\x00-\x1f]){1,256}")'
_ID_AT_END: Final = re.compile(_ID + rb"\s*\}\s*$")
_ID_IN_HEAD: Final = re.compile(_ID + rb"\s*[,}]")
_NOT_FINITE: Final = "a number is too large"


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a line that is no message."""

    answer: JSONRPCError


def read_line(line: bytes | LongLine, max_bytes: int) -> JSONRPCMessage | Refusal | None:
    """The message of a line, the answer to one that is none, or None for a blank line.

    Args:
        line: without its line feed.
        max_bytes: the limit that a long line has passed, for the words of its refusal.
    """
    if isinstance(line, LongLine):
        data = {"limit": max_bytes, "next": "Send less in one message, or raise HANDRAIL_MAX_MESSAGE_BYTES."}
        message = f"The message is larger than {max_bytes} bytes"
        return Refusal(_error(_id_of_long_line(line), INVALID_REQUEST, message, data))
    if not line.strip():
        return None
    try:
        document = from_json(line, allow_inf_nan=False)
        _check_finite(document)
    except ValueError as error:
        return Refusal(_error(None, PARSE_ERROR, "Parse error", str(error)[:200]))
    return _message_of(document)


def as_line(message: JSONRPCMessage) -> bytes:
    """A message as a line, or, where it cannot be said in JSON, an error in its place."""
    # The SDK sets `data` where there is none, and null says nothing.
    no_data = isinstance(message, JSONRPCError) and message.error.data is None
    try:
        text = message.model_dump_json(
            by_alias=True, exclude_unset=True, exclude={"error": {"data"}} if no_data else None
        )
        return text.encode() + b"\n"
    except ValueError:
        request_id = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
        return as_line(_error(request_id, INTERNAL_ERROR, "The answer cannot be said in JSON"))


# What `from_json` gives: the SDK's models take it from here.
_Document: TypeAlias = "dict[str, _Document] | list[_Document] | str | int | float | bool | None"


def _message_of(document: _Document) -> JSONRPCMessage | Refusal:
    if not isinstance(document, dict):
        return Refusal(_error(None, INVALID_REQUEST, "A message is one JSON object; batches are not taken"))
    request_id = _id_of(document)
    if "method" in document and "id" in document and request_id is None:
        return Refusal(_error(None, INVALID_REQUEST, "An id is a string or an integer"))
    try:
        message = jsonrpc_message_adapter.validate_python(document, by_name=False)
    except ValidationError:
        if "method" in document and not isinstance(document.get("params", {}), dict):
            return Refusal(_error(request_id, INVALID_PARAMS, "params is an object"))
        return Refusal(_error(request_id, INVALID_REQUEST, "Not a JSON-RPC 2.0 message"))
    if "method" in document and "id" in document and not isinstance(message, JSONRPCRequest):
        # What fails as a request may pass as a notification, which nobody would ever answer.
        return Refusal(_error(request_id, INVALID_REQUEST, "Not a JSON-RPC 2.0 request"))
    return message


def _id_of(document: dict[str, _Document]) -> RequestId | None:
    found = document.get("id")
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _check_finite(document: _Document) -> None:
    """1e400 is well-formed JSON, becomes infinity, and has no way back into JSON."""
    rest: list[_Document] = [document]
    while rest:
        item = rest.pop()
        if isinstance(item, float):
            if not math.isfinite(item):
                raise ValueError(_NOT_FINITE)
        elif isinstance(item, dict):
            rest.extend(item.values())
        elif isinstance(item, list):
            rest.extend(item)


def _id_of_long_line(line: LongLine) -> RequestId | None:
    """The id of a message that was not kept: at its very end, or in its beginning outside of everything else."""
    found = _ID_AT_END.search(line.tail)
    if found is None:
        found = next((match for match in _ID_IN_HEAD.finditer(line.head) if _is_outermost(line.head, match)), None)
    if found is None:
        return None
    text = found[1].decode(errors="replace")
    return text[1:-1] if text.startswith('"') else int(text)


def _is_outermost(head: bytes, match: re.Match[bytes]) -> bool:
    depth, in_string, escaped = 0, False, False
    for byte in head[: match.start()]:
        if in_string:
            in_string = escaped or byte != ord('"')
            escaped = not escaped and byte == ord("\\")
        elif byte == ord('"'):
            in_string = True
        else:
            depth += (byte in b"{[") - (byte in b"}]")
    return depth == 1 and not in_string


def _error(request_id: RequestId | None, code: int, message: str, data: object = None) -> JSONRPCError:
    error = ErrorData(code=code, message=message) if data is None else ErrorData(code=code, message=message, data=data)
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=error)
