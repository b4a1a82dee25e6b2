"""A planned request: everything that will be sent, known before anything is sent."""

from dataclasses import dataclass
from typing import Protocol

from handrail.appwrite.catalog.model import ResponseKind
from handrail.json_types import JsonObject

__all__ = ["Content", "FilePart", "JsonBody", "MultipartBody", "RequestPlan"]


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A JSON document, exactly as it will be serialised."""

    document: JsonObject


class Content(Protocol):
    """Bytes that stay where they are until they are sent, such as those of a file on disk."""

    @property
    def shown(self) -> JsonObject:
        """What a person is shown of it: where it is, and its size."""

    def __len__(self) -> int:
        """How many bytes."""

    def __getitem__(self, part: slice, /) -> "Content":
        """Some of them, not read either."""

    def read(self) -> bytes:
        """Read them all. Blocks the thread.

        Raises:
            NotSentError: they are not what was looked at any more.
        """


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file in a multipart body: the part's name, the file's name and its bytes."""

    name: str
    filename: str
    content: bytes | Content


@dataclass(frozen=True, slots=True)
class MultipartBody:
    """Text fields in order, then at most one file."""

    fields: tuple[tuple[str, str], ...]
    file: FilePart | None


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """One request.

    Attributes:
        http_method: in upper case.
        path: below the endpoint, every argument in it percent-encoded.
        query: decoded name and value pairs, in order.
        headers: names in lower case, without credentials, project, host and length.
        sends_project: whether `x-appwrite-project` goes with it.
        body: None where there is none.
        response: what a successful answer is.
        chunk_size: for an upload, the bytes of one chunk: a file part that is larger goes in pieces, with
            `content-range` and, once the upload's id is known, `x-appwrite-id`. None for everything else.
        upload_id: for an upload, the id that a resumed upload is found under, or None.
    """

    http_method: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: tuple[tuple[str, str], ...]
    sends_project: bool
    body: JsonBody | MultipartBody | None
    response: ResponseKind
    chunk_size: int | None = None
    upload_id: str | None = None
