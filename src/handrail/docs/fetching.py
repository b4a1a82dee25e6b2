"""One document of one site over HTTP: only from there, bounded in time and size, asked for again only if it changed."""

import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urljoin

import anyio
import httpx2

from handrail.docs.llms import origin_of
from handrail.errors import UnavailableError

__all__ = ["Document", "FetchError", "Fetched", "Fetcher"]

_WHOLE_S: Final = 60.0  # of one document, its redirects with it
_MOST_REDIRECTS: Final = 3
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_TEXTS: Final = ("text/", "application/octet-stream")
_HEADERS: Final = {"accept": "text/markdown, text/plain;q=0.9, */*;q=0.1", "accept-encoding": "gzip"}


class FetchError(UnavailableError):
    """A document did not come. `reason` says why in a few words; `lasting`: asking again would not help."""

    type = "docs_page_unavailable"

    def __init__(self, reason: str, *, lasting: bool) -> None:
        super().__init__(f"The document did not come: {reason}.", reason=reason, lasting=lasting)
        self.reason = reason
        self.lasting = lasting


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a site said of a document: its content and the marks by which it is asked for again."""

    content: bytes
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A document to ask for: its address, the most bytes it may have, and what is kept of it."""

    address: str
    most_bytes: int
    kept: Fetched | None = None


class Fetcher:
    """Asks one site. Cookies are not kept, other sites are not asked.

    Args:
        client: follows no redirect by itself.
        whole_s: seconds that a document may take in all.
    """

    def __init__(self, client: httpx2.AsyncClient, *, whole_s: float = _WHOLE_S) -> None:
        self._client = client
        self._whole_s = whole_s

    async def fetch(self, document: Document) -> Fetched:
        """The document as it is now; what is kept of it where the site says that it has not changed.

        Raises:
            FetchError: it did not come, whatever the reason.
        """
        try:
            with anyio.fail_after(self._whole_s):
                return await self._follow(document)
        except TimeoutError:
            raise FetchError(f"no whole answer within {self._whole_s:g} s", lasting=False) from None
        except httpx2.HTTPError as error:
            raise FetchError(f"the connection failed ({type(error).__name__})", lasting=False) from error
        except (httpx2.InvalidURL, ValueError, OSError) as error:
            raise FetchError(f"it cannot be asked for ({type(error).__name__})", lasting=True) from error

    async def _follow(self, document: Document) -> Fetched:
        address = document.address
        for _ in range(_MOST_REDIRECTS + 1):
            async with self._client.stream("GET", address, headers=_marks(document.kept)) as response:
                if response.status_code not in _REDIRECTS:
                    return await self._read(response, document)
                address = _target(response, address)
        raise FetchError("it is redirected in circles", lasting=True)

    async def _read(self, response: httpx2.Response, document: Document) -> Fetched:
        if response.status_code == HTTPStatus.NOT_MODIFIED and document.kept is not None:
            return document.kept
        if response.status_code != HTTPStatus.OK:
            gone = response.status_code in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.FORBIDDEN}
            raise FetchError(f"the site answers {response.status_code}", lasting=gone)
        kind = response.headers.get("content-type", "text/plain").partition(";")[0].strip().lower()
        if kind in {"text/html", "application/xhtml+xml"} or not kind.startswith(_TEXTS):
            raise FetchError(f"the site answers {kind[:64]} instead of Markdown", lasting=True)
        content = b"".join([piece async for piece in _unpacked(response, document.most_bytes)])
        return Fetched(content, response.headers.get("etag", ""), response.headers.get("last-modified", ""))


async def _unpacked(response: httpx2.Response, most: int) -> AsyncIterator[bytes]:
    """The content in pieces, unpacked by ourselves: nothing larger than what is allowed is ever in memory."""
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in {"identity", "gzip", "x-gzip"}:
        raise FetchError(f"the site packs its answer as {coding[:32]}", lasting=True)
    unpack = None if coding == "identity" else zlib.decompressobj(_GZIP_WINDOW)
    room = most
    async for raw in response.aiter_raw():
        piece = raw if unpack is None else _inflated(unpack, raw, room + 1)
        room -= len(piece)
        if room < 0:
            raise FetchError(f"it has more than {most} bytes", lasting=True)
        yield piece
    if unpack is not None and not unpack.eof:
        raise FetchError("its end is missing", lasting=False)


def _inflated(unpack: "zlib._Decompress", raw: bytes, most: int) -> bytes:
    try:
        return unpack.decompress(raw, most)
    except zlib.error as error:
        raise FetchError("it is packed in a way that cannot be read", lasting=True) from error


def _target(response: httpx2.Response, address: str) -> str:
    target = urljoin(address, response.headers.get("location", ""))
    if origin_of(target) != origin_of(address):
        raise FetchError("it is redirected to another site", lasting=True)
    return target


def _marks(kept: Fetched | None) -> dict[str, str]:
    headers = dict(_HEADERS)
    if kept is not None and kept.etag:
        headers["if-none-match"] = kept.etag
    if kept is not None and kept.last_modified:
        headers["if-modified-since"] = kept.last_modified
    return headers
