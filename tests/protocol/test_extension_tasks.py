"""Tasks as the extension of 2026-07-28 has them."""

import anyio
import pytest

from handrail.json_types import Json, JsonObject
from handrail.protocol import HandrailServer
from handrail.runs import MemoryEngine, RunStatus, StartRequest
from tests.protocol.peer import EXTENSION, TIMEOUT, Era, Peer, connected, structured

pytestmark = pytest.mark.unit

SERVER = "io.modelcontextprotocol/serverInfo"


async def start(peer: Peer, **arguments: Json) -> JsonObject:
    """Start a walk that the server hands over as a task: the task."""
    task = await peer.call("walk", **arguments)
    assert task["resultType"] == "task", task
    return task


async def get(peer: Peer, task: JsonObject) -> JsonObject:
    """The task as it stands."""
    return await peer.result("tasks/get", {"taskId": task["taskId"]})


async def end_of(engine: MemoryEngine, task: JsonObject) -> RunStatus:
    """How the run of a task ended."""
    return (await engine.wait(str(task["taskId"]), "local", TIMEOUT)).status


async def test_a_task_has_the_fields_of_the_extension_and_no_others(new: Peer) -> None:
    task = await start(new, steps=1, delay_s=60)

    assert task.keys() == {
        "resultType", "taskId", "status", "statusMessage", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs",
        "_meta",
    }  # fmt: skip
    assert task["status"] == "working"
    assert task["pollIntervalMs"] == 1000
    assert int(str(task["ttlMs"])) >= 3_600_000
    assert isinstance(task["_meta"], dict)
    assert task["_meta"].keys() == {SERVER}


async def test_a_working_task_shows_no_result_yet(new: Peer) -> None:
    task = await start(new, steps=1, delay_s=60)

    shown = await get(new, task)

    assert shown["resultType"] == "complete"
    assert shown.keys() == task.keys()


async def test_a_task_is_found_at_once_by_another_connection(new: Peer, server: HandrailServer) -> None:
    task = await start(new, steps=1, delay_s=60)

    async with connected(server, Era.MODERN_TASKS) as other:
        assert (await get(other, task))["status"] == "working"


@pytest.mark.promise("tasks-extension")
async def test_a_completed_task_carries_the_result_of_the_plain_call(new: Peer, engine: MemoryEngine) -> None:
    task = await start(new, steps=1, delay_s=0.1)
    await end_of(engine, task)

    shown = await get(new, task)
    result = shown["result"]

    plain = await new.call("walk", steps=1)
    assert shown["status"] == "completed"
    assert isinstance(result, dict)
    assert result.keys() == plain.keys() - {"_meta"}
    assert structured(result, "result") == structured(plain, "result")
    assert structured(result, "run_id") == task["taskId"]
    assert result["resultType"] == "complete"


@pytest.mark.promise("tasks-extension")
async def test_a_crash_completes_the_task_with_an_error_result(
    new: Peer, engine: MemoryEngine, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("CRITICAL"):
        run = await engine.start(StartRequest("walk", {"steps": 1, "crash": True}, "local"))
        await engine.wait(run.run_id, "local", TIMEOUT)

    shown = await get(new, {"taskId": run.run_id})

    assert shown["status"] == "completed"
    assert "error" not in shown
    assert isinstance(shown["result"], dict)
    assert shown["result"]["isError"] is True
    assert str(run.run_id) in str(shown["statusMessage"])


async def test_the_wish_for_a_task_of_the_other_generation_is_ignored(new: Peer) -> None:
    params: JsonObject = {"name": "walk", "arguments": {"steps": 1, "delay_s": 60}, "task": {"ttl": 5}}

    task = await new.result("tools/call", params)

    assert task["resultType"] == "task"
    assert "task" not in task


async def test_the_extension_counts_for_the_request_that_declares_it(new: Peer) -> None:
    bare: JsonObject = {"io.modelcontextprotocol/clientCapabilities": {}}
    params: JsonObject = {"name": "walk", "arguments": {"steps": 1, "delay_s": 60, "wait_seconds": 0}, "_meta": bare}

    result = await new.result("tools/call", params)

    assert result["resultType"] == "complete"
    assert structured(result, "status") == "working"


@pytest.mark.parametrize("era", [Era.MODERN])
@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel", "tasks/update"])
@pytest.mark.promise("tasks-extension")
async def test_a_client_that_does_not_declare_the_extension_is_told_what_is_missing(
    peer: Peer, engine: MemoryEngine, method: str
) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 1, "delay_s": 60}, "local"))

    error = await peer.error(method, {"taskId": run.run_id, "inputResponses": {}})

    assert error == {
        "code": -32021,
        "message": "Missing required client capability",
        "data": {"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
    }
    assert (await engine.get(run.run_id, "local")).status is RunStatus.WORKING


@pytest.mark.promise("tasks-extension")
async def test_cancelling_is_acknowledged_alike_for_a_live_task_and_for_one_that_has_ended(
    new: Peer, engine: MemoryEngine
) -> None:
    task = await start(new, steps=1, delay_s=60)

    answers = [await new.result("tasks/cancel", {"taskId": task["taskId"]}) for _ in range(2)]

    assert [answer.keys() for answer in answers] == [{"resultType", "_meta"}] * 2
    assert await end_of(engine, task) is RunStatus.CANCELLED
    shown = await get(new, task)
    assert shown["status"] == "cancelled"
    assert "result" not in shown


async def test_cancelling_a_completed_task_leaves_it_completed(new: Peer, engine: MemoryEngine) -> None:
    task = await start(new, steps=1, delay_s=0.1)
    await end_of(engine, task)

    await new.result("tasks/cancel", {"taskId": task["taskId"]})

    assert (await get(new, task))["status"] == "completed"


@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel", "tasks/update"])
async def test_an_unknown_and_a_foreign_task_look_the_same(new: Peer, engine: MemoryEngine, method: str) -> None:
    foreign = await engine.start(StartRequest("walk", {"steps": 1, "delay_s": 60}, "somebody else"))

    errors = [
        await new.error(method, {"taskId": task_id, "inputResponses": {}}) for task_id in (foreign.run_id, "unknown")
    ]

    assert errors == [{"code": -32602, "message": "Failed to retrieve task: Task not found"}] * 2
    assert (await engine.get(foreign.run_id, "somebody else")).status is RunStatus.WORKING


async def asking(new: Peer, engine: MemoryEngine) -> tuple[JsonObject, str]:
    """A task that asks, and the key of its question."""
    task = await start(new, steps=0, ask=True)
    assert await end_of(engine, task) is RunStatus.INPUT_REQUIRED
    shown = await get(new, task)
    assert isinstance(shown["inputRequests"], dict)
    return shown, next(iter(shown["inputRequests"]))


async def test_a_task_that_asks_shows_its_question_as_an_elicitation(new: Peer, engine: MemoryEngine) -> None:
    shown, key = await asking(new, engine)

    assert shown["status"] == "input_required"
    assert isinstance(shown["inputRequests"], dict)
    assert shown["inputRequests"][key] == {
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": "Who walks?",
            "requestedSchema": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            },
        },
    }


async def test_an_accepted_answer_reaches_the_run_and_unknown_keys_are_ignored(new: Peer, engine: MemoryEngine) -> None:
    task, key = await asking(new, engine)
    accepted: JsonObject = {"action": "accept", "content": {"name": "Ada"}}

    answer = await new.result(
        "tasks/update", {"taskId": task["taskId"], "inputResponses": {key: accepted, "other": accepted}}
    )

    assert answer.keys() == {"resultType", "_meta"}
    assert await end_of(engine, task) is RunStatus.COMPLETED
    result = (await get(new, task))["result"]
    assert isinstance(result, dict)
    assert "Ada" in str(structured(result, "result", "asked"))


@pytest.mark.parametrize(
    "response",
    [
        {"action": "Accept", "content": {"name": "Eve"}},
        {"content": {"name": "Eve"}},
        "Eve",
        None,
        ["Eve"],
    ],
)
async def test_what_is_neither_accepted_nor_declined_is_no_answer(
    new: Peer, engine: MemoryEngine, response: Json
) -> None:
    task, key = await asking(new, engine)

    await new.result("tasks/update", {"taskId": task["taskId"], "inputResponses": {key: response}})

    assert (await get(new, task))["status"] == "input_required"


@pytest.mark.parametrize(
    "response", [{"action": "decline"}, {"action": "cancel"}, {"action": "decline", "content": {"name": "Eve"}}]
)
@pytest.mark.promise("questions-can-be-declined")
async def test_a_declined_question_is_told_to_the_run(new: Peer, engine: MemoryEngine, response: Json) -> None:
    task, key = await asking(new, engine)

    await new.result("tasks/update", {"taskId": task["taskId"], "inputResponses": {key: response, "other": response}})

    run = await engine.wait(str(task["taskId"]), "local", TIMEOUT)
    assert (run.status, run.message) == (RunStatus.FAILED, "The question was declined.")
    assert "Eve" not in str(run)


async def test_an_answer_that_does_not_fit_takes_no_declined_question_with_it(new: Peer, engine: MemoryEngine) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 0, "ask": True, "twice": True}, "local"))
    with anyio.fail_after(TIMEOUT):
        async with engine.watch(run.run_id, "local") as changes:
            async for state in changes:
                if len(state.questions) == 2:
                    break
    responses: JsonObject = {
        state.questions[0].key: {"action": "accept", "content": {"name": 5}},
        state.questions[1].key: {"action": "decline"},
    }

    await new.error("tasks/update", {"taskId": run.run_id, "inputResponses": responses})

    assert len((await engine.get(run.run_id, "local")).questions) == 2


async def test_a_task_gets_no_progress_whatever_token_its_call_has(new: Peer, engine: MemoryEngine) -> None:
    params: JsonObject = {
        "name": "walk",
        "arguments": {"steps": 2, "delay_s": 0.6},
        "_meta": {"progressToken": "t"},
    }
    task = await new.result("tools/call", params)
    await end_of(engine, task)
    await new.call("echo", value=1)

    assert not [note for note in new.notes if note["method"] == "notifications/progress"]


@pytest.mark.parametrize("content", [None, {}, {"name": 5}])
async def test_an_accepted_answer_that_does_not_fit_the_question_is_refused(
    new: Peer, engine: MemoryEngine, content: Json
) -> None:
    task, key = await asking(new, engine)
    accepted: JsonObject = {"action": "accept", "content": content}

    error = await new.error("tasks/update", {"taskId": task["taskId"], "inputResponses": {key: accepted}})

    assert error["code"] == -32602
    assert (await get(new, task))["status"] == "input_required"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tasks/get", {}),
        ("tasks/get", {"taskId": 5}),
        ("tasks/cancel", {"task_id": "x"}),
        ("tasks/update", {"taskId": "x"}),
        ("tasks/update", {"taskId": "x", "inputResponses": []}),
    ],
)
async def test_parameters_that_do_not_fit_are_a_protocol_error(new: Peer, method: str, params: JsonObject) -> None:
    assert (await new.error(method, params))["code"] == -32602
