"""The counter: what it asks on its way, and that it comes to the same on every face."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from handrail.agents import built_in_agents, counter_agent
from handrail.agents.tools import agent_tools
from handrail.decisions import built_in_models
from handrail.json_types import Json, JsonObject
from handrail.protocol import WaitPolicy, create_server
from handrail.runs import MemoryEngine, Run, RunStatus, StartRequest
from tests.agents.attempts import Attempt, Kept, Series
from tests.agents.games import OWNER, asked, engine_for, result_of
from tests.agents.records import record_of, timeless
from tests.protocol.peer import Era, Peer, connected, structured

pytestmark = pytest.mark.unit

YES: JsonObject = {"go_on": True}
NO: JsonObject = {"go_on": False}
ASKING: JsonObject = {"steps": 4, "delay_s": 0, "ask_at": 2, "ask_seconds": 20}


def _asking(**params: Json) -> StartRequest:
    request = asked("counter")
    return replace(request, arguments={**request.arguments, "params": {**ASKING, **params}})


async def _answered(engine: MemoryEngine, answer: JsonObject | None) -> tuple[Run, Run]:
    """The run when it asked, and as it ended after this answer; None declines."""
    run_id = (await engine.start(_asking())).run_id
    asking = await engine.wait(run_id, OWNER, 10)
    (question,) = asking.questions
    if answer is None:
        await engine.decline(run_id, OWNER, [question.key])
    else:
        await engine.answer(run_id, OWNER, {question.key: answer})
    return asking, await engine.wait(run_id, OWNER, 10)


async def test_the_counter_asks_and_goes_on_when_it_is_told_to() -> None:
    async with engine_for(built_in_agents()) as engine:
        asking, run = await _answered(engine, YES)

    assert asking.status is RunStatus.INPUT_REQUIRED
    assert asking.questions[0].message == "Counted to 2 of 4. Go on?"
    assert (result_of(run)["ok"], result_of(run)["count"], result_of(run)["error"]) == (True, 4, None)


@pytest.mark.promise("unanswered-questions-end-with-the-reason")
@pytest.mark.parametrize(
    ("answer", "reason"), [(NO, "Stopped at 2 of 4, as was answered."), (None, "The question was declined.")]
)
async def test_a_no_and_a_declined_question_end_the_count_with_the_reason(
    answer: JsonObject | None, reason: str
) -> None:
    async with engine_for(built_in_agents()) as engine:
        _, run = await _answered(engine, answer)

    assert run.status is RunStatus.COMPLETED
    assert (result_of(run)["ok"], result_of(run)["count"], result_of(run)["error"]) == (False, 2, reason)


@pytest.mark.promise("unanswered-questions-end-with-the-reason")
async def test_a_question_that_nobody_answers_ends_the_count_in_time() -> None:
    async with engine_for(built_in_agents()) as engine:
        run_id = (await engine.start(_asking(ask_seconds=0.01))).run_id
        async with engine.watch(run_id, OWNER) as changes:
            seen = [run async for run in changes]

    assert (result_of(seen[-1])["ok"], result_of(seen[-1])["count"]) == (False, 2)
    assert result_of(seen[-1])["error"] == "Nobody answered within 0.01 s."
    assert seen[-1].status is RunStatus.COMPLETED


@pytest.mark.parametrize("ask_at", [None, 4, 5])
async def test_nothing_is_asked_where_nothing_is_left_to_count(ask_at: int | None) -> None:
    async with engine_for(built_in_agents()) as engine:
        run_id = (await engine.start(_asking(ask_at=ask_at))).run_id
        run = await engine.wait(run_id, OWNER, 10)

    assert (run.status, result_of(run)["count"]) == (RunStatus.COMPLETED, 4)


async def test_a_cancel_ends_a_count_that_waits_for_its_answer() -> None:
    async with engine_for(built_in_agents()) as engine:
        run_id = (await engine.start(_asking())).run_id
        await engine.wait(run_id, OWNER, 10)
        await engine.cancel(run_id, OWNER)
        await anyio.wait_all_tasks_blocked()
        run = await engine.get(run_id, OWNER)

    assert (run.status, run.questions) == (RunStatus.CANCELLED, ())


@pytest.mark.promise("answers-survive-a-crash")
async def test_an_answer_that_was_given_is_not_asked_for_again_after_a_crash(tmp_path: Path) -> None:
    series = Series(counter_agent(), params=ASKING, model="rule", episodes=2)
    calm = Attempt(Kept(tmp_path / "calm"), answer=YES)
    expected = await series.attempt(calm)
    assert expected is not None
    for point in range(calm.effects):
        kept = Kept(tmp_path / str(point))
        await series.attempt(Attempt(kept, lives_for=point, answer=YES))
        answered = [name for name in kept.saved if name.startswith("answer-")]
        asked_before = len(kept.questions)
        result = await series.attempt(Attempt(kept, answer=YES))

        assert result is not None
        assert timeless(result) == timeless(expected)
        assert len(kept.questions) - asked_before == 2 - len(answered)


@asynccontextmanager
async def _served(records: Path, era: Era) -> AsyncIterator[tuple[Peer, MemoryEngine]]:
    agents, models = built_in_agents(), built_in_models()
    async with engine_for(agents, models=models, records=records) as engine:
        tools = agent_tools(agents, models)
        server = create_server(tools, engine=engine, name="t", version="1", instructions="", wait=WaitPolicy())
        async with connected(server, era) as peer:
            yield peer, engine


async def _as_called(records: Path, era: Era, arguments: JsonObject, **more: Json) -> tuple[Json, JsonObject]:
    """The summary and the record of one `run_agent`, called in the way of this generation."""
    async with _served(records, era) as (peer, engine):
        result = await peer.result("tools/call", {"name": "run_agent", "arguments": arguments, **more})
        (run,) = (await engine.list_runs("local")).runs
        await engine.wait(run.run_id, "local", 10)
        if era is Era.MODERN_TASKS:
            shown = (await peer.result("tasks/get", {"taskId": run.run_id}))["result"]
            assert isinstance(shown, dict)
            result = shown
        elif more:
            result = await peer.result("tasks/result", {"taskId": run.run_id})
    return timeless(structured(result, "result")), record_of(records / run.run_id)


@pytest.mark.promise("a-task-is-the-plain-call")
async def test_a_count_as_a_task_has_the_summary_and_the_record_of_the_plain_call(tmp_path: Path) -> None:
    params: JsonObject = {"steps": 3, "delay_s": 0}
    arguments: JsonObject = {"agent": "counter", "params": params, "episodes": 2, "seed": 7, "wait_seconds": 10}
    plain = await _as_called(tmp_path / "plain", Era.V2025_06, arguments)
    legacy = await _as_called(tmp_path / "legacy", Era.V2025_11, arguments, task={})
    modern = await _as_called(tmp_path / "modern", Era.MODERN_TASKS, arguments)

    assert plain == legacy == modern
    assert len([name for name in plain[1] if name.endswith("ticks.jsonl")]) == 2
