"""`subscriptions/listen`: what happens to tasks, told as it happens."""

import pytest

from handrail.json_types import Json, JsonObject
from handrail.protocol import create_server
from handrail.protocol.subscriptions import MAX_TASKS
from handrail.runs import MemoryEngine, RunStatus, StartRequest
from tests.protocol.peer import TIMEOUT, Era, Peer, connected, structured

pytestmark = pytest.mark.unit

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


async def listen(peer: Peer, **wanted: Json) -> int:
    """Open a stream: its id."""
    return await peer.ask("subscriptions/listen", {"notifications": wanted})


async def started(engine: MemoryEngine, owner: str = "local", **arguments: Json) -> str:
    """A run's id."""
    return (await engine.start(StartRequest("walk", {"steps": 1, "delay_s": 60, **arguments}, owner))).run_id


async def test_the_first_frame_says_which_tasks_are_watched(new: Peer, engine: MemoryEngine) -> None:
    mine, foreign = await started(engine), await started(engine, "somebody else")

    stream = await listen(new, taskIds=[mine, foreign, "unknown", mine], toolsListChanged=True)

    frame = await new.note(ACKNOWLEDGED)
    assert new.notes[0]["method"] == ACKNOWLEDGED
    assert frame == {"notifications": {"taskIds": [mine]}, "_meta": {SUBSCRIPTION: stream}}


@pytest.mark.promise("tasks-extension")
async def test_a_task_is_told_of_now_and_at_its_end_and_then_the_stream_ends(new: Peer, engine: MemoryEngine) -> None:
    run_id = await started(engine)
    stream = await listen(new, taskIds=[run_id])
    now = await new.note("notifications/tasks", taskId=run_id)
    assert now["status"] == "working"

    await engine.cancel(run_id, "local")

    end = await new.note("notifications/tasks", taskId=run_id, status="cancelled")
    assert end["_meta"] == {SUBSCRIPTION: stream}
    answer = await new.answer_to(stream)
    assert isinstance(answer["result"], dict)
    assert answer["result"]["resultType"] == "complete"
    assert isinstance(answer["result"]["_meta"], dict)
    assert answer["result"]["_meta"][SUBSCRIPTION] == stream


async def test_the_last_notification_says_what_tasks_get_says(new: Peer, engine: MemoryEngine) -> None:
    run_id = await started(engine, delay_s=0.05)
    await listen(new, taskIds=[run_id])

    told = await new.note("notifications/tasks", taskId=run_id, status="completed")

    shown = await new.result("tasks/get", {"taskId": run_id})
    assert {k: v for k, v in told.items() if k != "_meta"} == {
        k: v for k, v in shown.items() if k not in {"_meta", "resultType"}
    }
    assert isinstance(told["result"], dict)
    assert structured(told["result"], "run_id") == run_id


async def test_several_tasks_are_told_of_on_one_stream(new: Peer, engine: MemoryEngine) -> None:
    ids = [await started(engine, delay_s=0.05) for _ in range(3)]

    stream = await listen(new, taskIds=list(ids))

    for run_id in ids:
        await new.note("notifications/tasks", taskId=run_id, status="completed")
    assert "result" in await new.answer_to(stream)


async def test_a_question_is_told_of(new: Peer, engine: MemoryEngine) -> None:
    run_id = await started(engine, ask=True)
    await listen(new, taskIds=[run_id])

    told = await new.note("notifications/tasks", taskId=run_id, status="input_required")

    assert isinstance(told["inputRequests"], dict)
    assert len(told["inputRequests"]) == 1


async def test_a_stream_that_is_taken_back_ends_and_leaves_the_run_alone(new: Peer, engine: MemoryEngine) -> None:
    run_id = await started(engine)
    stream = await listen(new, taskIds=[run_id])
    await new.note("notifications/tasks", taskId=run_id)

    await new.cancel(stream)
    await new.call("echo", value=1)

    assert stream not in new.answers
    assert (await engine.get(run_id, "local")).status is RunStatus.WORKING


@pytest.mark.parametrize("era", [Era.MODERN, Era.MODERN_TASKS], ids=lambda era: era.value)
async def test_a_stream_without_tasks_is_open_and_promises_nothing(peer: Peer) -> None:
    stream = await listen(peer, toolsListChanged=True)

    assert (await peer.note(ACKNOWLEDGED))["notifications"] == {}
    assert stream not in peer.answers


@pytest.mark.parametrize("era", [Era.MODERN])
async def test_tasks_are_told_of_only_to_a_client_that_declares_the_extension(peer: Peer, engine: MemoryEngine) -> None:
    wanted: JsonObject = {"notifications": {"taskIds": [await started(engine)]}}

    error = await peer.error("subscriptions/listen", wanted)

    assert error["code"] == -32021
    assert peer.notes == []


@pytest.mark.parametrize("ids", ["x", 5, [5], [None], {"a": 1}, ["x"] * (MAX_TASKS + 1)])
async def test_ids_that_cannot_be_are_a_protocol_error(new: Peer, ids: Json) -> None:
    error = await new.error("subscriptions/listen", {"notifications": {"taskIds": ids}})

    assert error["code"] == -32602


async def test_without_runs_no_task_is_watched() -> None:
    async with connected(create_server([]), Era.MODERN_TASKS) as peer:
        stream = await listen(peer, taskIds=["x"])

        assert (await peer.note(ACKNOWLEDGED))["notifications"] == {"taskIds": []}
        assert "result" in await peer.answer_to(stream)


async def test_streams_are_bounded_and_a_closed_one_makes_room(
    new: Peer, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handrail.protocol.subscriptions.MAX_STREAMS", 1)
    run_id = await started(engine)
    first = await listen(new, taskIds=[run_id])
    await new.note("notifications/tasks", taskId=run_id)

    refused = await new.error("subscriptions/listen", {"notifications": {"taskIds": [run_id]}})
    await new.cancel(first)
    await new.call("echo", value=1)
    await engine.cancel(run_id, "local")

    assert refused["code"] == -32603
    assert "result" in await new.answer_to(await listen(new, taskIds=[run_id]))


async def test_a_watched_run_is_told_of_about_once_a_second(new: Peer, engine: MemoryEngine) -> None:
    run_id = await started(engine, steps=200, delay_s=0.002)
    stream = await listen(new, taskIds=[run_id])

    await new.answer_to(stream)
    await engine.wait(run_id, "local", TIMEOUT)

    assert sum(note["method"] == "notifications/tasks" for note in new.notes) <= 3
