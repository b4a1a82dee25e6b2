"""Tasks as 2025-11-25 has them."""

from datetime import datetime

import anyio
import pytest

from handrail.json_types import Json, JsonObject
from handrail.runs import MemoryEngine, RunStatus, StartRequest
from tests.protocol.peer import TIMEOUT, Peer, document, structured
from tests.protocol.sample_tools import SECRET

pytestmark = pytest.mark.unit


async def start(peer: Peer, *, ttl: Json = None, **arguments: Json) -> JsonObject:
    """Start a walk as a task: the task."""
    wish: JsonObject = {} if ttl is None else {"ttl": ttl}
    result = await peer.result("tools/call", {"name": "walk", "arguments": arguments, "task": wish})
    task = result["task"]
    assert isinstance(task, dict)
    return task


async def ended(peer: Peer, task: JsonObject) -> JsonObject:
    """The result of a task."""
    return await peer.result("tasks/result", {"taskId": task["taskId"]})


async def get(peer: Peer, task: JsonObject) -> JsonObject:
    """The task as it stands."""
    return await peer.result("tasks/get", {"taskId": task["taskId"]})


async def test_a_task_has_the_fields_of_the_specification_and_no_others(old: Peer) -> None:
    task = await start(old, steps=1, delay_s=60)

    assert task.keys() == {
        "taskId", "status", "statusMessage", "createdAt", "lastUpdatedAt", "ttl", "pollInterval",
    }  # fmt: skip
    assert task["status"] == "working"
    assert task["pollInterval"] == 1000
    for moment in ("createdAt", "lastUpdatedAt"):
        assert datetime.fromisoformat(str(task[moment])).utcoffset() is not None
        assert str(task[moment]).endswith("Z")


@pytest.mark.parametrize("wish", [5, "x", [], {"ttl": "long"}])
async def test_a_wish_that_cannot_be_read_is_a_protocol_error(old: Peer, engine: MemoryEngine, wish: Json) -> None:
    params: JsonObject = {"name": "walk", "arguments": {"steps": 1}, "task": wish}

    assert (await old.error("tools/call", params))["code"] == -32602
    assert not (await engine.list_runs("local")).runs


@pytest.mark.promise("tasks-2025-11-25")
async def test_the_result_of_a_task_is_that_of_the_plain_call(old: Peer) -> None:
    task = await start(old, steps=2)

    result = await ended(old, task)
    plain = await old.call("walk", steps=2)

    assert result["_meta"] == {"io.modelcontextprotocol/related-task": {"taskId": task["taskId"]}}
    assert result.keys() - {"_meta"} == plain.keys()
    assert structured(result, "result") == structured(plain, "result")
    assert structured(result, "run_id") == task["taskId"]
    assert result["isError"] is False
    assert (await get(old, task))["status"] == "completed"


async def test_the_result_is_waited_for_however_long_the_run_asks_or_works(old: Peer, engine: MemoryEngine) -> None:
    task = await start(old, steps=1, ask=True)
    waiting = await old.ask("tasks/result", {"taskId": task["taskId"]})
    run = await engine.wait(str(task["taskId"]), "local", TIMEOUT)
    assert (await get(old, task))["status"] == "input_required"
    assert waiting not in old.answers

    await engine.answer(run.run_id, "local", {run.questions[0].key: {"name": "Ada"}})

    assert "result" in await old.answer_to(waiting)


@pytest.mark.promise("tasks-2025-11-25")
async def test_a_crash_makes_the_task_fail_and_its_result_an_error(old: Peer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("CRITICAL"):
        task = await start(old, steps=1, crash=True)
        result = await ended(old, task)

    shown = await get(old, task)
    assert shown["status"] == "failed"
    assert str(task["taskId"]) in str(shown["statusMessage"])
    assert result["isError"] is True
    assert SECRET not in str(old.answers)


@pytest.mark.parametrize("arguments", [{"steps": 13}, {"steps": "x"}, {}, {"step": 1}])
@pytest.mark.promise("tasks-2025-11-25")
async def test_what_the_plain_call_would_refuse_ends_the_task_with_the_same_words(
    old: Peer, arguments: JsonObject
) -> None:
    task = await start(old, **arguments)

    result = await ended(old, task)
    plain = await old.call("walk", **arguments)
    error = document(plain)["error"]
    assert isinstance(error, dict)
    assert task["status"] == "failed"
    assert str(error["message"]) in str(task["statusMessage"])
    assert str(error["next"]) in str(task["statusMessage"])
    assert {name: value for name, value in result.items() if name != "_meta"} == plain


async def test_a_full_queue_ends_the_task(old: Peer, engine: MemoryEngine) -> None:
    for _ in range(5):
        await engine.start(StartRequest("walk", {"steps": 1, "delay_s": 60}, "local"))

    task = await start(old, steps=1)

    assert task["status"] == "failed"
    assert structured(await ended(old, task), "error", "type") == "queue_full"


@pytest.mark.parametrize(("tool", "code"), [("echo", -32601), ("get_run", -32601), ("nobody", -32602)])
async def test_a_task_of_a_tool_that_offers_none_is_a_protocol_error(old: Peer, tool: str, code: int) -> None:
    error = await old.error("tools/call", {"name": tool, "arguments": {}, "task": {}})

    assert error["code"] == code


@pytest.mark.promise("tasks-2025-11-25")
async def test_a_cancelled_task_is_cancelled_when_the_answer_comes_and_stays_so(old: Peer) -> None:
    task = await start(old, steps=1, delay_s=60)

    cancelled = await old.result("tasks/cancel", {"taskId": task["taskId"]})

    assert cancelled.keys() == task.keys()
    assert cancelled["status"] == "cancelled"
    assert structured(await ended(old, task), "status") == "cancelled"
    assert (await get(old, task))["status"] == "cancelled"


@pytest.mark.parametrize("how", ["completed", "cancelled", "failed"])
async def test_a_task_that_has_ended_cannot_be_cancelled(old: Peer, how: str) -> None:
    task = await start(old, steps=13 if how == "failed" else 0, delay_s=0)
    if how == "cancelled":
        task = await start(old, steps=1, delay_s=60)
        await old.result("tasks/cancel", {"taskId": task["taskId"]})
    await ended(old, task)

    error = await old.error("tasks/cancel", {"taskId": task["taskId"]})

    assert error["code"] == -32602
    assert error["message"] == f"Cannot cancel task: already in terminal status '{how}'"


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
async def test_an_unknown_and_a_foreign_task_look_the_same(old: Peer, engine: MemoryEngine, method: str) -> None:
    foreign = await engine.start(StartRequest("walk", {"steps": 0}, "somebody else"))

    errors = [await old.error(method, {"taskId": task_id}) for task_id in (foreign.run_id, "unknown", "")]

    assert errors == [{"code": -32602, "message": "Failed to retrieve task: Task not found"}] * 3


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
@pytest.mark.parametrize("params", [{}, {"taskId": None}, {"taskId": 5}, {"task_id": "x"}])
async def test_a_task_that_is_not_named_is_a_protocol_error(old: Peer, method: str, params: JsonObject) -> None:
    assert (await old.error(method, params))["code"] == -32602


async def test_all_runs_are_listed_as_tasks_in_pages(old: Peer, engine: MemoryEngine) -> None:
    await engine.start(StartRequest("walk", {"steps": 0}, "somebody else"))
    started = []
    for _ in range(51):
        run = await engine.start(StartRequest("walk", {"steps": 0}, "local"))
        started.append(run.run_id)
        await engine.wait(run.run_id, "local", TIMEOUT)

    first = await old.result("tasks/list")
    second = await old.result("tasks/list", {"cursor": first["nextCursor"]})

    assert isinstance(first["tasks"], list)
    assert isinstance(second["tasks"], list)
    tasks = [task for task in [*first["tasks"], *second["tasks"]] if isinstance(task, dict)]
    assert [task["taskId"] for task in tasks] == started[::-1]
    assert "nextCursor" not in second
    assert (await old.error("tasks/list", {"cursor": "not ours"}))["code"] == -32602


async def test_status_notifications_follow_the_task_to_its_end(old: Peer) -> None:
    task = await start(old, steps=2, delay_s=0.05)

    told = await old.note("notifications/tasks/status", taskId=task["taskId"], status="completed")

    assert told.keys() == task.keys()
    assert told == await get(old, task)


async def test_status_notifications_never_come_before_the_task_itself(old: Peer) -> None:
    number = await old.ask("tools/call", {"name": "walk", "arguments": {"steps": 0}, "task": {}})

    await old.note("notifications/tasks/status", status="completed")

    assert number in old.answers


async def test_the_progress_of_a_task_comes_under_the_token_of_its_call_in_the_words_of_its_status(old: Peer) -> None:
    params: JsonObject = {
        "name": "walk",
        "arguments": {"steps": 2, "delay_s": 1.1},
        "task": {},
        "_meta": {"progressToken": "t"},
    }
    number = await old.ask("tools/call", params)

    await old.note("notifications/tasks/status", status="completed")

    assert number in old.answers
    told = [note["params"] for note in old.notes if note["method"] == "notifications/progress"]
    shown = [note["params"] for note in old.notes if note["method"] == "notifications/tasks/status"]
    notes = [note for note in told if isinstance(note, dict)]
    assert {note["progressToken"] for note in notes} == {"t"}
    words = [note["message"] for note in notes]
    assert words == [state["statusMessage"] for state in shown if isinstance(state, dict)][:-1]
    assert words[-1] == "step 2/2"
    progress = [float(str(note["progress"])) for note in notes]
    assert progress == sorted(set(progress))


async def test_a_task_whose_call_had_no_token_gets_no_progress(old: Peer) -> None:
    await start(old, steps=1, delay_s=0.05)

    await old.note("notifications/tasks/status", status="completed")

    assert not [note for note in old.notes if note["method"] == "notifications/progress"]


async def test_a_flood_of_messages_becomes_one_notification_a_second(old: Peer) -> None:
    params: JsonObject = {
        "name": "walk",
        "arguments": {"steps": 10_000},
        "task": {},
        "_meta": {"progressToken": "t"},
    }
    await old.ask("tools/call", params)

    await old.note("notifications/tasks/status", status="completed")

    assert len([note for note in old.notes if str(note["method"]).startswith("notifications/")]) < 20


async def test_a_run_of_a_task_is_the_run_of_every_other_face(old: Peer, engine: MemoryEngine) -> None:
    task = await start(old, steps=1, delay_s=60)
    run_id = str(task["taskId"])

    assert structured(await old.call("get_run", run_id=run_id, wait_seconds=0), "status") == "working"
    await old.call("cancel_run", run_id=run_id)

    assert (await get(old, task))["status"] == "cancelled"
    assert (await engine.get(run_id, "local")).status is RunStatus.CANCELLED


async def test_a_cancel_of_the_request_that_waits_for_the_result_never_touches_the_run(
    old: Peer, engine: MemoryEngine
) -> None:
    task = await start(old, steps=1, delay_s=60)
    waiting = await old.ask("tasks/result", {"taskId": task["taskId"]})

    await old.cancel(waiting)
    await old.call("echo", value=1)

    assert (await engine.get(str(task["taskId"]), "local")).status is RunStatus.WORKING
    assert waiting not in old.answers


async def test_a_run_key_gives_the_same_task(old: Peer) -> None:
    with anyio.fail_after(TIMEOUT):
        first = await start(old, steps=1, delay_s=60, run_key="k")
        again = await start(old, steps=1, delay_s=60, run_key="k")

    assert first["taskId"] == again["taskId"]


@pytest.mark.promise("refused-calls-push-out-no-run")
async def test_refused_calls_push_out_no_run_and_keep_nothing_of_what_was_sent(
    peer: Peer, engine: MemoryEngine
) -> None:
    good = structured(await peer.call("walk", steps=1), "run_id")

    given: JsonObject = {"step": "x" * 1_000, "agent": "x" * 1_000}
    answers = [await peer.result("tools/call", {"name": "walk", "arguments": given, "task": {}}) for _ in range(1_001)]

    assert structured(await peer.call("get_run", run_id=good), "status") == "completed"
    runs = (await engine.list_runs("local", limit=200)).runs
    assert len(runs) == 101
    assert all(len(str(run.arguments)) + len(run.agent) < 100 for run in runs)
    task = answers[-1]["task"]
    assert isinstance(task, dict)
    assert (await peer.result("tasks/get", {"taskId": task["taskId"]}))["status"] == "failed"
