"""What is sent, and what becomes of an answer on its way back."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import anyio.abc
import httpx2
import pytest

import handrail.appwrite.transport as room
from handrail.appwrite.backend import Backend, NotConfiguredError
from handrail.appwrite.plan import FilePart, JsonBody, MultipartBody
from handrail.appwrite.transport import (
    Answer,
    AnswerLostError,
    Cut,
    Limits,
    NotSentError,
    RequestImpossibleError,
    Transport,
    open_transport,
)
from tests.appwrite.samples import plan

CANARY = "standard_canary_key_5f1c"
MOCKED = Backend("http://appwrite.test/v1", "proj", CANARY)


async def _sent(request_plan: object) -> httpx2.Request:
    """The request that a plan becomes."""
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json={})

    async with open_transport(MOCKED, transport=httpx2.MockTransport(answer)) as transport:
        await transport.send(request_plan)  # type: ignore[arg-type]  # every caller gives a plan
    return seen[0]


async def test_a_plan_is_sent_with_the_project_and_the_key() -> None:
    request = await _sent(plan())

    assert (request.method, str(request.url)) == ("GET", "http://appwrite.test/v1/things/t1")
    assert (request.headers["x-appwrite-project"], request.headers["x-appwrite-key"]) == ("proj", CANARY)


@pytest.mark.parametrize("path", ["/things/a%2Fb", "/things/%2E%2E", "/things/x%3Fy", "/things/%E2%82%AC%23"])
async def test_an_encoded_path_stays_as_it_was_encoded(path: str) -> None:
    request = await _sent(plan(path=path))

    assert request.url.raw_path == f"/v1{path}".encode()


async def test_a_query_keeps_its_order_and_its_characters() -> None:
    query = (("queries[0]", '{"method":"limit","values":[1]}'), ("search", "a&b=c #1"))

    request = await _sent(plan(query=query))

    assert tuple(request.url.params.multi_items()) == query


async def test_a_json_body_keeps_its_numbers_and_letters() -> None:
    request = await _sent(plan("POST", body=JsonBody({"n": 1, "f": 1.0, "text": "é", "none": None})))

    assert request.content == '{"n": 1, "f": 1.0, "text": "é", "none": null}'.encode()


async def test_a_multipart_body_has_its_fields_and_its_file() -> None:
    body = MultipartBody((("fileId", "f1"),), FilePart("file", "a.txt", b"hello"))

    request = await _sent(plan("POST", body=body, headers=(("content-type", "multipart/form-data"),)))

    assert request.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert b'name="fileId"\r\n\r\nf1\r\n' in request.content
    assert b'name="file"; filename="a.txt"' in request.content


@pytest.mark.promise("key-never-shows")
async def test_the_key_shows_in_no_representation() -> None:
    assert CANARY not in repr(MOCKED)


async def _send_to(backend: Backend, limits: Limits, within_s: float | None = None) -> Answer:
    async with open_transport(backend, limits) as transport:
        return await transport.send(plan("PUT"), within_s=within_s)


@asynccontextmanager
async def _raw_server(talk: Callable[[anyio.abc.SocketStream], object]) -> AsyncIterator[Backend]:
    """A server on a loopback port that says to each connection what `talk` says, once a request has come."""

    async def handle(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.receive()
            await talk(stream)  # type: ignore[misc]  # every talk here is a coroutine function

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, handle)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        yield Backend(f"http://127.0.0.1:{port}/v1", "proj", CANARY)
        group.cancel_scope.cancel()


async def test_an_endpoint_that_nobody_serves_means_that_nothing_was_sent() -> None:
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(anyio.abc.SocketAttribute.local_port)

    with anyio.fail_after(10), pytest.raises(NotSentError) as caught:
        await _send_to(Backend(f"http://127.0.0.1:{port}/v1", "p", CANARY), Limits())

    assert CANARY not in str(caught.value.as_json())


async def _hang_up(stream: anyio.abc.SocketStream) -> None:
    await stream.aclose()


async def _hang(_stream: anyio.abc.SocketStream) -> None:
    await anyio.sleep_forever()


async def _half_an_answer(stream: anyio.abc.SocketStream) -> None:
    await stream.send(b'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"$id"')


async def _a_stalled_answer(stream: anyio.abc.SocketStream) -> None:
    await _half_an_answer(stream)
    await anyio.sleep_forever()


async def _too_much(stream: anyio.abc.SocketStream) -> None:
    await stream.send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n" + b"x" * 5000)
    await anyio.sleep_forever()


async def _garbage(stream: anyio.abc.SocketStream) -> None:
    await stream.send(b"this is no HTTP\r\n\r\n")


@pytest.mark.parametrize("talk", [_hang_up, _hang, _garbage])
async def test_an_answer_that_never_comes_is_lost(talk: Callable[[anyio.abc.SocketStream], object]) -> None:
    with anyio.fail_after(10):
        async with _raw_server(talk) as backend:
            with pytest.raises(AnswerLostError) as caught:
                await _send_to(backend, Limits(read_s=0.2))

    assert CANARY not in str(caught.value.as_json())


@pytest.mark.parametrize(
    ("talk", "limits", "cut"),
    [
        (_half_an_answer, Limits(), Cut.CONNECTION),
        (_a_stalled_answer, Limits(read_s=0.2), Cut.TIME),
        (_a_stalled_answer, Limits(call_s=0.3), Cut.TIME),
        (_too_much, Limits(response_bytes=1000), Cut.SIZE),
    ],
)
async def test_an_answer_that_breaks_off_keeps_its_status(
    talk: Callable[[anyio.abc.SocketStream], object], limits: Limits, cut: Cut
) -> None:
    with anyio.fail_after(10):
        async with _raw_server(talk) as backend:
            answer = await _send_to(backend, limits)

    assert (answer.status in {200, 201}, answer.cut) == (True, cut)


async def test_a_call_may_be_given_less_time_than_the_limit() -> None:
    with anyio.fail_after(5):
        async with _raw_server(_hang) as backend:
            with pytest.raises(AnswerLostError):
                await _send_to(backend, Limits(), within_s=0.1)


async def test_a_cancelled_call_ends_at_once() -> None:
    with anyio.fail_after(5):
        async with _raw_server(_hang) as backend:
            with anyio.move_on_after(0.1) as scope:
                await _send_to(backend, Limits())

    assert scope.cancelled_caught


async def test_a_redirect_is_not_followed() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        assert request.url.host == "appwrite.test"
        return httpx2.Response(302, headers={"location": "http://elsewhere.test/steal"})

    async with open_transport(MOCKED, transport=httpx2.MockTransport(answer)) as transport:
        assert (await transport.send(plan())).status == 302


async def test_one_client_serves_many_calls_at_once() -> None:
    at_once = anyio.Event()
    waiting = 0

    async def answer(_request: httpx2.Request) -> httpx2.Response:
        nonlocal waiting
        waiting += 1
        if waiting == 20:
            at_once.set()
        await at_once.wait()
        return httpx2.Response(200, json={})

    with anyio.fail_after(10):
        async with open_transport(MOCKED, transport=httpx2.MockTransport(answer)) as transport:
            async with anyio.create_task_group() as group:
                for _ in range(20):
                    group.start_soon(transport.send, plan())

    assert waiting == 20


async def test_a_transport_that_sent_nothing_closes_quietly() -> None:
    await Transport(MOCKED, Limits()).aclose()


async def test_a_multipart_body_without_parts_is_an_empty_one_that_is_closed() -> None:
    request = await _sent(
        plan("POST", body=MultipartBody((), None), headers=(("content-type", "multipart/form-data"),))
    )

    boundary = request.headers["content-type"].partition("boundary=")[2]
    assert request.content == f"--{boundary}--\r\n".encode()


@pytest.mark.promise("key-never-shows")
async def test_a_key_that_the_server_repeats_is_masked() -> None:
    def answer(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(302, headers={"location": f"http://x.test/?k={CANARY}"}, json={"echo": CANARY})

    async with open_transport(MOCKED, transport=httpx2.MockTransport(answer)) as transport:
        answered = await transport.send(plan())

    assert CANARY not in f"{answered}"
    assert answered.content == b'{"echo":"***"}'


@pytest.mark.parametrize(
    "endpoint",
    ["http://127.0.0.1:abc/v1", "http://[::1/v1", "http://h\u00f6st..test/v1"],
)
async def test_an_address_that_cannot_be_means_that_nothing_was_sent(endpoint: str) -> None:
    with anyio.fail_after(10), pytest.raises(NotSentError) as caught:
        await _send_to(Backend(endpoint, "p", CANARY), Limits(connect_s=1))

    assert caught.value.next_step


async def test_a_query_that_makes_the_address_too_long_means_that_nothing_was_sent() -> None:
    async with open_transport(
        MOCKED, transport=httpx2.MockTransport(lambda _request: httpx2.Response(200))
    ) as transport:
        with pytest.raises(RequestImpossibleError) as caught:
            await transport.send(plan(query=(("search", "x" * 100_000),)))

    assert "Shorten" in str(caught.value.next_step)


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "ALL_PROXY"])
async def test_a_proxy_that_cannot_be_means_that_nothing_was_sent(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "nonsense://proxy")

    with anyio.fail_after(10), pytest.raises(RequestImpossibleError):
        await _send_to(Backend("https://appwrite.test/v1", "p", CANARY), Limits(connect_s=1))


@pytest.mark.parametrize(("project", "key"), [("p", "k\u00e9y"), ("p", "key\n"), ("pr j", "key"), ("\u00fc", "key")])
def test_a_key_or_project_that_cannot_be_sent_is_named_and_not_shown(project: str, key: str) -> None:
    with pytest.raises(NotConfiguredError) as caught:
        Backend("http://h/v1", project, key).require_configured()

    wrong = "APPWRITE_API_KEY" if project == "p" else "APPWRITE_PROJECT_ID"
    assert caught.value.data == {"missing": [wrong]}
    assert key not in caught.value.message


async def test_a_call_that_is_cancelled_frees_its_connection_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_CONNECTIONS", httpx2.Limits(max_connections=1))
    arrived = [anyio.Event(), anyio.Event()]
    waiting = iter(arrived)

    async def tell(_stream: anyio.abc.SocketStream) -> None:
        next(waiting).set()
        await anyio.sleep_forever()

    with anyio.fail_after(10):
        async with (
            _raw_server(tell) as backend,
            open_transport(backend, Limits()) as transport,
            anyio.create_task_group() as group,
        ):
            first = anyio.CancelScope()

            async def call_until_cancelled() -> None:
                with first:
                    await transport.send(plan())

            group.start_soon(call_until_cancelled)
            await arrived[0].wait()
            group.start_soon(transport.send, plan())
            first.cancel()
            await arrived[1].wait()
            group.cancel_scope.cancel()

    assert arrived[1].is_set()


async def test_fifty_calls_are_answered_while_others_hang() -> None:
    async def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/hang"):
            await anyio.sleep_forever()
        return httpx2.Response(200, json={})

    statuses: list[int] = []

    async with open_transport(MOCKED, transport=httpx2.MockTransport(answer)) as transport:

        async def call() -> None:
            statuses.append((await transport.send(plan())).status)

        with anyio.fail_after(10):
            async with anyio.create_task_group() as hanging:
                for _ in range(10):
                    hanging.start_soon(transport.send, plan(path="/hang"))
                async with anyio.create_task_group() as group:
                    for _ in range(50):
                        group.start_soon(call)
                hanging.cancel_scope.cancel()

    assert statuses == [200] * 50
