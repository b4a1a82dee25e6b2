"""Reading a multipart form out of bytes. Pure, and without the temporary files that a streaming reader needs."""

import re
from dataclasses import dataclass

__all__ = ["Part", "boundary_of", "read_parts"]

_BOUNDARY = re.compile(r'boundary="?([^";,]+)"?', re.IGNORECASE)
_NAME = re.compile(rb'[; ]name="([^"]*)"')
_FILE_NAME = re.compile(rb'[; ]filename="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a form; `filename` is None where it is no file."""

    name: str
    content: bytes
    filename: str | None = None


def boundary_of(content_type: str) -> str | None:
    """The boundary of a multipart content type, None for every other type."""
    if not content_type.lower().startswith("multipart/form-data"):
        return None
    found = _BOUNDARY.search(content_type)
    return found[1] if found else None


def read_parts(body: bytes, boundary: str) -> list[Part]:
    """The fields of a form, in order; what is no field is left out."""
    mark = b"--" + boundary.encode()
    sections = (b"\r\n" + body).split(b"\r\n" + mark)[1:]
    found = (_read_part(section) for section in sections if not section.startswith(b"--"))
    return [part for part in found if part is not None]


def _read_part(section: bytes) -> Part | None:
    head, gap, content = section.partition(b"\r\n\r\n")
    name = _NAME.search(head)
    if not gap or name is None:
        return None
    filename = _FILE_NAME.search(head)
    return Part(name[1].decode(errors="replace"), content, filename[1].decode(errors="replace") if filename else None)
