"""Sends a planned request: one pooled client, bounded in time and size, never redirected, cancellable anywhere."""

import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from urllib.parse import urlencode

import anyio
import anyio.to_thread
import httpx2

from handrail.appwrite.backend import Backend
from handrail.appwrite.plan import FilePart, JsonBody, MultipartBody, RequestPlan
from handrail.appwrite.send_errors import (
    AnswerLateError,
    AnswerLostError,
    CertificateError,
    NotReachedInTimeError,
    NotSentError,
    RequestImpossibleError,
)
from handrail.appwrite.tls import Tls

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

_CONNECTIONS: Final = httpx2.Limits(max_connections=128, max_keepalive_connections=64, keepalive_expiry=30)
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
    """What came back.

    Attributes:
        status: the HTTP status.
        headers: names in lower case.
        content: the body, or as much of it as came.
        cut: why the body is not whole; None when it is.
        attempts: how many requests it took.
        lost_before: whether the answer to an earlier attempt was lost, so that this one may answer to the second
            of two calls that both took effect.
    """

    status: int
    headers: dict[str, str]
    content: bytes
    cut: Cut | None = None
    attempts: int = 1
    lost_before: bool = False


class Transport:
    """Sends plans to one backend. Open it with `open_transport`."""

    def __init__(
        self,
        backend: Backend,
        limits: Limits,
        *,
        tls: Tls | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.backend = backend
        self.limits = limits
        self._tls = tls or Tls()
        self._transport = transport
        self._client: httpx2.AsyncClient | None = None

    async def send(self, plan: RequestPlan, *, within_s: float | None = None) -> Answer:
        """Send one planned request and read its answer.

        Args:
            plan: the request. An upload in several chunks is sent as several plans by the caller.
            within_s: seconds that it may take in all, when fewer than the limit.

        Raises:
            RequestImpossibleError: it cannot be put into a request; nothing was sent.
            NotSentError: nothing was sent; also where its file is no longer the one that was looked at.
            AnswerLostError: it was sent, and no status came back.
        """
        plan = await _loaded(plan)
        try:
            request = self._request(plan)
        except _IMPOSSIBLE as error:
            raise _impossible(error) from None
        status: Answer | None = None
        bound = self.limits.call_s if within_s is None else min(within_s, self.limits.call_s)
        with anyio.move_on_after(bound):
            async with self._exchange(request) as response:
                status = Answer(response.status_code, self._headers(response), b"", Cut.TIME)
                content, cut = await self._read(response)
            return Answer(status.status, status.headers, self._without_key(content), cut)
        if status is not None:
            return status
        raise _lost(f"no answer within {bound:g} s", AnswerLateError)

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
        except httpx2.TimeoutException as error:
            raise _lost(_cause(error), AnswerLateError) from None
        except httpx2.HTTPError as error:
            raise _lost(_cause(error), AnswerLostError) from None
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
                if len(content) > self.limits.response_bytes:
                    return bytes(content[: self.limits.response_bytes]), Cut.SIZE
        except httpx2.TimeoutException:
            return bytes(content), Cut.TIME
        except httpx2.HTTPError:
            return bytes(content), Cut.CONNECTION
        return bytes(content), None

    def _open(self) -> httpx2.AsyncClient:
        """The pooled client, made at the first call: its TLS context costs a start-up that few need."""
        if self._client is None:
            timeout = httpx2.Timeout(self.limits.read_s, connect=self.limits.connect_s)
            self._client = httpx2.AsyncClient(
                timeout=timeout,
                limits=_CONNECTIONS,
                transport=self._transport,
                follow_redirects=False,
                verify=self._tls.context_for(self.backend.endpoint),
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
    backend: Backend,
    limits: Limits | None = None,
    *,
    tls: Tls | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> AsyncIterator[Transport]:
    """A transport that is closed at the end.

    Args:
        backend: where calls go.
        limits: bounds of one call.
        tls: which certificates are trusted.
        transport: what carries the requests, for tests; the network by default.
    """
    opened = Transport(backend, limits or Limits(), tls=tls, transport=transport)
    try:
        yield opened
    finally:
        with anyio.CancelScope(shield=True):
            await opened.aclose()


async def _loaded(plan: RequestPlan) -> RequestPlan:
    """The plan with the bytes of its file, where that is still on disk. One chunk of it at most: a plan is no more."""
    match plan.body:
        case MultipartBody(file=FilePart(content=content) as file) as body if not isinstance(content, bytes):
            read = await anyio.to_thread.run_sync(content.read, abandon_on_cancel=True)
            return replace(plan, body=replace(body, file=replace(file, content=read)))
        case _:
            return plan


def _parts(body: MultipartBody) -> list[tuple[str, tuple[str | None, bytes]]]:
    fields: list[tuple[str, tuple[str | None, bytes]]] = [(name, (None, value.encode())) for name, value in body.fields]
    if body.file is not None and isinstance(body.file.content, bytes):
        fields.append((body.file.name, (body.file.filename, body.file.content)))
    return fields


def _cause(error: Exception) -> str:
    """What went wrong, by kind: the text of an HTTP error may hold addresses and headers."""
    return type(error).__name__


def _not_sent(endpoint: str, error: Exception) -> NotSentError:
    if _distrusts(error):
        return CertificateError(
            f"The certificate of {endpoint} is not trusted; nothing was sent.",
            next_step="Set HANDRAIL_TLS_CA to a file with the certificate that it should show, if it is your own.",
            endpoint=endpoint,
            cause=_cause(error),
        )
    kind = NotReachedInTimeError if isinstance(error, httpx2.TimeoutException) else NotSentError
    return kind(
        f"Appwrite at {endpoint} cannot be reached; nothing was sent.",
        next_step="Check APPWRITE_ENDPOINT and the network, then call again.",
        endpoint=endpoint,
        cause=_cause(error),
    )


def _distrusts(error: BaseException) -> bool:
    """Whether a certificate was not accepted: the error itself, or what it came of."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, ssl.SSLCertVerificationError):
        seen = seen.__cause__ or seen.__context__
    return seen is not None


def _impossible(error: Exception) -> RequestImpossibleError:
    return RequestImpossibleError(
        f"The request cannot be made ({_cause(error)}); nothing was sent.",
        next_step="Shorten the arguments if they are long; else check APPWRITE_ENDPOINT, and what the environment says "
        "of proxies and certificates.",
        cause=_cause(error),
    )


def _lost(cause: str, kind: type[AnswerLostError]) -> AnswerLostError:
    return kind(
        "The request was sent, but its answer was lost.",
        next_step="Read the resource to see whether the call took effect before you repeat it.",
        cause=cause,
    )
