"""Runs as plain calls: for every client that knows nothing of tasks, and for those that do not ask for one."""

import anyio
import pytest

from handrail.json_types import JsonObject
from handrail.protocol import HandrailServer, WaitPolicy
from handrail.runs import MemoryEngine, Run, RunStatus
from tests.protocol.peer import TIMEOUT, Era, Peer, connected, document, structured
from tests.protocol.sample_tools import SECRET

pytestmark = pytest.mark.unit

PLAIN = [Era.V2024, Era.V2025_06, Era.V2025_11, Era.MODERN]
EVERY_PLAIN_ERA = pytest.mark.parametrize("era", PLAIN, ids=lambda era: era.value)
EVERY_ERA = pytest.mark.parametrize("era", list(Era), ids=lambda era: era.value)


async def only_run(engine: MemoryEngine) -> Run:
    """The one run that there is; waits until there is one."""
    with anyio.fail_after(TIMEOUT):
        while not (page := await engine.list_runs("local")).runs:
            await anyio.lowlevel.checkpoint()
    return page.runs[0]


async def until_cancelled(engine: MemoryEngine, run: Run) -> None:
    """Return once the run is cancelled. Looks, and does not wait for the run: who waits for one keeps it alive."""
    with anyio.fail_after(TIMEOUT):
        while (await engine.get(run.run_id, run.owner)).status is not RunStatus.CANCELLED:
            await anyio.lowlevel.checkpoint()


@EVERY_ERA
@pytest.mark.promise("fast-run-inline")
async def test_a_fast_run_answers_inline(peer: Peer) -> None:
    result = await peer.call("walk", steps=2)

    assert result["isError"] is False
    assert result.get("resultType") in {None, "complete"}
    view = document(result)
    assert view["status"] == "completed"
    assert view["result"] == {"ok": True, "steps": 2, "asked": "None"}
    assert view["next"] is None


@EVERY_PLAIN_ERA
@pytest.mark.promise("early-return-is-no-error")
async def test_a_long_run_answers_early_and_not_as_an_error(peer: Peer) -> None:
    result = await peer.call("walk", steps=1, delay_s=60, wait_seconds=0)

    view = document(result)
    assert result["isError"] is False
    assert view["status"] == "working"
    assert view["next"] == {"tool": "get_run", "arguments": {"run_id": view["run_id"], "wait_seconds": 20}}


@EVERY_PLAIN_ERA
async def test_a_run_that_answered_early_goes_on_and_can_be_waited_for(peer: Peer) -> None:
    started = await peer.call("walk", steps=1, delay_s=0.2, wait_seconds=0)

    ended = await peer.call("get_run", run_id=structured(started, "run_id"), wait_seconds=30)

    assert structured(ended, "status") == "completed"


@pytest.mark.parametrize("wait", [WaitPolicy(default_s=0)])
async def test_the_setting_says_how_long_a_call_waits(peer: Peer, wait: WaitPolicy) -> None:
    assert wait.default_s == 0

    result = await peer.call("walk", steps=1, delay_s=60)

    assert structured(result, "status") == "working"


@EVERY_PLAIN_ERA
async def test_a_waiting_call_reports_what_the_run_says(peer: Peer) -> None:
    meta: JsonObject = {"progressToken": "t"}
    arguments: JsonObject = {"steps": 1, "delay_s": 60, "wait_seconds": 1.2}

    await peer.result("tools/call", {"name": "walk", "arguments": arguments, "_meta": meta})

    notes = [note["params"] for note in peer.notes if note["method"] == "notifications/progress"]
    assert notes
    assert all(isinstance(note, dict) and note["message"] == "step 1/1" for note in notes)
    progress = [float(str(note["progress"])) for note in notes if isinstance(note, dict)]
    assert progress == sorted(set(progress))


@EVERY_ERA
@pytest.mark.parametrize(("steps", "kind"), [(13, "usage"), (-1, "argument_invalid")])
async def test_what_a_run_cannot_be_started_with_is_an_error_result(peer: Peer, steps: int, kind: str) -> None:
    result = await peer.call("walk", steps=steps)

    assert result["isError"] is True
    assert structured(result, "error", "type") == kind


@EVERY_ERA
async def test_a_crash_is_an_error_that_shows_the_run_and_no_secret(
    peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("CRITICAL"):
        result = await peer.call("walk", steps=1, crash=True)

    assert result["isError"] is True
    view = document(result)
    assert (view["status"], view["reason"]) == ("failed", "crashed")
    assert SECRET not in str(result)


@EVERY_ERA
async def test_a_full_queue_is_an_error_result(peer: Peer, engine: MemoryEngine) -> None:
    for _ in range(5):
        await peer.call("walk", steps=1, delay_s=60, wait_seconds=0)

    result = await peer.call("walk", steps=1)

    assert result["isError"] is True
    assert structured(result, "error", "type") == "queue_full"
    assert len((await engine.list_runs("local")).runs) == 5


@EVERY_PLAIN_ERA
@pytest.mark.promise("cancel-frees-the-slot")
async def test_a_cancel_of_a_waiting_call_cancels_the_run(peer: Peer, engine: MemoryEngine) -> None:
    call = await peer.ask("tools/call", {"name": "walk", "arguments": {"steps": 1, "delay_s": 60, "wait_seconds": 40}})
    run = await only_run(engine)

    await peer.cancel(call)

    await until_cancelled(engine, run)
    await peer.call("echo", value=1)
    assert call not in peer.answers


@EVERY_PLAIN_ERA
@pytest.mark.parametrize("cancelled", ["first", "second"])
@pytest.mark.promise("cancel-spares-others-runs")
async def test_a_cancel_of_one_of_two_calls_with_one_run_key_leaves_the_run_to_the_other(
    peer: Peer, engine: MemoryEngine, cancelled: str
) -> None:
    arguments: JsonObject = {"steps": 1, "delay_s": 0.5, "wait_seconds": 40, "run_key": "k"}
    calls = {
        name: await peer.ask("tools/call", {"name": "walk", "arguments": arguments}) for name in ("first", "second")
    }
    await peer.call("echo", value="both wait by now")
    other = calls["second" if cancelled == "first" else "first"]

    await peer.cancel(calls[cancelled])

    answer = (await peer.answer_to(other))["result"]
    assert isinstance(answer, dict)
    assert structured(answer, "status") == "completed"
    assert len((await engine.list_runs("local")).runs) == 1


@EVERY_PLAIN_ERA
@pytest.mark.promise("cancel-spares-others-runs")
async def test_a_cancel_of_a_call_that_was_given_anothers_run_never_ends_it(peer: Peer, engine: MemoryEngine) -> None:
    arguments: JsonObject = {"steps": 1, "delay_s": 60, "run_key": "k"}
    started = await peer.call("walk", **arguments, wait_seconds=0)
    again = await peer.ask("tools/call", {"name": "walk", "arguments": {**arguments, "wait_seconds": 40}})
    await peer.call("echo", value="it waits by now")

    await peer.cancel(again)
    await peer.call("echo", value="it is cancelled by now")

    assert (await engine.get(str(structured(started, "run_id")), "local")).status is RunStatus.WORKING


@EVERY_PLAIN_ERA
@pytest.mark.promise("cancel-spares-others-runs")
async def test_a_cancel_of_the_starting_call_leaves_the_run_to_a_get_run_that_waits(peer: Peer) -> None:
    started = await peer.ask(
        "tools/call", {"name": "walk", "arguments": {"steps": 1, "delay_s": 0.5, "wait_seconds": 40}}
    )
    listed = structured(await peer.call("list_runs"), "runs")
    assert isinstance(listed, list)
    assert isinstance(listed[0], dict)
    waits = await peer.ask(
        "tools/call", {"name": "get_run", "arguments": {"run_id": listed[0]["run_id"], "wait_seconds": 40}}
    )
    await peer.call("echo", value="it waits by now")

    await peer.cancel(started)

    answer = (await peer.answer_to(waits))["result"]
    assert isinstance(answer, dict)
    assert structured(answer, "status") == "completed"


@pytest.mark.parametrize("wait", [WaitPolicy(detach_on_cancel=True)])
async def test_the_setting_lets_the_run_of_a_cancelled_call_go_on(
    peer: Peer, engine: MemoryEngine, wait: WaitPolicy
) -> None:
    assert wait.detach_on_cancel
    call = await peer.ask("tools/call", {"name": "walk", "arguments": {"steps": 1, "delay_s": 60, "wait_seconds": 40}})
    run = await only_run(engine)

    await peer.cancel(call)
    await peer.call("echo", value=1)

    assert (await engine.get(run.run_id, "local")).status is RunStatus.WORKING


@EVERY_ERA
@pytest.mark.promise("late-cancel-harmless")
async def test_a_late_cancel_of_an_answered_call_never_touches_the_run(peer: Peer, engine: MemoryEngine) -> None:
    call = await peer.ask("tools/call", {"name": "walk", "arguments": {"steps": 1, "delay_s": 60, "wait_seconds": 0}})
    await peer.answer_to(call)
    run = await only_run(engine)

    await peer.cancel(call)
    await peer.call("echo", value=1)

    assert (await engine.get(run.run_id, "local")).status is RunStatus.WORKING


@EVERY_PLAIN_ERA
async def test_a_cancelled_get_run_never_touches_the_run(peer: Peer, engine: MemoryEngine) -> None:
    started = await peer.call("walk", steps=1, delay_s=60, wait_seconds=0)
    run_id = str(structured(started, "run_id"))
    call = await peer.ask("tools/call", {"name": "get_run", "arguments": {"run_id": run_id, "wait_seconds": 40}})
    await peer.call("echo", value=1)

    await peer.cancel(call)
    await peer.call("echo", value=1)

    assert call not in peer.answers
    assert (await engine.get(run_id, "local")).status is RunStatus.WORKING


@EVERY_PLAIN_ERA
@pytest.mark.promise("run-outlives-connection")
async def test_a_run_outlives_the_connection_whose_call_waits_for_it(
    server: HandrailServer, engine: MemoryEngine, era: Era
) -> None:
    async with connected(server, era) as peer:
        await peer.ask("tools/call", {"name": "walk", "arguments": {"steps": 1, "delay_s": 60, "wait_seconds": 40}})
        run = await only_run(engine)
        server.begin_shutdown()

    assert (await engine.get(run.run_id, "local")).status is RunStatus.WORKING


@EVERY_PLAIN_ERA
async def test_the_same_run_key_gives_the_same_run(peer: Peer) -> None:
    first = await peer.call("walk", steps=1, delay_s=60, run_key="k", wait_seconds=0)
    again = await peer.call("walk", steps=1, delay_s=60, run_key="k", wait_seconds=0.01)
    other = await peer.call("walk", steps=2, delay_s=60, run_key="k", wait_seconds=0)

    assert structured(first, "run_id") == structured(again, "run_id")
    assert structured(other, "error", "type") == "run_key_reused"
