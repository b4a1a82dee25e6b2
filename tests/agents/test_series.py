"""The one loop: what a series does, says, and leaves behind."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from handrail.agents import AgentRegistry, built_in_agents
from handrail.agents.loop import Game, play_series
from handrail.decisions import (
    ModelEntry,
    ModelRegistry,
    ModelUnreachableError,
    Observation,
    Question,
    RandomModel,
    Reply,
)
from handrail.errors import RefusedError
from handrail.json_types import Json
from handrail.runs import RunReason, RunStatus
from tests.agents.games import OWNER, Walk, asked, ended, engine_for, result_of, walking
from tests.agents.records import timeless

pytestmark = pytest.mark.unit

SUMMARY = {
    "ok", "error", "env", "policy", "model", "seed", "episodes", "scored", "mean_score", "mean_score_ci95", "wins",
    "losses", "mean_steps", "mean_elapsed_s", "decisions", "median_decision_ms", "chat_calls", "jev_input_tokens",
    "chat_input_tokens", "chat_output_tokens", "chat_cache_tokens", "invalid_keys", "cost_usd", "rethinks", "errors",
    "total_s", "job_dir",
}  # fmt: skip


class _Away(RandomModel):
    async def decide(self, observation: Observation, questions: Mapping[str, Question]) -> Reply:
        if observation.state == {"steps": 1}:
            raise ModelUnreachableError("The model is away.", model="away")
        return await super().decide(observation, questions)


async def test_the_counter_counts_and_says_so(tmp_path: Path) -> None:
    messages: list[str] = []
    async with engine_for(built_in_agents(), records=tmp_path) as engine:
        run = await engine.start(asked("counter", steps=3, delay_s=0))
        async with engine.watch(run.run_id, OWNER) as changes:
            async for change in changes:
                messages.append(change.message)
    result = result_of(change)

    assert (result["ok"], result["count"], result["error"]) == (True, 3, None)
    assert set(result) == SUMMARY | {"count"}
    assert result["job_dir"] == str(tmp_path / run.run_id)
    assert messages[-2:] == ["episode 1/1, step 3/3: counted 3", "done"]


async def test_each_episode_has_the_next_seed_and_the_figures_add_up() -> None:
    acts: list[int] = []
    async with engine_for(AgentRegistry([walking(acts)])) as engine:
        result = result_of(await ended(engine, asked("walk", episodes=4, seed=10)))

    assert acts == [seed for seed in range(10, 14) for _ in range(3)]
    assert result["job_dir"] is None
    expected = {"episodes": 4, "scored": 4, "mean_score": 3, "mean_score_ci95": [3, 3], "wins": 4, "losses": 0}
    expected |= {"mean_steps": 3, "decisions": 12, "errors": 0, "cost_usd": 0.0, "policy": "rule", "env": "walk"}
    assert {name: result[name] for name in expected} == expected


async def test_the_job_folder_holds_what_evaluation_tools_read(tmp_path: Path) -> None:
    async with engine_for(built_in_agents(), records=tmp_path) as engine:
        run = await ended(engine, asked("counter", episodes=2, seed=5, steps=2, delay_s=0))
    job = tmp_path / run.run_id
    first, second = sorted(path.parent for path in job.glob("counter--*__???????/result.json"))
    trial = second / "result.json"
    ticks = _at(second / "agent/episode.json", "decisions")

    assert _at(job / "summary.json") == run.result
    assert _at(job / "config.json") == {
        "job_name": run.run_id,
        "agents": [{"name": "handrail/rule", "model_name": "rule"}],
        "datasets": [{"name": "counter", "n_tasks": 2}],
    }
    assert _at(job / "result.json", "stats") == {
        "n_completed_trials": 2,
        "n_errored_trials": 0,
        "n_running_trials": 0,
        "n_pending_trials": 0,
        "n_cancelled_trials": 0,
        "n_retries": 0,
    }
    assert first.name.startswith("counter--0__")
    assert (_at(trial, "task_name"), _at(trial, "trial_name")) == ("counter/6", second.name)
    assert _at(trial, "verifier_result") == {"rewards": {"reward": 2.0}}
    assert _at(trial, "exception_info") is None
    assert _at(trial, "agent_result", "metadata", "usage_known") is True
    assert _at(trial, "agent_execution", "finished_at")
    lines = (second / "agent/ticks.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == ticks
    assert isinstance(ticks, list)
    figures = [[tick[name] for name in ("step", "key", "confidence")] for tick in ticks if isinstance(tick, dict)]
    assert figures == [[1, "count", 1.0], [2, "count", 1.0]]


@pytest.mark.promise("no-act-after-cancel")
async def test_a_cancelled_run_writes_no_further_act(tmp_path: Path) -> None:
    acts: list[int] = []
    third = anyio.Event()

    def act(walk: Walk) -> None:
        if walk.steps == 3:
            third.set()

    agents = AgentRegistry([walking(acts, act=act, max_steps=10_000)])
    async with engine_for(agents, records=tmp_path) as engine:
        run = await engine.start(asked("walk", episodes=5))
        await third.wait()
        await engine.cancel(run.run_id, OWNER)
        at_the_ack = len(acts)
        await anyio.wait_all_tasks_blocked()
        later = await engine.get(run.run_id, OWNER)
    job = tmp_path / run.run_id
    (trial,) = (path for path in job.iterdir() if path.name.startswith("walk--"))

    assert len(acts) == at_the_ack >= 3
    assert len((trial / "agent/ticks.jsonl").read_text().splitlines()) == at_the_ack
    assert later.status is RunStatus.CANCELLED
    assert _at(trial / "result.json", "exception_info", "error") == "broken off"
    assert _at(job / "result.json", "stats", "n_cancelled_trials") == 5


async def test_a_decision_that_comes_after_the_cancel_is_not_acted_on(tmp_path: Path) -> None:
    asked_for, may_answer = anyio.Event(), anyio.Event()
    acts: list[int] = []

    class Unstoppable(RandomModel):
        async def decide(self, observation: Observation, questions: Mapping[str, Question]) -> Reply:
            with anyio.CancelScope(shield=True):
                asked_for.set()
                await may_answer.wait()
            return await super().decide(observation, questions)

    models = ModelRegistry([ModelEntry("slow", "Cannot be stopped.", lambda setup: Unstoppable(setup.seed))])
    async with engine_for(AgentRegistry([walking(acts)]), models=models, records=tmp_path) as engine:
        run = await engine.start(asked("walk", model="slow"))
        await asked_for.wait()
        await engine.cancel(run.run_id, OWNER)
        may_answer.set()
        await anyio.wait_all_tasks_blocked()

    assert acts == []
    assert not _ticks(tmp_path)


async def test_a_tick_is_on_disk_before_its_act(tmp_path: Path) -> None:
    seen: list[int] = []

    def act(_walk: Walk) -> None:
        (ticks,) = _ticks(tmp_path)
        seen.append(len(ticks.read_text().splitlines()))

    async with engine_for(AgentRegistry([walking([], act=act)]), records=tmp_path) as engine:
        await ended(engine, asked("walk"))

    assert seen == [1, 2, 3]


async def test_a_model_that_fails_ends_the_episode_and_the_run_completes_without_ok() -> None:
    models = ModelRegistry([ModelEntry("away", "Not there.", lambda setup: _Away(setup.seed))])
    async with engine_for(AgentRegistry([walking([])]), models=models) as engine:
        run = await ended(engine, asked("walk", model="away", episodes=2))
    result = result_of(run)

    assert run.status is RunStatus.COMPLETED
    assert (result["ok"], result["errors"], result["error"]) == (False, 2, "The model is away.")
    assert (result["episodes"], result["scored"], result["mean_score"]) == (2, 0, None)


async def test_an_act_that_is_refused_ends_its_episode_only(tmp_path: Path) -> None:
    def act(walk: Walk) -> None:
        if walk.seed == 0:
            raise RefusedError("Not allowed.")

    async with engine_for(AgentRegistry([walking([], act=act)]), records=tmp_path) as engine:
        run = await ended(engine, asked("walk", episodes=2))
    job = tmp_path / run.run_id
    errors = {path.name[:7]: _at(path / "result.json", "exception_info") for path in job.glob("walk--*")}

    assert (result_of(run)["errors"], result_of(run)["scored"], run.status) == (1, 1, RunStatus.COMPLETED)
    assert errors == {"walk--0": {"error": "Not allowed."}, "walk--1": None}


@pytest.mark.logs_errors
async def test_a_fault_in_an_agent_is_a_crash_that_keeps_what_was_done(tmp_path: Path) -> None:
    def act(walk: Walk) -> None:
        if walk.seed == 1:
            raise ZeroDivisionError

    async with engine_for(AgentRegistry([walking([], act=act)]), records=tmp_path) as engine:
        run = await ended(engine, asked("walk", episodes=3))
    counts = [
        _at(tmp_path / run.run_id / "result.json", "stats", name)
        for name in ("n_completed_trials", "n_cancelled_trials")
    ]

    assert (run.status, run.reason) == (RunStatus.FAILED, RunReason.CRASHED)
    assert counts == [1, 2]


async def test_a_series_that_runs_out_of_time_ends_with_what_it_has() -> None:
    agents = built_in_agents()
    async with engine_for(agents, time_limit_s=0.05) as engine:
        run = await ended(engine, asked("counter", steps=10, delay_s=10))
    result = result_of(run)

    assert run.status is RunStatus.COMPLETED
    assert (result["ok"], result["error"], result["episodes"]) == (False, "timeout after 0.05 s", 0)


@pytest.mark.logs_errors
async def test_the_model_is_closed_however_the_series_ends() -> None:
    closed: list[str] = []

    class Closing(RandomModel):
        async def close(self) -> None:
            closed.append(self.name)

    def act(walk: Walk) -> None:
        if walk.seed == 1:
            raise ZeroDivisionError

    models = ModelRegistry([ModelEntry("closing", "Says when it is closed.", lambda setup: Closing(setup.seed))])
    async with engine_for(AgentRegistry([walking([], act=act)]), models=models) as engine:
        for seed in (0, 1):
            await ended(engine, asked("walk", model="closing", seed=seed))

    assert len(closed) == 2


@pytest.mark.logs_errors
async def test_every_environment_is_closed_however_its_episode_ends() -> None:
    walks: list[Walk] = []

    def act(walk: Walk) -> None:
        walks.append(walk)
        if walk.seed == 1:
            raise ZeroDivisionError

    async with engine_for(AgentRegistry([walking([], act=act, max_steps=1)])) as engine:
        await ended(engine, asked("walk", episodes=2))

    assert [walk.closed for walk in walks] == [1, 1]


async def test_two_series_at_once_do_not_mix(tmp_path: Path) -> None:
    async with engine_for(built_in_agents(), records=tmp_path) as engine:
        requests = [
            asked("blackjack", model=model, episodes=20, seed=seed) for model, seed in (("rule", 0), ("random", 50))
        ]
        runs = [await engine.start(request) for request in requests]
        together = [result_of(await engine.wait(run.run_id, OWNER, 20)) for run in runs]
    async with engine_for(built_in_agents()) as engine:
        alone = [result_of(await ended(engine, request)) for request in requests]

    assert [timeless(result) for result in together] == [timeless(result) for result in alone]
    assert together[0]["seed"] != together[1]["seed"]


def _ticks(records: Path) -> list[Path]:
    return list(records.rglob("ticks.jsonl"))


def _at(path: Path, *keys: str) -> Json:
    """What stands in a JSON file under these keys."""
    found: Json = json.loads(path.read_text())
    for key in keys:
        assert isinstance(found, dict)
        found = found[key]
    return found


async def test_others_get_their_turn_at_every_act() -> None:
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            await anyio.lowlevel.checkpoint()
            turns += 1

    async with engine_for(AgentRegistry([walking([], max_steps=500)])) as engine, anyio.create_task_group() as group:
        group.start_soon(count_turns)
        run = await ended(engine, asked("walk"))
        group.cancel_scope.cancel()

    assert result_of(run)["decisions"] == 500
    assert turns >= 500


async def test_an_environment_that_offers_nothing_has_ended() -> None:
    class Stuck(Walk):
        async def options(self) -> Mapping[str, str]:
            return {}

    spec = replace(
        walking([]), work=partial(play_series, Game("walk", lambda _p, seed: Stuck([], None, seed), lambda _p: 9))
    )
    async with engine_for(AgentRegistry([spec])) as engine:
        result = result_of(await ended(engine, asked("walk")))

    assert (result["ok"], result["decisions"], result["mean_score"]) == (True, 0, 0)
