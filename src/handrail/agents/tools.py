"""The tools of the agents toolset: which agents there are, a run of one, a decision."""

import os
from collections.abc import Mapping
from typing import Final

from handrail.agents.decide_tool import decide_tool
from handrail.agents.registry import AgentRegistry
from handrail.agents.spec import MAX_EPISODES, MAX_SEED, AgentSpec, RunArguments
from handrail.arguments import ArgumentChecker, object_schema
from handrail.decisions import ModelRegistry, only_named
from handrail.hints import LOCAL_READ, annotations_for_gateway
from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.protocol.clients import LONGEST_WAIT_S
from handrail.protocol.tool import Call, RunTool, ServerTool, ToolAnswer
from handrail.runs import StartRequest

__all__ = ["agent_tools"]

_DEFAULTS: Final[JsonObject] = {"params": {}, "episodes": 1, "seed": 0}


def agent_tools(
    agents: AgentRegistry, models: ModelRegistry, environment: Mapping[str, str] = os.environ
) -> list[ServerTool | RunTool]:
    """`list_agents`, `run_agent` and `decide`.

    Args:
        agents: the agents that can be named.
        models: the decision models that can be named; the first one is the default.
        environment: where agents and models find the variables that they name.
    """
    return [_list_agents(agents, models), _run_agent(agents, models, environment), decide_tool(models, environment)]


def _list_agents(agents: AgentRegistry, models: ModelRegistry) -> ServerTool:
    async def handler(_call: Call, _arguments: JsonMapping) -> ToolAnswer:
        listed: Json = [_agent_view(spec) for spec in agents.specs()]
        named: Json = [{"name": entry.name, "description": entry.description} for entry in models.entries()]
        return ToolAnswer({"agents": listed, "models": named})

    return ServerTool(
        name="list_agents",
        title="List agents",
        description="Agents for run_agent: the schema of their params, whether they can run here, else what mends "
        "it. And the decision models.",
        input_schema=object_schema({}),
        annotations=LOCAL_READ.annotations(),
        handler=handler,
    )


def _agent_view(spec: AgentSpec) -> JsonObject:
    found = spec.availability()
    return {
        "name": spec.name,
        "title": spec.title,
        "description": spec.description,
        "params": spec.params,
        "resumable": spec.resumable,
        "available": found.available,
        "fix": found.fix,
    }


def _run_agent(agents: AgentRegistry, models: ModelRegistry, environment: Mapping[str, str]) -> RunTool:
    checkers: dict[str, ArgumentChecker] = {spec.name: _params_checker(spec) for spec in agents.specs()}

    def prepare(call: Call, arguments: JsonMapping) -> StartRequest:
        spec = agents.get(str(arguments["agent"]))
        params = arguments.get("params", {})
        checkers[spec.name].check({"params": params})
        spec.check_available()
        given = {**_DEFAULTS, "model": models.names()[0], **arguments, "params": _with_defaults(spec.params, params)}
        fields = RunArguments.model_validate({name: given[name] for name in RunArguments.model_fields})
        needed = [*spec.environment, *models.get(fields.model).environment]
        run_key = arguments.get("run_key")
        return StartRequest(
            agent=spec.name,
            arguments=fields.model_dump(),
            owner=call.owner,
            run_key=None if run_key is None else str(run_key),
            resumable=spec.resumable,
            environment=only_named(environment, needed),
        )

    return RunTool(
        name="run_agent",
        title="Run an agent",
        description="Run an agent. Answers with the result, or early with a run_id: then call get_run.",
        input_schema=_run_schema(agents, models),
        annotations=annotations_for_gateway(),
        prepare=prepare,
    )


def _params_checker(spec: AgentSpec) -> ArgumentChecker:
    # One level up, so that an error names `params.steps` and not `steps`.
    return ArgumentChecker({"type": "object", "properties": {"params": spec.params}})


def _with_defaults(schema: JsonObject, params: Json) -> JsonObject:
    """The parameters with every default stated: two starts that mean the same are the same for a `run_key`."""
    properties = schema.get("properties")
    defaults: JsonObject = {}
    if isinstance(properties, dict):
        for name, details in properties.items():
            if isinstance(details, dict) and "default" in details:
                defaults[name] = details["default"]
    return {**defaults, **params} if isinstance(params, dict) else defaults


def _run_schema(agents: AgentRegistry, models: ModelRegistry) -> JsonObject:
    agent_names: list[Json] = [*agents.names()]
    model_names: list[Json] = [*models.names()]
    properties: JsonObject = {
        "agent": {"type": "string", "enum": agent_names, "description": "Which agent."},
        "params": {"type": "object", "description": "See list_agents.", "default": {}},
        "model": {
            "type": "string",
            "enum": model_names,
            "default": model_names[0],
            "description": "Which model.",
        },
        "episodes": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_EPISODES,
            "default": 1,
            "description": "How many.",
        },
        "seed": {
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_SEED,
            "default": 0,
            "description": "Of the first episode.",
        },
        "wait_seconds": {
            "type": "number",
            "minimum": 0,
            "maximum": LONGEST_WAIT_S,
            "description": "Before it answers early.",
        },
        "run_key": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "description": "The same key gives the same run.",
        },
    }
    return object_schema(properties, "agent")
