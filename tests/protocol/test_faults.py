"""What happens when the engine fails, is slow, or is taken away: the server goes on, and nothing leaks."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from handrail.errors import UnavailableError
from handrail.json_types import JsonObject
from handrail.protocol import HandrailServer, RunTool, ServerTool, create_server
from handrail.protocol.clients import WaitPolicy
from handrail.protocol.run_tools import run_tools
from handrail.protocol.toolbox import Toolbox
from handrail.runs import MemoryEngine, Run, RunStatus, StartRequest
from tests.protocol.peer import TIMEOUT, Era, connected, structured
from tests.protocol.sample_tools import SECRET, WALK, walk

pytestmark = pytest.mark.unit

TASK_ERAS = pytest.mark.parametrize("era", [Era.V2025_11, Era.MODERN_TASKS], ids=lambda era: era.value)


class FaultyEngine(MemoryEngine):
    """An engine that can be told to fail, or to be slow to start."""

    fault: Exception | None = None
    started = 0

    def __init__(self) -> None:
        super().__init__(walk, records=None)
        self.gate = anyio.Event()
        self.gate.set()
        self.reached = anyio.Event()

    async def start(self, request: StartRequest) -> Run:
        self.reached.set()
        await self.gate.wait()
        return await super().start(request)

    async def get(self, run_id: str, owner: str) -> Run:
        if self.fault:
            raise self.fault
        return await super().get(run_id, owner)

    @asynccontextmanager
    async def watch(self, run_id: str, owner: str) -> AsyncGenerator[AsyncIterator[Run]]:
        if self.fault:
            raise self.fault
        async with super().watch(run_id, owner) as changes:
            yield changes


@pytest.fixture
async def faulty() -> AsyncIterator[FaultyEngine]:
    async with FaultyEngine() as engine:
        yield engine


@TASK_ERAS
@pytest.mark.promise("unforeseen-errors-are-masked")
async def test_nothing_of_an_unforeseen_failure_of_the_engine_reaches_the_caller(
    faulty: FaultyEngine, era: Era, caplog: pytest.LogCaptureFixture
) -> None:
    faulty.fault = LookupError(SECRET)
    async with connected(create_server([WALK], engine=faulty), era) as peer:
        with caplog.at_level(logging.ERROR):
            error = await peer.error("tasks/get", {"taskId": "x"})

        assert error == {"code": -32603, "message": "Internal error"}
        assert SECRET in caplog.text
        assert await peer.result("tools/list")


@TASK_ERAS
async def test_an_engine_that_is_away_says_so_with_the_next_step(faulty: FaultyEngine, era: Era) -> None:
    faulty.fault = UnavailableError("The store does not answer.", next_step="Start it.")
    tools: list[ServerTool | RunTool] = [WALK, *run_tools(faulty, WaitPolicy())]
    async with connected(create_server(tools, engine=faulty), era) as peer:
        error = await peer.error("tasks/get", {"taskId": "x"})
        result = await peer.call("get_run", run_id="x")

    assert (error["code"], error["message"]) == (-32603, "The store does not answer.")
    assert isinstance(error["data"], dict)
    assert error["data"]["next"] == "Start it."
    assert result["isError"] is True
    assert result["structuredContent"] == {"error": error["data"]}


@pytest.mark.parametrize("fault", [LookupError(SECRET), UnavailableError("gone")])
async def test_a_status_that_cannot_be_told_does_not_end_the_server(
    faulty: FaultyEngine, fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    faulty.fault = fault
    async with connected(create_server([WALK], engine=faulty), Era.V2025_11) as peer:
        with caplog.at_level(logging.CRITICAL):
            await peer.result("tools/call", {"name": "walk", "arguments": {"steps": 0}, "task": {}})
            assert await peer.result("tools/list")
        faulty.fault = None
        assert await peer.result("tasks/list")


async def test_a_tool_that_starts_runs_is_masked_where_there_is_no_engine(caplog: pytest.LogCaptureFixture) -> None:
    server = HandrailServer(Toolbox([WALK]), None, name="bare", version="", title=None, instructions=None)
    server.begin_shutdown()
    async with connected(server, Era.V2025_11) as peer:
        with caplog.at_level(logging.CRITICAL):
            result = await peer.call("walk", steps=1)

    assert structured(result, "error", "type") == "internal"


@pytest.mark.parametrize("era", [Era.V2025_11, Era.MODERN, Era.MODERN_TASKS], ids=lambda era: era.value)
@pytest.mark.parametrize("wish", [{}, {"task": {}}], ids=["plain", "as a task"])
async def test_a_cancel_while_a_run_is_being_started_leaves_no_run_that_nobody_can_name(
    faulty: FaultyEngine, era: Era, wish: JsonObject
) -> None:
    faulty.gate = anyio.Event()
    async with connected(create_server([WALK], engine=faulty), era) as peer:
        arguments: JsonObject = {"steps": 1, "delay_s": 60}
        call = await peer.ask("tools/call", {"name": "walk", "arguments": arguments, **wish})
        with anyio.fail_after(TIMEOUT):
            await faulty.reached.wait()

        await peer.cancel(call)
        await peer.result("tools/list")
        faulty.gate.set()
        await peer.result("tools/list")

        (run,) = (await faulty.list_runs("local")).runs
        assert (await faulty.wait(run.run_id, "local", TIMEOUT)).status is RunStatus.CANCELLED
        assert call not in peer.answers
