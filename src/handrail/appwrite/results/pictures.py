"""Files as a caller sees them: an image as an image, anything else as a link to what is kept. Pure."""

import hashlib
from base64 import b64encode
from typing import Final

from mcp_types import ContentBlock, ImageContent, ResourceLink

from handrail.appwrite.outcome import FileContent
from handrail.appwrite.results.kept import KeptResult
from handrail.json_types import JsonObject

__all__ = ["INLINE_BYTES", "about_file", "beside"]

INLINE_BYTES: Final = 4_096
"""A file of so many bytes is given as base64 in the document itself."""

_IMAGE_BYTES: Final = 1024 * 1024  # of an image that is given as one
# A host refuses a whole conversation over an image that is none: the first bytes must say the same as the type.
_IMAGES: Final = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_WEBP: Final = b"WEBP"
_WEBP_AT: Final = 8


def about_file(file: FileContent) -> JsonObject:
    """`{content_type, size, sha256}`, and `base64` where it is small or `shown: "image"` where it is one."""
    about: JsonObject = {
        "content_type": file.content_type,
        "size": len(file.content),
        "sha256": hashlib.sha256(file.content).hexdigest(),
    }
    if _is_image(file):
        return {**about, "shown": "image"}
    return {**about, "base64": _base64(file)} if len(file.content) <= INLINE_BYTES else about


def beside(file: FileContent, kept: KeptResult | None) -> tuple[ContentBlock, ...]:
    """What is shown beside the document: the image, or a link to the content where that is kept."""
    if _is_image(file):
        return (ImageContent(type="image", data=_base64(file), mime_type=file.content_type),)
    if kept is None:
        return ()
    return (
        ResourceLink(
            type="resource_link",
            uri=kept.uri,
            name=kept.result_id,
            mime_type=file.content_type,
            size=len(file.content),
        ),
    )


def _is_image(file: FileContent) -> bool:
    if len(file.content) > _IMAGE_BYTES or not file.content.startswith(_IMAGES.get(file.content_type, ())):
        return False
    return file.content_type != "image/webp" or file.content[_WEBP_AT:].startswith(_WEBP)


def _base64(file: FileContent) -> str:
    return b64encode(file.content).decode()
