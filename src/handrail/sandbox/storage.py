"""The storage service, second part: files, uploads in one piece or in chunks, downloads."""

import hashlib
import re
from http import HTTPStatus

from handrail.json_types import Json, JsonObject
from handrail.sandbox.buckets import find_bucket
from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.filters import Kind
from handrail.sandbox.multipart import Part
from handrail.sandbox.params import UNIQUE, check_path_id
from handrail.sandbox.routing import NO_CONTENT, Answer, Call, Route, listing, text_fields
from handrail.sandbox.state import Bucket, StoredFile

__all__ = ["CHUNK_BYTES", "ROUTES"]

CHUNK_BYTES = 5 * 1024 * 1024
"""What one chunk of an upload holds, the last one excepted."""

_READ, _WRITE = ("files.read",), ("files.write",)
_FILE_FIELDS = text_fields("name", "signature", "mimeType") | {
    "sizeOriginal": Kind.NUMBER,
    "chunksTotal": Kind.NUMBER,
    "chunksUploaded": Kind.NUMBER,
}
_CONTENT_RANGE = re.compile(r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15})")
_RANGE = re.compile(r"bytes=(\d{1,15})-(\d{0,15})")
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)


def _file(call: Call) -> StoredFile:
    files = find_bucket(call).files
    if call.ids["fileId"] not in files:
        raise ApiError(Fail.FILE_NOT_FOUND)
    return files[call.ids["fileId"]]


def _mime(content: bytes) -> str:
    for magic, name in _MAGIC:
        if content.startswith(magic):
            return name
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "application/octet-stream" if "\0" in text else "text/plain"


def _span(call: Call, part: Part) -> tuple[int, int]:
    """Where this piece begins, and how large the whole file is.

    Raises:
        ApiError: storage_invalid_content_range.
    """
    header = call.headers.get("content-range")
    if header is None:
        return 0, len(part.content)
    found = _CONTENT_RANGE.fullmatch(header)
    if found is None:
        raise ApiError(Fail.CONTENT_RANGE)
    start, end, size = (int(number) for number in found.groups())
    last = end + 1 == size
    whole_chunk = start % CHUNK_BYTES == 0 and (last or end + 1 - start == CHUNK_BYTES)
    if start > end or end >= size or end + 1 - start != len(part.content) or not whole_chunk:
        raise ApiError(Fail.CONTENT_RANGE)
    return start, size


def _upload_id(call: Call) -> str:
    """The file's id: of the form, or of the header that a chunk carries, which may not be `unique()`."""
    file_id, header = call.params.new_id("fileId", call.state.new_id), call.headers.get("x-appwrite-id")
    if not header or "content-range" not in call.headers:
        return file_id
    if header == UNIQUE:
        raise ApiError(Fail.UPLOAD_ID)
    check_path_id("x-appwrite-id", header)
    return header


def _check_file(bucket: Bucket, part: Part, size: int) -> None:
    allowed, largest = bucket.doc["allowedFileExtensions"], bucket.doc["maximumFileSize"]
    if not part.content:
        raise ApiError(Fail.FILE_EMPTY)
    if size > int(str(largest)):
        raise ApiError(Fail.FILE_SIZE)
    extension = (part.filename or "").rpartition(".")[2].lower()
    if isinstance(allowed, list) and allowed and extension not in allowed:
        raise ApiError(Fail.FILE_TYPE)


def _create_file(call: Call) -> Answer:
    bucket, part = find_bucket(call), call.files.get("file")
    file_id, permissions = _upload_id(call), call.params.permissions()
    if part is None:
        raise ApiError(Fail.FILE_EMPTY)
    start, size = _span(call, part)
    _check_file(bucket, part, size)
    file = bucket.files.get(file_id)
    if file is None:
        file = bucket.files[file_id] = _new_file(call, file_id, part, size, permissions or [])
    elif file.complete and "content-range" in call.headers:
        return Answer(file.doc)  # a chunk that comes again changes nothing
    elif file.complete:
        raise ApiError(Fail.FILE_EXISTS)
    elif file.size != size:
        raise ApiError(Fail.CONTENT_RANGE)
    file.chunks[start] = part.content
    _note_progress(call, file)
    return Answer(file.doc, HTTPStatus.CREATED)


def _new_file(call: Call, file_id: str, part: Part, size: int, permissions: list[Json]) -> StoredFile:
    now = call.state.stamp()
    doc: JsonObject = {
        "$id": file_id,
        "bucketId": call.ids["bucketId"],
        "$createdAt": now,
        "$updatedAt": now,
        "$permissions": permissions,
        "name": part.filename or "",
        "signature": "",
        "mimeType": "",
        "sizeOriginal": size,
        "sizeActual": 0,
        "chunksTotal": -(-size // CHUNK_BYTES),
        "chunksUploaded": 0,
        "encryption": False,
        "compression": "",
    }
    return StoredFile(doc, size)


def _note_progress(call: Call, file: StoredFile) -> None:
    file.doc.update({"chunksUploaded": len(file.chunks), "$updatedAt": call.state.stamp()})
    if not file.complete:
        return
    content = file.content()
    bucket = find_bucket(call).doc
    file.doc.update(
        {
            "signature": hashlib.md5(content, usedforsecurity=False).hexdigest(),
            "mimeType": _mime(content),
            "sizeActual": 1 << (file.size - 1).bit_length(),
            "encryption": bucket["encryption"],
            "compression": bucket["compression"],
        }
    )


def _list_files(call: Call) -> Answer:
    return listing(call, "files", (file.doc for file in find_bucket(call).files.values()), _FILE_FIELDS, "File")


def _get_file(call: Call) -> Answer:
    return Answer(_file(call).doc)


def _update_file(call: Call) -> Answer:
    doc, permissions = _file(call).doc, call.params.permissions()
    doc["name"] = call.params.text_or("name", str(doc["name"]), longest=255)
    if permissions is not None:
        doc["$permissions"] = permissions
    doc["$updatedAt"] = call.state.stamp()
    return Answer(doc)


def _delete_file(call: Call) -> Answer:
    _file(call)
    del find_bucket(call).files[call.ids["fileId"]]
    return NO_CONTENT


def _content(call: Call, disposition: str) -> Answer:
    file = _file(call)
    if not file.complete:
        raise ApiError(Fail.FILE_NOT_FOUND)
    content, name = file.content(), str(file.doc["name"]).replace('"', "")
    headers = {
        "content-disposition": f'{disposition}; filename="{name}"'.encode("latin-1", "replace").decode("latin-1"),
        "accept-ranges": "bytes",
    }
    return _ranged(call, content, str(file.doc["mimeType"]), headers)


def _ranged(call: Call, content: bytes, mime: str, headers: dict[str, str]) -> Answer:
    wanted = call.headers.get("range")
    if wanted is None:
        return Answer(content=content, content_type=mime, headers=headers)
    found = _RANGE.fullmatch(wanted)
    start = int(found[1]) if found else len(content)
    end = min(int(found[2]) if found and found[2] else len(content) - 1, len(content) - 1)
    if start > end:
        raise ApiError(Fail.RANGE)
    headers["content-range"] = f"bytes {start}-{end}/{len(content)}"
    return Answer(None, HTTPStatus.PARTIAL_CONTENT, content[start : end + 1], mime, headers)


def _download(call: Call) -> Answer:
    return _content(call, "attachment")


def _view(call: Call) -> Answer:
    return _content(call, "inline")


_FILES = "/storage/buckets/{bucketId}/files"
ROUTES = (
    Route("POST", _FILES, _WRITE, _create_file),
    Route("GET", _FILES, _READ, _list_files),
    Route("GET", f"{_FILES}/{{fileId}}", _READ, _get_file),
    Route("PUT", f"{_FILES}/{{fileId}}", _WRITE, _update_file),
    Route("DELETE", f"{_FILES}/{{fileId}}", _WRITE, _delete_file),
    Route("GET", f"{_FILES}/{{fileId}}/download", _READ, _download),
    Route("GET", f"{_FILES}/{{fileId}}/view", _READ, _view),
)
