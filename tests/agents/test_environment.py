"""What a run is given of the environment: what was asked for by name, in memory only."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path

import pytest

from handrail.agents import AgentJob, AgentRegistry, agent_body, built_in_agents
from handrail.agents.spec import AgentSpec
from handrail.agents.tools import agent_tools
from handrail.decisions import ModelEntry, ModelRegistry, ModelSetup, RandomModel, built_in_models
from handrail.json_types import JsonObject
from handrail.protocol.tool import RunTool, ServerTool
from handrail.runs import MemoryEngine, StartRequest, run_view
from tests.agents.games import OWNER, FakeCall, walking

pytestmark = pytest.mark.unit

CANARY = "canary-7f3a"
WORLD: Mapping[str, str] = {
    "WALK_KEY": f"{CANARY}-walk",
    "MODEL_KEY": f"{CANARY}-model",
    "OTHER_KEY": f"{CANARY}-other",
}


def _models(seen: list[Mapping[str, str]]) -> ModelRegistry:
    def make(setup: ModelSetup) -> RandomModel:
        seen.append(setup.environment)
        assert CANARY not in repr(setup)
        return RandomModel(setup.seed)

    keyed = ModelEntry("keyed", "Needs a key.", make, environment=("MODEL_KEY", "MODEL_URL"))
    return ModelRegistry([keyed, *built_in_models().entries()])


def _request(agents: AgentRegistry, models: ModelRegistry, **arguments: str) -> StartRequest:
    tool = next(tool for tool in agent_tools(agents, models, WORLD) if isinstance(tool, RunTool))
    return tool.prepare(FakeCall(), {"agent": "walk", **arguments})


def _walker(seen: list[Mapping[str, str]]) -> AgentSpec:
    spec = walking([], environment=("WALK_KEY", "WALK_HOME"))

    async def work(job: AgentJob) -> JsonObject:
        seen.append(job.environment)
        return await spec.work(job)

    return AgentSpec(spec.name, spec.title, spec.description, spec.params, work, environment=spec.environment)


def _texts(folder: Path) -> list[str]:
    return [path.read_text() for path in folder.rglob("*") if path.is_file()]


@pytest.mark.promise("environment-in-memory-only")
async def test_what_was_handed_over_reaches_the_work_and_nothing_that_is_kept_or_shown(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    of_agent: list[Mapping[str, str]] = []
    of_model: list[Mapping[str, str]] = []
    agents, models = AgentRegistry([_walker(of_agent)]), _models(of_model)
    request = _request(agents, models, model="keyed")
    async with MemoryEngine(agent_body(agents, models), records=tmp_path) as engine:
        run = await engine.wait((await engine.start(request)).run_id, OWNER, 10)
    listing = next(tool for tool in agent_tools(agents, models, WORLD) if isinstance(tool, ServerTool))
    listed = (await listing.handler(FakeCall(), {})).structured
    kept = _texts(tmp_path)

    assert of_agent == [{"WALK_KEY": WORLD["WALK_KEY"], "MODEL_KEY": WORLD["MODEL_KEY"]}]
    assert of_model == [{"MODEL_KEY": WORLD["MODEL_KEY"]}]
    assert len(kept) > 5
    assert CANARY not in "".join([*kept, repr(request), repr(run), json.dumps([run_view(run), listed]), caplog.text])


@pytest.mark.promise("environment-in-memory-only")
def test_a_run_gets_what_its_agent_and_its_model_name_and_no_more() -> None:
    agents = AgentRegistry([walking([], environment=("WALK_KEY", "WALK_HOME"))])
    models = _models([])

    assert _request(agents, models, model="keyed").environment == {
        "WALK_KEY": WORLD["WALK_KEY"],
        "MODEL_KEY": WORLD["MODEL_KEY"],
    }
    assert _request(agents, models, model="rule").environment == {"WALK_KEY": WORLD["WALK_KEY"]}
    assert _request(AgentRegistry([walking([])]), models, model="rule").environment == {}


def test_the_variables_are_read_when_a_run_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    agents = AgentRegistry([walking([], environment=("WALK_KEY",))])
    tool = next(tool for tool in agent_tools(agents, built_in_models()) if isinstance(tool, RunTool))
    monkeypatch.setenv("WALK_KEY", "now")

    assert tool.prepare(FakeCall(), {"agent": "walk"}).environment == {"WALK_KEY": "now"}


async def test_a_decision_is_made_by_a_model_that_has_its_variables() -> None:
    seen: list[Mapping[str, str]] = []
    tools = agent_tools(built_in_agents(), _models(seen), WORLD)
    tool = next(tool for tool in tools if isinstance(tool, ServerTool) and tool.name == "decide")
    await tool.handler(FakeCall(), {"state": "s", "options": {"a": "one", "b": "two"}, "model": "keyed"})

    assert seen == [{"MODEL_KEY": WORLD["MODEL_KEY"]}]


def test_the_agents_that_come_along_need_nothing_and_go_on_after_a_crash() -> None:
    tool = next(tool for tool in agent_tools(built_in_agents(), built_in_models(), WORLD) if isinstance(tool, RunTool))
    requests = [tool.prepare(FakeCall(), {"agent": name}) for name in built_in_agents().names()]

    assert [(request.resumable, request.environment) for request in requests] == [(True, {})] * len(requests)
