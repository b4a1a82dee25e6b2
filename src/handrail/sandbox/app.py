"""The stand-in on the wire: reading a request, misbehaving on demand, answering, and noting what came."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

import anyio
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send

from handrail.sandbox.dispatch import BASE, NOT_FOUND_PAGE, Request, dispatch
from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.faults import Fault, FaultKind
from handrail.sandbox.routing import Answer
from handrail.sandbox.state import RequestRecord, SandboxState
from handrail.sandbox.state_file import SandboxStateFileError, StateFile

__all__ = ["FAULT_HEADER", "MAX_BODY_BYTES", "Lines", "SandboxApp", "build_app"]

FAULT_HEADER = "x-sandbox-fault"
MAX_BODY_BYTES = 32 * 1024 * 1024
_JSON = "application/json; charset=UTF-8"
_SILENT = frozenset({FaultKind.HANG, FaultKind.DROP_BEFORE, FaultKind.DROP_AFTER})
_STATUS: Mapping[FaultKind, int] = {
    FaultKind.HTML: HTTPStatus.BAD_GATEWAY,
    FaultKind.NO_CONTENT: HTTPStatus.NO_CONTENT,
    FaultKind.RATE_LIMIT: Fail.RATE_LIMIT.code,
    FaultKind.SERVER_ERROR: Fail.UNKNOWN.code,
    FaultKind.REDIRECT: HTTPStatus.TEMPORARY_REDIRECT,
}
_CONTENT: Mapping[FaultKind, tuple[bytes, str]] = {
    FaultKind.HTML: (b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>", "text/html; charset=UTF-8"),
    FaultKind.NO_CONTENT: (b"", "text/html"),
    FaultKind.EMPTY: (b"", _JSON),
    FaultKind.NOT_JSON: (b'{"total": 1, "users": [{', _JSON),
    FaultKind.REDIRECT: (b"", "text/html"),
}


class _Line(Protocol):
    """One open connection, as far as faults need it."""

    def abort(self) -> None:
        """Cut it off at once."""

    def close(self) -> None:
        """Send what is waiting, then end it."""


@dataclass(slots=True)
class Lines:
    """The open connections by their client's address, and what is being answered on them."""

    open: dict[tuple[str, int], _Line] = field(default_factory=dict)
    _answering: set[anyio.CancelScope] = field(default_factory=set)

    def cut(self, client: object, *, after_sending: bool = False) -> None:
        """End a client's connection; without a real connection below there is none to end."""
        for address, line in self.open.items():
            if address == client:
                _end(line, after_sending=after_sending)

    def answering(self) -> anyio.CancelScope:
        """A scope for one answer, so that `stop` can end it."""
        scope = anyio.CancelScope()
        self._answering.add(scope)
        return scope

    def answered(self, scope: anyio.CancelScope) -> None:
        """This answer is over."""
        self._answering.discard(scope)

    def stop(self) -> None:
        """End every answer that is under way, hanging ones too, and every connection."""
        for scope in self._answering:
            scope.cancel()
        for line in list(self.open.values()):
            _end(line, after_sending=True)


def _end(line: _Line, *, after_sending: bool) -> None:
    if after_sending:
        line.close()
    else:
        line.abort()


class _TooLargeError(Exception):
    """The body is larger than the stand-in takes."""


class _GoneError(Exception):
    """The client left before its request was whole: such a request does nothing."""


def build_app(state: SandboxState, lines: Lines | None = None, kept: StateFile | None = None) -> Starlette:
    """The ASGI application over `state`.

    Args:
        state: its memory.
        lines: the server's connections, needed to drop them on demand.
        kept: where the data are written after each change, before the answer is sent.
    """
    return Starlette(routes=[Mount("/", app=SandboxApp(state, lines or Lines(), kept))])


class SandboxApp:
    """One ASGI endpoint for every path: the table of routes is the services' own."""

    def __init__(self, state: SandboxState, lines: Lines, kept: StateFile | None = None) -> None:
        self._state = state
        self._lines = lines
        self._kept = kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; everything but HTTP is refused by the ASGI server itself."""
        answering = self._lines.answering()
        try:
            with answering:
                await self._answer(scope, receive, send)
            if answering.cancelled_caught:
                await self._hang_up(scope, receive)
        finally:
            self._lines.answered(answering)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = _head(scope)
        short = head.path.removeprefix(BASE)
        fault = self._state.faults.take(head.method, short, head.headers.get(FAULT_HEADER))
        try:
            body = await _read_body(receive)
        except _GoneError:
            self._note(head, None)
            return
        except _TooLargeError:
            answer = _refusal(ApiError(Fail.BODY_TOO_LARGE, str(MAX_BODY_BYTES)))
        else:
            request = Request(head.method, head.path, head.query, head.headers, body)
            answer = self._work(request) if fault is None or fault.does_work else NOT_FOUND_PAGE
        if fault is None:
            self._note(head, answer.status)
            await _send(send, answer)
        else:
            await self._misbehave(fault, head, answer, _Wire(scope, receive, send))

    def _work(self, request: Request) -> Answer:
        try:
            answer = dispatch(self._state, request)
        except ApiError as error:
            answer = _refusal(error)
        return answer if self._kept is None else self._keep(self._kept, answer)

    def _keep(self, kept: StateFile, answer: Answer) -> Answer:
        """Write the data down if they changed: who has the answer finds them in the file."""
        try:
            kept.write(self._state)
        except SandboxStateFileError:
            return _refusal(ApiError(Fail.UNKNOWN))
        return answer

    def _note(self, head: Request, status: int | None, fault: FaultKind | None = None) -> None:
        self._state.requests.append(RequestRecord(head.method, head.path, status, fault))

    async def _misbehave(self, fault: Fault, head: Request, answer: Answer, wire: "_Wire") -> None:
        spoiled = _spoiled(fault, answer)
        self._note(head, spoiled.status if spoiled else None, fault.kind)
        if spoiled is None:
            if fault.kind is FaultKind.HANG:
                await _until_gone(wire.receive)
            await self._hang_up(wire.scope, wire.receive)
        elif fault.kind is FaultKind.HALF_BODY:
            await _send_half(wire.send, spoiled)
            self._lines.cut(wire.scope["client"], after_sending=True)
            await _until_gone(wire.receive)
        else:
            await _send(wire.send, spoiled)

    async def _hang_up(self, scope: Scope, receive: Receive) -> None:
        """Cut the connection, and wait until the server below has noticed: else it would answer 500 on it."""
        if scope["client"] in self._lines.open:
            self._lines.cut(scope["client"])
            await _until_gone(receive)


@dataclass(frozen=True, slots=True)
class _Wire:
    """The three ends that ASGI gives."""

    scope: Scope
    receive: Receive
    send: Send


def _head(scope: Scope) -> Request:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    path = scope.get("raw_path") or scope["path"].encode()
    return Request(scope["method"], path.decode("latin-1"), scope["query_string"].decode("latin-1"), headers)


async def _read_body(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _GoneError
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            raise _TooLargeError
        if not message.get("more_body", False):
            return bytes(body)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _refusal(error: ApiError) -> Answer:
    return Answer(error.body(), error.fail.code)


def _spoiled(fault: Fault, answer: Answer) -> Answer | None:
    """What goes over the wire in place of the true answer; None for nothing at all."""
    if fault.kind in _SILENT:
        return None
    if fault.kind is FaultKind.HALF_BODY:
        return answer
    status = _STATUS.get(fault.kind, answer.status)
    content, content_type = _CONTENT.get(fault.kind, (None, _JSON))
    match fault.kind:
        case FaultKind.RATE_LIMIT:
            return Answer(ApiError(Fail.RATE_LIMIT).body(), status, headers=_limit_headers(fault))
        case FaultKind.SERVER_ERROR:
            return Answer(ApiError(Fail.UNKNOWN).body(), status)
        case FaultKind.REDIRECT:
            return Answer(None, status, content, content_type, {"location": fault.location})
        case _:
            return Answer(None, status, content, content_type)


def _limit_headers(fault: Fault) -> Mapping[str, str]:
    return {
        "retry-after": str(fault.retry_after_s),
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": str(fault.retry_after_s),
    }


def _content(answer: Answer) -> bytes:
    return json.dumps(answer.body, separators=(",", ":")).encode() if answer.content is None else answer.content


async def _start(send: Send, answer: Answer, length: int) -> None:
    named = {"content-type": answer.content_type, **answer.headers, "content-length": str(length)}
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in named.items()]
    await send({"type": "http.response.start", "status": int(answer.status), "headers": headers})


async def _send(send: Send, answer: Answer) -> None:
    content = _content(answer)
    await _start(send, answer, len(content))
    await send({"type": "http.response.body", "body": content})


async def _send_half(send: Send, answer: Answer) -> None:
    content = _content(answer)
    await _start(send, answer, max(len(content), 2))
    await send({"type": "http.response.body", "body": content[: len(content) // 2], "more_body": True})
