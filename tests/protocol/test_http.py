"""The server over streamable HTTP, in both generations."""

import json
from collections.abc import AsyncIterator
from typing import Literal

import anyio
import httpx2
import pytest
from mcp.client import Client, ClientRequestContext
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult, Request

from handrail.cli.demo.task_client import TaskParams
from handrail.json_types import JsonObject
from handrail.protocol import HandrailServer
from handrail.runs import MemoryEngine, Run, RunStatus, StartRequest
from tests.protocol.http_server import listening, protected
from tests.protocol.peer import EXTENSION, TIMEOUT, envelope
from tests.protocol.tasks_client import Tasks


@pytest.fixture
async def url(server: HandrailServer) -> AsyncIterator[str]:
    with anyio.fail_after(6 * TIMEOUT):
        async with listening(server.streamable_http_app()) as address:
            yield address


@pytest.fixture
async def guarded_url(server: HandrailServer) -> AsyncIterator[str]:
    with anyio.fail_after(6 * TIMEOUT):
        async with listening(protected(server)) as address:
            yield address


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=TIMEOUT) as client:
        yield client


def post(
    method: str, name: str | None, params: JsonObject, *, token: str = "", tasks: bool = True
) -> tuple[dict[str, str], JsonObject]:
    """Headers and body of a request of 2026-07-28."""
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        **({} if name is None else {"mcp-name": name}),
        **({"authorization": f"Bearer {token}"} if token else {}),
    }
    whole: JsonObject = {**params, "_meta": envelope(tasks=tasks)}
    return headers, {"jsonrpc": "2.0", "id": 1, "method": method, "params": whole}


async def answer(http: httpx2.AsyncClient, url: str, request: tuple[dict[str, str], JsonObject]) -> JsonObject:
    """The JSON answer to a request, with its HTTP status beside it."""
    headers, body = request
    response = await http.post(url, headers=headers, json=body)
    document: JsonObject = response.json()
    return {**document, "http": response.status_code}


async def only_run(engine: MemoryEngine) -> Run:
    """The one run that there is; waits until there is one."""
    with anyio.fail_after(TIMEOUT):
        while not (page := await engine.list_runs("local")).runs:
            await anyio.lowlevel.checkpoint()
    return page.runs[0]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_both_generations_are_served_at_one_address(url: str, mode: str) -> None:
    async with Client(url, mode=mode) as client:
        tools = await client.list_tools()
        result = await client.call_tool("walk", {"steps": 2, "delay_s": 0.1})
        assert client.protocol_version == {"auto": "2026-07-28", "legacy": "2025-11-25"}[mode]

    assert tools.tools[0].name == "echo"
    assert result.structured_content["result"]["steps"] == 2


async def test_a_run_is_handed_over_as_a_task_and_polled(url: str) -> None:
    tasks = Tasks()
    async with Client(url, extensions=[tasks]) as client:
        result = await client.call_tool("walk", {"steps": 2, "delay_s": 0.1})

    assert result.structured_content["run_id"] == tasks.seen[0]


@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel", "tasks/update"])
@pytest.mark.parametrize("name", ["another", "=?base64?bm90IGl0?=", "=?base64?!?="])
async def test_a_header_that_names_another_task_is_refused(
    url: str, http: httpx2.AsyncClient, engine: MemoryEngine, method: str, name: str
) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 1, "delay_s": 60}, "local"))
    params: JsonObject = {"taskId": run.run_id, "inputResponses": {}}

    refused = await answer(http, url, post(method, name, params))

    assert refused["http"] == 400
    assert isinstance(refused["error"], dict)
    assert refused["error"]["code"] == -32020
    assert (await engine.get(run.run_id, "local")).status is RunStatus.WORKING


@pytest.mark.parametrize("named", [True, False])
async def test_a_header_that_names_the_task_or_none_is_taken(
    url: str,
    http: httpx2.AsyncClient,
    engine: MemoryEngine,
    named: bool,  # noqa: FBT001  (a parameter of the test)
) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 1, "delay_s": 60}, "local"))

    got = await answer(http, url, post("tasks/get", run.run_id if named else None, {"taskId": run.run_id}))

    assert got["http"] == 200
    assert isinstance(got["result"], dict)
    assert got["result"]["taskId"] == run.run_id


async def test_an_undeclared_extension_is_told_of_with_its_status(url: str, http: httpx2.AsyncClient) -> None:
    refused = await answer(http, url, post("tasks/get", "x", {"taskId": "x"}, tasks=False))

    assert refused["http"] == 400
    assert refused["error"] == {
        "code": -32021,
        "message": "Missing required client capability",
        "data": {"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
    }


async def test_a_caller_that_hangs_up_cancels_the_run_that_it_waits_for(
    url: str, http: httpx2.AsyncClient, engine: MemoryEngine
) -> None:
    arguments: JsonObject = {"steps": 1, "delay_s": 60, "wait_seconds": 40}
    headers, body = post("tools/call", "walk", {"name": "walk", "arguments": arguments}, tasks=False)

    async with anyio.create_task_group() as group:
        group.start_soon(lambda: http.post(url, headers=headers, json=body, timeout=60))
        run = await only_run(engine)
        group.cancel_scope.cancel()

    with anyio.fail_after(TIMEOUT):
        # Looks, and does not wait for the run: who waits for one keeps it alive.
        while (await engine.get(run.run_id, run.owner)).status is not RunStatus.CANCELLED:
            await anyio.lowlevel.checkpoint()


@pytest.mark.promise("runs-belong-to-their-owner")
async def test_a_run_belongs_to_the_principal_of_its_token(
    guarded_url: str, http: httpx2.AsyncClient, engine: MemoryEngine
) -> None:
    arguments: JsonObject = {"steps": 1, "delay_s": 60}
    started = await answer(
        http, guarded_url, post("tools/call", "walk", {"name": "walk", "arguments": arguments}, token="ada")
    )
    assert isinstance(started["result"], dict)
    task_id = str(started["result"]["taskId"])

    answers = {
        token: await answer(http, guarded_url, post("tasks/get", task_id, {"taskId": task_id}, token=token))
        for token in ("ada", "eve")
    }
    unknown = await answer(http, guarded_url, post("tasks/get", "unknown", {"taskId": "unknown"}, token="eve"))

    assert "result" in answers["ada"]
    assert answers["eve"] == unknown
    assert not (await engine.list_runs("local")).runs


async def test_without_a_token_nothing_is_answered(guarded_url: str, http: httpx2.AsyncClient) -> None:
    headers, body = post("tools/list", None, {})

    response = await http.post(guarded_url, headers=headers, json=body)

    assert response.status_code == 401
    assert "resource_metadata" in response.headers["www-authenticate"]


async def test_a_stream_tells_of_a_task_to_its_end(url: str, http: httpx2.AsyncClient, engine: MemoryEngine) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 1, "delay_s": 0.2}, "local"))
    wanted: JsonObject = {"notifications": {"taskIds": [run.run_id]}}
    headers, body = post("subscriptions/listen", None, wanted)

    async with http.stream("POST", url, headers=headers, json=body) as response:
        frames = [line async for line in response.aiter_lines() if line.startswith("data:")]

    assert "notifications/subscriptions/acknowledged" in frames[0]
    assert '"status":"completed"' in frames[-2]
    assert '"resultType":"complete"' in frames[-1]


async def test_the_tasks_of_2025_11_25_need_no_standing_stream(url: str, http: httpx2.AsyncClient) -> None:
    session = _Session(http, url)
    await session.greet()

    created = await session.result(
        "tools/call", {"name": "walk", "arguments": {"steps": 1, "delay_s": 0.2}, "task": {}}
    )
    assert isinstance(created["task"], dict)
    result = await session.result("tasks/result", {"taskId": created["task"]["taskId"]})

    assert isinstance(result["structuredContent"], dict)
    assert result["structuredContent"]["status"] == "completed"


class _Session:
    """A client of 2025-11-25 that never opens a stream of its own."""

    def __init__(self, http: httpx2.AsyncClient, url: str) -> None:
        self._http = http
        self._url = url
        self._headers = {"accept": "application/json, text/event-stream"}

    async def greet(self) -> None:
        hello: JsonObject = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "h", "version": "1"},
        }
        response = await self._post({"id": 1, "method": "initialize", "params": hello})
        self._headers |= {"mcp-session-id": response.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
        await self._post({"method": "notifications/initialized"})

    async def result(self, method: str, params: JsonObject) -> JsonObject:
        response = await self._post({"id": 2, "method": method, "params": params})
        (frame,) = [line for line in response.text.splitlines() if line.startswith("data: {")]
        result: JsonObject = json.loads(frame.removeprefix("data: "))["result"]
        return result

    async def _post(self, message: JsonObject) -> httpx2.Response:
        return await self._http.post(self._url, headers=self._headers, json={"jsonrpc": "2.0", **message})


class ResultOfTask(Request[TaskParams, Literal["tasks/result"]]):
    """What the SDK's client has no word for."""

    method: Literal["tasks/result"] = "tasks/result"
    params: TaskParams


@pytest.mark.promise("elicitation-2025-11-25")
async def test_what_a_run_asks_comes_on_the_stream_of_the_request_for_its_result(
    url: str, engine: MemoryEngine
) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 0, "ask": True}, "local"))
    heard: list[str] = []

    async def fill_in(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG001  (named so)
        heard.append(params.message)
        return ElicitResult(action="accept", content={"name": "Ada"})

    async with Client(url, mode="legacy", elicitation_callback=fill_in) as client:
        request = ResultOfTask(params=TaskParams(task_id=run.run_id))
        result = await client.session.send_request(request, CallToolResult)

    assert heard == ["Who walks?"]
    assert "Ada" in str(result.structured_content)
