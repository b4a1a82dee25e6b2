"""`list_agents` and `run_agent` as a server gets them."""

import jsonschema
import pytest

from handrail.agents import (
    AgentRegistry,
    AgentUnavailableError,
    Availability,
    UnknownAgentError,
    agent_body,
    built_in_agents,
)
from handrail.agents.tools import agent_tools
from handrail.arguments import ArgumentChecker
from handrail.decisions import built_in_models
from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonObject
from handrail.protocol.tool import RunTool, ServerTool
from handrail.runs import MemoryEngine, RunStatus
from tests.agents.games import OWNER, FakeCall, walking

pytestmark = pytest.mark.unit


def _tools(agents: AgentRegistry | None = None) -> dict[str, ServerTool | RunTool]:
    return {tool.name: tool for tool in agent_tools(agents or built_in_agents(), built_in_models())}


def _run_agent(agents: AgentRegistry | None = None) -> RunTool:
    tool = _tools(agents)["run_agent"]
    assert isinstance(tool, RunTool)
    return tool


async def _list_agents(agents: AgentRegistry) -> JsonObject:
    tool = _tools(agents)["list_agents"]
    assert isinstance(tool, ServerTool)
    return (await tool.handler(FakeCall(), {})).structured


def test_every_schema_is_valid_strict_and_described() -> None:
    schemas = [tool.input_schema for tool in _tools().values()] + [spec.params for spec in built_in_agents().specs()]
    for schema in schemas:
        jsonschema.Draft202012Validator.check_schema(schema)
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        properties = schema["properties"]
        assert isinstance(properties, dict)
        assert all(isinstance(details, dict) and details["description"] for details in properties.values())


@pytest.mark.promise("no-hint-missing")
def test_reading_tools_say_so_and_the_runner_promises_nothing() -> None:
    hints = {name: tool.annotations for name, tool in _tools().items()}

    for name in ("list_agents", "decide"):
        reading = hints[name]
        assert (reading.read_only_hint, reading.destructive_hint) == (True, False)
        assert (reading.idempotent_hint, reading.open_world_hint) == (True, False)
    runner = hints["run_agent"]
    assert (runner.read_only_hint, runner.destructive_hint, runner.idempotent_hint) == (False, None, False)


async def test_the_agents_are_listed_with_what_a_caller_needs() -> None:
    away = walking([], availability=lambda: Availability(available=False, fix="apt-get install legs"))
    listed = await _list_agents(AgentRegistry([*built_in_agents().specs(), away]))
    agents = listed["agents"]
    assert isinstance(agents, list)
    by_name = {str(agent["name"]): agent for agent in agents if isinstance(agent, dict)}

    keys = {"name", "title", "description", "params", "resumable", "available", "fix"}
    assert all(set(agent) == keys for agent in by_name.values())
    assert list(by_name) == ["counter", "blackjack", "walk"]
    assert (by_name["counter"]["available"], by_name["counter"]["fix"]) == (True, None)
    assert {name: agent["resumable"] for name, agent in by_name.items()} == {
        "counter": True,
        "blackjack": True,
        "walk": False,
    }
    assert (by_name["walk"]["available"], by_name["walk"]["fix"]) == (False, "apt-get install legs")
    assert by_name["counter"]["params"] == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "steps": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10_000,
                "default": 10,
                "description": "How far to count.",
            },
            "delay_s": {
                "type": "number",
                "minimum": 0,
                "maximum": 10,
                "default": 0.2,
                "description": "Seconds that each step takes.",
            },
            "ask_at": {
                "type": ["integer", "null"],
                "minimum": 1,
                "maximum": 10_000,
                "default": None,
                "description": "Ask whether to go on when this count is reached before the end, in every episode. "
                "null: never.",
            },
            "ask_seconds": {
                "type": "number",
                "minimum": 0,
                "maximum": 21_600,
                "default": 300,
                "description": "Seconds to wait for the answer; without one the episode has failed.",
            },
        },
    }


def test_what_is_left_out_is_filled_in_so_that_equal_starts_are_equal() -> None:
    tool = _run_agent()
    short = tool.prepare(FakeCall(), {"agent": "counter", "run_key": "k", "wait_seconds": 3})
    long = tool.prepare(
        FakeCall(),
        {
            "agent": "counter",
            "params": {"delay_s": 0.2, "steps": 10},
            "model": "rule",
            "episodes": 1,
            "seed": 0,
            "run_key": "k",
        },
    )

    assert short == long
    assert (short.agent, short.owner, short.run_key) == ("counter", OWNER, "k")
    assert short.arguments == {
        "params": {"steps": 10, "delay_s": 0.2, "ask_at": None, "ask_seconds": 300},
        "model": "rule",
        "episodes": 1,
        "seed": 0,
    }


async def test_what_was_prepared_runs() -> None:
    request = _run_agent().prepare(FakeCall(), {"agent": "counter", "params": {"steps": 2, "delay_s": 0}})
    async with MemoryEngine(agent_body(built_in_agents(), built_in_models()), records=None) as engine:
        run = await engine.wait((await engine.start(request)).run_id, OWNER, 5)

    assert run.status is RunStatus.COMPLETED
    assert run.result is not None
    assert run.result["count"] == 2


@pytest.mark.parametrize(
    ("params", "argument"),
    [
        ({"steps": "3"}, "params.steps"),
        ({"steps": 0}, "params.steps"),
        ({"steps": 10_001}, "params.steps"),
        ({"steps": 1.5}, "params.steps"),
        ({"delay_s": 11}, "params.delay_s"),
        ({"ask_at": 0}, "params.ask_at"),
        ({"ask_at": "2"}, "params.ask_at"),
        ({"ask_seconds": -1}, "params.ask_seconds"),
        ({"ask_seconds": None}, "params.ask_seconds"),
        ({"delayS": 1}, "params.delayS"),
        ({"step": 1}, "params.step"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_path(params: JsonObject, argument: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        _run_agent().prepare(FakeCall(), {"agent": "counter", "params": params})

    assert caught.value.argument == argument


def test_a_misspelt_parameter_is_told_the_nearest_one() -> None:
    with pytest.raises(ArgumentError) as caught:
        _run_agent().prepare(FakeCall(), {"agent": "counter", "params": {"delayS": 1}})

    assert caught.value.data["nearest"] == "delay_s"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("agent", "count"),
        ("model", "rules"),
        ("episodes", 0),
        ("episodes", 1001),
        ("episodes", True),
        ("seed", -1),
        ("seed", 2**31),
        ("wait_seconds", -1),
        ("run_key", ""),
        ("run_key", "x" * 201),
        ("params", []),
    ],
)
def test_the_schema_bounds_every_argument(name: str, value: Json) -> None:
    with pytest.raises(ArgumentError) as caught:
        ArgumentChecker(_run_agent().input_schema).check({"agent": "counter", name: value})

    assert caught.value.argument == name


def test_an_agent_that_cannot_run_here_is_refused_with_what_mends_it() -> None:
    away = walking([], availability=lambda: Availability(available=False, fix="apt-get install legs"))
    with pytest.raises(AgentUnavailableError) as caught:
        _run_agent(AgentRegistry([away])).prepare(FakeCall(), {"agent": "walk"})

    assert caught.value.next_step == "apt-get install legs"


def test_an_unknown_agent_is_told_the_nearest_one() -> None:
    with pytest.raises(UnknownAgentError) as caught:
        built_in_agents().get("blackjak")

    assert caught.value.data["nearest"] == "blackjack"
