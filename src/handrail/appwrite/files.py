"""A file as the part of a body: given inline, or named in a folder that files may be sent from."""

import base64
import binascii

from handrail.appwrite.files_on_disk import UploadRoots
from handrail.appwrite.paths import CONTROL
from handrail.appwrite.plan import Content, FilePart
from handrail.errors import ArgumentError
from handrail.json_types import Json

__all__ = ["file_part"]


def file_part(argument: str, wire_name: str, value: Json, files: UploadRoots | None = None) -> FilePart:
    """The file of an argument `{filename, text}`, `{filename, base64}`, `{path}` or `{path, filename}`.

    Args:
        argument: its name, for the error.
        wire_name: the part's name.
        value: the argument.
        files: where a file on disk may come from; nowhere by default. It is looked at, not read.

    Raises:
        ArgumentError: the form is another one, the name cannot be a file's, or the content is no base64.
        RefusedError: a file on disk must not be sent.
    """
    content: bytes | Content
    match value:
        case {"filename": str(filename), "text": str(text), **rest} if not rest:
            content = text.encode()
        case {"filename": str(filename), "base64": str(encoded), **rest} if not rest:
            content = _decoded(argument, encoded)
        case {"path": str(path), **rest} if not rest or (len(rest) == 1 and isinstance(rest.get("filename"), str)):
            stored = (files or UploadRoots()).look_at(argument, path)
            filename, content = str(rest.get("filename", stored.parts[-1])), stored
        case _:
            raise _wrong(argument, "must be {filename, text}, {filename, base64} or {path}")
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
        next_step=f"Give '{argument}' as {{filename, text}}, {{filename, base64}} or {{path}}.",
        problem="value",
    )
