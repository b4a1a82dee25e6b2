"""How long a task is said to be kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.json_types import Json, JsonObject
from handrail.protocol import HandrailServer
from handrail.runs import KEPT_FOR, RUN_TIME_LIMIT, MemoryEngine, StartRequest, granted_ttl_ms
from tests.protocol.peer import Era, Peer, connected

pytestmark = pytest.mark.unit

HOUR_MS = 3_600_000
LONGEST_MS = 6 * HOUR_MS + 7 * 24 * HOUR_MS


async def start(peer: Peer, wish: JsonObject, **arguments: Json) -> JsonObject:
    """Start a walk as a task of 2025-11-25: the task."""
    params: JsonObject = {"name": "walk", "arguments": {"steps": 0, **arguments}, "task": wish}
    task = (await peer.result("tools/call", params))["task"]
    assert isinstance(task, dict)
    return task


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        (-1, HOUR_MS),
        (0, HOUR_MS),
        (60_000, HOUR_MS),
        (HOUR_MS, HOUR_MS),
        (2 * HOUR_MS, 2 * HOUR_MS),
        (7_200_000.0, 2 * HOUR_MS),
        (LONGEST_MS + 1, LONGEST_MS),
        (10**18, LONGEST_MS),
        (None, LONGEST_MS),
    ],
)
@pytest.mark.promise("ttl-holds")
async def test_a_client_gets_the_time_it_asks_for_within_bounds_and_hears_the_same_later(
    old: Peer, asked: float | None, granted: int
) -> None:
    task = await start(old, {"ttl": asked}, delay_s=0.05, steps=1)

    listed = (await old.result("tasks/list"))["tasks"]
    assert isinstance(listed, list)
    shown = [task, await old.result("tasks/get", {"taskId": task["taskId"]}), listed[0]]
    told = await old.note("notifications/tasks/status", taskId=task["taskId"], status="completed")

    assert {state["ttl"] for state in [*shown, told] if isinstance(state, dict)} == {granted}


async def test_a_client_that_asks_for_no_time_gets_the_longest(old: Peer) -> None:
    assert (await start(old, {}))["ttl"] == LONGEST_MS


@pytest.mark.parametrize("wish", ["60000", "long", True, 1.5, [], {}])
async def test_a_time_that_is_no_whole_number_is_a_protocol_error(old: Peer, engine: MemoryEngine, wish: Json) -> None:
    params: JsonObject = {"name": "walk", "arguments": {"steps": 0}, "task": {"ttl": wish}}

    assert (await old.error("tools/call", params))["code"] == -32602
    assert not (await engine.list_runs("local")).runs


@pytest.mark.promise("ttl-holds")
async def test_the_extension_says_the_time_of_the_budget_and_of_the_keeping(new: Peer) -> None:
    task = await new.call("walk", steps=1, delay_s=60)

    assert task["ttlMs"] == LONGEST_MS
    assert (await new.result("tasks/get", {"taskId": task["taskId"]}))["ttlMs"] == LONGEST_MS


async def test_both_generations_say_the_same_of_one_run(server: HandrailServer, old: Peer) -> None:
    task = await start(old, {"ttl": 2 * HOUR_MS}, steps=1, delay_s=60)

    async with connected(server, Era.MODERN_TASKS) as new:
        assert (await new.result("tasks/get", {"taskId": task["taskId"]}))["ttlMs"] == 2 * HOUR_MS


async def test_a_run_that_is_kept_for_ever_has_no_end_of_its_time(
    server: HandrailServer, old: Peer, engine: MemoryEngine
) -> None:
    run = await engine.start(StartRequest("walk", {"steps": 0}, "local"))
    await engine.keep(run.run_id, "local")

    task = await old.result("tasks/get", {"taskId": run.run_id})
    assert task["ttl"] is None
    async with connected(server, Era.MODERN_TASKS) as new:
        modern = await new.result("tasks/get", {"taskId": run.run_id})
        assert "ttlMs" in modern
        assert modern["ttlMs"] is None


@given(st.integers() | st.none())
def test_what_is_granted_is_never_under_an_hour_and_never_over_what_is_true(asked: int | None) -> None:
    granted = granted_ttl_ms(asked)

    assert (granted is None) == (asked is None)
    assert granted is None or HOUR_MS <= granted <= (RUN_TIME_LIMIT + KEPT_FOR).total_seconds() * 1_000
