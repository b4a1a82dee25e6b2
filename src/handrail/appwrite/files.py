"""A file that is given inline, as the part of a body."""

import base64
import binascii

from handrail.appwrite.paths import CONTROL
from handrail.appwrite.plan import FilePart
from handrail.errors import ArgumentError
from handrail.json_types import Json

__all__ = ["file_part"]


def file_part(argument: str, wire_name: str, value: Json) -> FilePart:
    """The file of an argument `{filename, text}` or `{filename, base64}`.

    Args:
        argument: its name, for the error.
        wire_name: the part's name.
        value: the argument.

    Raises:
        ArgumentError: the form is another one, the name cannot be a file's, or the content is no base64.
    """
    match value:
        case {"filename": str(filename), "text": str(text), **rest} if not rest:
            content = text.encode()
        case {"filename": str(filename), "base64": str(encoded), **rest} if not rest:
            content = _decoded(argument, encoded)
        case _:
            raise _wrong(argument, "must be {filename, text} or {filename, base64}")
    if not filename or CONTROL.search(filename):
        raise _wrong(argument, "needs a filename without control characters")
    return FilePart(wire_name, filename, content)


def _decoded(argument: str, encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise _wrong(argument, "holds something that is not base64") from None


def _wrong(argument: str, problem: str) -> ArgumentError:
    return ArgumentError(
        f"'{argument}' {problem}.",
        argument=argument,
        next_step=f"Give '{argument}' as {{filename, text}} or {{filename, base64}}.",
        problem="value",
    )
