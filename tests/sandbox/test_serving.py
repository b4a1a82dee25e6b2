"""On a real port: faults as a client meets them, and an end without leftovers."""

import json
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator

import anyio
import anyio.lowlevel
import httpx2
import pytest

from handrail.sandbox import (
    API_KEY,
    PROJECT_ID,
    Fault,
    FaultKind,
    Sandbox,
    SandboxPortError,
    SandboxState,
    serve_sandbox,
)

HEADERS = {"x-appwrite-project": PROJECT_ID, "x-appwrite-key": API_KEY}


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    async with serve_sandbox() as running:
        yield running


@pytest.fixture
async def wire(sandbox: Sandbox) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=sandbox.endpoint, headers=HEADERS, trust_env=False, timeout=5) as opened:
        yield opened


async def create(wire: httpx2.AsyncClient, user_id: str = "u1") -> httpx2.Response:
    with anyio.fail_after(5):
        return await wire.post("/users", json={"userId": user_id})


@pytest.mark.parametrize(
    ("kind", "status", "content", "done"),
    [
        (FaultKind.HTML, 502, b"<!DOCTYPE html>", False),
        (FaultKind.NO_CONTENT, 204, b"", True),
        (FaultKind.EMPTY, 201, b"", True),
        (FaultKind.NOT_JSON, 201, b'{"total": 1, "users": [{', True),
        (FaultKind.SERVER_ERROR, 500, b'{"message":"Server Error"', False),
        (FaultKind.REDIRECT, 307, b"", False),
        (FaultKind.RATE_LIMIT, 429, b'{"message":"Rate limit', False),
    ],
)
async def test_a_spoiled_answer_says_nothing_of_what_was_done(
    sandbox: Sandbox, wire: httpx2.AsyncClient, kind: FaultKind, status: int, content: bytes, *, done: bool
) -> None:
    sandbox.state.faults.add(Fault(kind))
    response = await create(wire)
    assert response.status_code == status
    assert response.content.startswith(content)
    assert ("u1" in sandbox.state.users) is done
    assert (sandbox.state.requests[-1].status, sandbox.state.requests[-1].fault) == (status, kind)
    assert (await create(wire, "u2")).status_code == 201


async def test_a_rate_limit_says_when_to_come_back(sandbox: Sandbox, wire: httpx2.AsyncClient) -> None:
    sandbox.state.faults.add(Fault(FaultKind.RATE_LIMIT, retry_after_s=7))
    response = await create(wire)
    assert response.json()["type"] == "general_rate_limit_exceeded"
    assert response.headers["retry-after"] == "7"
    assert response.headers["x-ratelimit-remaining"] == "0"


async def test_a_redirect_points_to_another_host(sandbox: Sandbox, wire: httpx2.AsyncClient) -> None:
    sandbox.state.faults.add(Fault(FaultKind.REDIRECT, location="http://evil.invalid/v1/users"))
    assert (await create(wire)).headers["location"] == "http://evil.invalid/v1/users"


@pytest.mark.parametrize(
    ("kind", "done"),
    [(FaultKind.DROP_BEFORE, False), (FaultKind.DROP_AFTER, True), (FaultKind.HALF_BODY, True)],
)
async def test_a_dropped_connection_ends_the_request_before_or_after_its_work(
    sandbox: Sandbox, wire: httpx2.AsyncClient, kind: FaultKind, *, done: bool
) -> None:
    sandbox.state.faults.add(Fault(kind))
    with pytest.raises(httpx2.TransportError):
        await create(wire)
    assert ("u1" in sandbox.state.users) is done
    assert (await create(wire, "u2")).status_code == 201


@pytest.mark.parametrize("applied", [False, True])
async def test_a_hanging_request_can_have_done_its_work(
    sandbox: Sandbox, wire: httpx2.AsyncClient, *, applied: bool
) -> None:
    sandbox.state.faults.add(Fault(FaultKind.HANG, applied=applied))
    with pytest.raises(httpx2.ReadTimeout):
        await wire.post("/users", json={"userId": "u1"}, timeout=0.3)
    assert ("u1" in sandbox.state.users) is applied
    assert sandbox.state.requests[-1].status is None


async def test_the_control_header_works_only_where_enabled(sandbox: Sandbox, wire: httpx2.AsyncClient) -> None:
    asking = {"x-sandbox-fault": "server_error"}
    assert (await wire.get("/users", headers=asking)).status_code == 200
    sandbox.state.faults.header_enabled = True
    assert (await wire.get("/users", headers=asking)).status_code == 500


async def hang(wire: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.TransportError):
        await wire.get("/users")


async def arrived(state: SandboxState, count: int) -> None:
    while len(state.requests) < count:
        await anyio.lowlevel.checkpoint()


@pytest.mark.promise("sandbox-ends-with-its-owner")
async def test_hanging_requests_do_not_block_the_end() -> None:
    state = SandboxState()
    state.faults.add(Fault(FaultKind.HANG, times=None))
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            async with serve_sandbox(state) as running:
                wire = httpx2.AsyncClient(base_url=running.endpoint, headers=HEADERS, trust_env=False, timeout=60)
                for _ in range(3):
                    group.start_soon(hang, wire)
                await arrived(state, 3)
        await wire.aclose()


async def test_a_client_that_stops_in_the_middle_of_its_body_does_not_block_the_end() -> None:
    with anyio.fail_after(5):
        async with serve_sandbox() as running:
            port = int(running.endpoint.rpartition(":")[2].partition("/")[0])
            stream = await anyio.connect_tcp("127.0.0.1", port)
            await stream.send(b"POST /v1/users HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
        async with stream:
            with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                await stream.receive()


async def test_a_request_that_never_became_whole_does_nothing(sandbox: Sandbox, wire: httpx2.AsyncClient) -> None:
    await create(wire)
    head = (
        f"DELETE /v1/users/u1 HTTP/1.1\r\nhost: x\r\nx-appwrite-project: {PROJECT_ID}\r\nx-appwrite-key: {API_KEY}\r\n"
    )
    port = int(sandbox.endpoint.rpartition(":")[2].partition("/")[0])
    with anyio.fail_after(5):
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(f"{head}content-length: 100\r\n\r\n{{".encode())
        await arrived(sandbox.state, 2)
    assert sandbox.state.requests[-1].status is None
    assert "u1" in sandbox.state.users


@pytest.mark.promise("sandbox-ends-with-its-owner")
async def test_the_port_and_every_thread_are_gone_afterwards() -> None:
    threads = set(threading.enumerate())
    async with serve_sandbox() as running:
        port = int(running.endpoint.rpartition(":")[2].partition("/")[0])
        async with httpx2.AsyncClient(base_url=running.endpoint, headers=HEADERS, trust_env=False) as wire:
            assert (await wire.get("/health")).status_code == 200
    assert set(threading.enumerate()) == threads
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
    async with serve_sandbox(port=port) as again:
        assert again.endpoint == f"http://127.0.0.1:{port}/v1"


async def test_a_cancelled_owner_ends_the_server_too() -> None:
    async with anyio.create_task_group() as group:
        ends: list[str] = []

        async def own(*, task_status: anyio.abc.TaskStatus[str]) -> None:
            async with serve_sandbox() as running:
                task_status.started(running.endpoint)
                try:
                    await anyio.sleep_forever()
                finally:
                    ends.append(running.endpoint)

        endpoint = await group.start(own)
        group.cancel_scope.cancel()
    assert ends == [endpoint]
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(endpoint.rpartition(":")[2].partition("/")[0]))) != 0


async def test_the_callers_own_error_comes_out_unwrapped() -> None:
    with pytest.raises(LookupError, match="mine"):
        async with serve_sandbox():
            raise LookupError("mine")


async def test_a_taken_port_is_a_typed_error_with_the_next_step(sandbox: Sandbox) -> None:
    port = int(sandbox.endpoint.rpartition(":")[2].partition("/")[0])
    with pytest.raises(SandboxPortError) as refused:
        async with serve_sandbox(port=port):
            pass
    assert refused.value.data == {"port": port}
    assert refused.value.next_step == "Choose another port, or 0 for any free one."


@pytest.mark.promise("sandbox-leaves-stdout-alone")
async def test_serving_says_nothing_and_logs_no_warning(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        async with serve_sandbox() as running:
            running.state.faults.add(Fault(FaultKind.DROP_BEFORE))
            async with httpx2.AsyncClient(base_url=running.endpoint, headers=HEADERS, trust_env=False) as wire:
                with pytest.raises(httpx2.TransportError):
                    await wire.get("/users")
                assert (await wire.get("/nope")).status_code == 404
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_importing_the_room_brings_no_server_along() -> None:
    code = "import sys, json, handrail.sandbox; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=30)
    loaded = set(json.loads(done.stdout))
    assert loaded & {"starlette", "uvicorn", "h11", "httpx2", "mcp", "pydantic", "handrail.sandbox.dispatch"} == set()


@pytest.mark.promise("sandbox-ends-with-its-owner")
@pytest.mark.parametrize("checkpoints", range(6))
async def test_an_owner_that_is_cancelled_while_the_stand_in_starts_ends_at_once(checkpoints: int) -> None:
    async def serve() -> None:
        async with serve_sandbox():
            await anyio.sleep_forever()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(serve)
            for _ in range(checkpoints):
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
