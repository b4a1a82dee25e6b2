"""Sends a planned request: one pooled client, bounded in time and size, never redirected, cancellable anywhere."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import urlencode

import anyio
import httpx2

from handrail.appwrite.backend import Backend
from handrail.appwrite.plan import JsonBody, MultipartBody, RequestPlan
from handrail.errors import UnavailableError

__all__ = [
    "Answer",
    "AnswerLostError",
    "Cut",
    "Limits",
    "NotSentError",
    "RequestImpossibleError",
    "Transport",
    "open_transport",
]

_CONNECTIONS: Final = httpx2.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=30)
_SHORTEST_KEY: Final = 8  # characters; to mask a shorter one would mask ordinary words
_MASK: Final = b"***"
_BOUNDARY: Final = "no-parts"  # of a multipart body that is empty, which the client would send as no body at all
_NEVER_SENT: Final = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
)
# Faults of what was to be sent, and of what the client is made of (proxies, certificates), before any byte is.
_IMPOSSIBLE: Final = (
    httpx2.InvalidURL,
    httpx2.UnsupportedProtocol,
    httpx2.LocalProtocolError,
    ValueError,
    OSError,
    ImportError,
)


class NotSentError(UnavailableError):
    """The request never reached Appwrite. `data["endpoint"]` and `data["cause"]` say where and why."""

    type = "endpoint_unreachable"


class RequestImpossibleError(NotSentError):
    """What should be sent cannot be put into a request. `data["cause"]` names the kind of fault."""

    type = "request_impossible"


class AnswerLostError(UnavailableError):
    """The request went out and its answer did not come back: what became of it is not known. `data["cause"]`."""

    type = "answer_lost"


class Cut(StrEnum):
    """Why an answer's body is not whole."""

    CONNECTION = "the connection ended in the middle of the answer"
    SIZE = "the answer is larger than HANDRAIL_MAX_RESPONSE_BYTES"
    TIME = "the answer took too long"


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one call: seconds to connect, between two bytes, and in all; bytes of an answer."""

    connect_s: float = 10
    read_s: float = 60
    call_s: float = 300
    response_bytes: int = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `cut` is None when the body is whole; header names are in lower case."""

    status: int
    headers: dict[str, str]
    content: bytes
    cut: Cut | None = None


class Transport:
    """Sends plans to one backend. Open it with `open_transport`."""

    def __init__(self, backend: Backend, limits: Limits, *, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self.backend = backend
        self._limits = limits
        self._transport = transport
        self._client: httpx2.AsyncClient | None = None

    async def send(self, plan: RequestPlan, *, within_s: float | None = None) -> Answer:
        """Send one planned request and read its answer.

        Args:
            plan: the request. An upload in several chunks is sent as several plans by the caller.
            within_s: seconds that it may take in all, when fewer than the limit.

        Raises:
            RequestImpossibleError: it cannot be put into a request; nothing was sent.
            NotSentError: nothing was sent.
            AnswerLostError: it was sent, and no status came back.
        """
        try:
            request = self._request(plan)
        except _IMPOSSIBLE as error:
            raise _impossible(error) from None
        status: Answer | None = None
        bound = self._limits.call_s if within_s is None else min(within_s, self._limits.call_s)
        with anyio.move_on_after(bound):
            async with self._exchange(request) as response:
                status = Answer(response.status_code, self._headers(response), b"", Cut.TIME)
                content, cut = await self._read(response)
            return Answer(status.status, status.headers, self._without_key(content), cut)
        if status is not None:
            return status
        raise _lost(f"no answer within {bound:g} s")

    def _without_key(self, content: bytes) -> bytes:
        """The content with the API key masked, should the server repeat it."""
        key = self.backend.key.encode()
        return content.replace(key, _MASK) if len(key) >= _SHORTEST_KEY else content

    def _headers(self, response: httpx2.Response) -> dict[str, str]:
        headers = {name.lower(): value for name, value in response.headers.items()}
        return {name: self._without_key(value.encode()).decode() for name, value in headers.items()}

    async def aclose(self) -> None:
        """Close every connection."""
        if self._client is not None:
            await self._client.aclose()

    @asynccontextmanager
    async def _exchange(self, request: httpx2.Request) -> AsyncIterator[httpx2.Response]:
        try:
            response = await self._open().send(request, stream=True)
        except httpx2.LocalProtocolError as error:
            raise _impossible(error) from None
        except _NEVER_SENT as error:
            raise _not_sent(self.backend.endpoint, error) from None
        except httpx2.HTTPError as error:
            raise _lost(_cause(error)) from None
        try:
            yield response
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    async def _read(self, response: httpx2.Response) -> tuple[bytes, Cut | None]:
        content = bytearray()
        try:
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > self._limits.response_bytes:
                    return bytes(content[: self._limits.response_bytes]), Cut.SIZE
        except httpx2.TimeoutException:
            return bytes(content), Cut.TIME
        except httpx2.HTTPError:
            return bytes(content), Cut.CONNECTION
        return bytes(content), None

    def _open(self) -> httpx2.AsyncClient:
        """The pooled client, made at the first call: its TLS context costs a start-up that few need."""
        if self._client is None:
            timeout = httpx2.Timeout(self._limits.read_s, connect=self._limits.connect_s)
            self._client = httpx2.AsyncClient(
                timeout=timeout, limits=_CONNECTIONS, transport=self._transport, follow_redirects=False
            )
        return self._client

    def _request(self, plan: RequestPlan) -> httpx2.Request:
        headers = dict(plan.headers)
        if plan.sends_project:
            headers["x-appwrite-project"] = self.backend.project
        if self.backend.key:
            headers["x-appwrite-key"] = self.backend.key
        query = f"?{urlencode(plan.query)}" if plan.query else ""
        url = f"{self.backend.endpoint.rstrip('/')}{plan.path}{query}"
        match plan.body:
            case JsonBody(document):
                content = json.dumps(document, allow_nan=False, ensure_ascii=False).encode()
                return self._open().build_request(plan.http_method, url, headers=headers, content=content)
            case MultipartBody() as body if parts := _parts(body):
                headers.pop("content-type", None)  # the client writes it, with its boundary
                return self._open().build_request(plan.http_method, url, headers=headers, files=parts)
            case MultipartBody():
                headers["content-type"] = f"multipart/form-data; boundary={_BOUNDARY}"
                content = f"--{_BOUNDARY}--\r\n".encode()
                return self._open().build_request(plan.http_method, url, headers=headers, content=content)
            case None:
                return self._open().build_request(plan.http_method, url, headers=headers)


@asynccontextmanager
async def open_transport(
    backend: Backend, limits: Limits | None = None, *, transport: httpx2.AsyncBaseTransport | None = None
) -> AsyncIterator[Transport]:
    """A transport that is closed at the end.

    Args:
        backend: where calls go.
        limits: bounds of one call.
        transport: what carries the requests, for tests; the network by default.
    """
    opened = Transport(backend, limits or Limits(), transport=transport)
    try:
        yield opened
    finally:
        with anyio.CancelScope(shield=True):
            await opened.aclose()


def _parts(body: MultipartBody) -> list[tuple[str, tuple[str | None, bytes]]]:
    fields: list[tuple[str, tuple[str | None, bytes]]] = [(name, (None, value.encode())) for name, value in body.fields]
    if body.file is not None:
        fields.append((body.file.name, (body.file.filename, body.file.content)))
    return fields


def _cause(error: Exception) -> str:
    """What went wrong, by kind: the text of an HTTP error may hold addresses and headers."""
    return type(error).__name__


def _not_sent(endpoint: str, error: Exception) -> NotSentError:
    return NotSentError(
        f"Appwrite at {endpoint} cannot be reached; nothing was sent.",
        next_step="Check APPWRITE_ENDPOINT and the network, then call again.",
        endpoint=endpoint,
        cause=_cause(error),
    )


def _impossible(error: Exception) -> RequestImpossibleError:
    return RequestImpossibleError(
        f"The request cannot be made ({_cause(error)}); nothing was sent.",
        next_step="Shorten the arguments if they are long; else check APPWRITE_ENDPOINT, and what the environment says "
        "of proxies and certificates.",
        cause=_cause(error),
    )


def _lost(cause: str) -> AnswerLostError:
    return AnswerLostError(
        "The request was sent, but its answer was lost.",
        next_step="Read the resource to see whether the call took effect before you repeat it.",
        cause=cause,
    )
