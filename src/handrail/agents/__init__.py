"""Agents: what they are, the loop that plays their episodes, and the tools that start them.

agents, models = built_in_agents(), built_in_models()
async with MemoryEngine(agent_body(agents, models), records=folder) as engine: ...
tools = agent_tools(agents, models)
"""

from handrail.agents.blackjack import basic_strategy, blackjack_agent
from handrail.agents.counter import counter_agent
from handrail.agents.environment import Environment, EnvironmentMaker, Game
from handrail.agents.registry import (
    DEFAULT_TIME_LIMIT_S,
    AgentRegistry,
    UnknownAgentError,
    agent_body,
    built_in_agents,
)
from handrail.agents.series import play_series
from handrail.agents.spec import (
    MAX_EPISODES,
    MAX_SEED,
    MAX_STEPS,
    AgentJob,
    AgentSpec,
    AgentUnavailableError,
    Availability,
    RunArguments,
    params_schema,
)
from handrail.agents.tools import agent_tools

__all__ = [
    "DEFAULT_TIME_LIMIT_S",
    "MAX_EPISODES",
    "MAX_SEED",
    "MAX_STEPS",
    "AgentJob",
    "AgentRegistry",
    "AgentSpec",
    "AgentUnavailableError",
    "Availability",
    "Environment",
    "EnvironmentMaker",
    "Game",
    "RunArguments",
    "UnknownAgentError",
    "agent_body",
    "agent_tools",
    "basic_strategy",
    "blackjack_agent",
    "built_in_agents",
    "counter_agent",
    "params_schema",
    "play_series",
]
