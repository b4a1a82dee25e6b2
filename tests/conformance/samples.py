"""The smallest things that the suite asks to be shown: a picture, a sound, resources with content."""

import base64
import struct
import zlib
from typing import Final

from mcp_types import AudioContent, EmbeddedResource, ImageContent, TextContent, TextResourceContents

__all__ = ["PIXEL", "embedded", "image", "sound", "text"]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PIXEL: Final = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    + _chunk(b"IEND", b"")
)
"""A red pixel, as PNG."""

_SAMPLE: Final = struct.pack("<h", 0)
_FORMAT: Final = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8_000, 16_000, 2, 16)
_WAVE: Final = b"WAVE" + _FORMAT + struct.pack("<4sI", b"data", len(_SAMPLE)) + _SAMPLE
_SILENCE: Final = b"RIFF" + struct.pack("<I", len(_WAVE)) + _WAVE


def text(words: str) -> TextContent:
    return TextContent(type="text", text=words)


def image() -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(PIXEL).decode(), mime_type="image/png")


def sound() -> AudioContent:
    return AudioContent(type="audio", data=base64.b64encode(_SILENCE).decode(), mime_type="audio/wav")


def embedded(uri: str, words: str, mime_type: str = "text/plain") -> EmbeddedResource:
    contents = TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    return EmbeddedResource(type="resource", resource=contents)
