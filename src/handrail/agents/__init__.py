"""Agents: what they are and the tools that start them. The loop that plays their episodes is `handrail.agents.loop`.

agents, models = built_in_agents(), built_in_models()
async with MemoryEngine(agent_body(agents, models), records=folder) as engine: ...
tools = agent_tools(agents, models)
"""

from handrail.agents.blackjack import basic_strategy, blackjack_agent
from handrail.agents.counter import counter_agent
from handrail.agents.registry import (
    DEFAULT_TIME_LIMIT_S,
    AgentRegistry,
    UnknownAgentError,
    agent_body,
    built_in_agents,
)
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
    "RunArguments",
    "UnknownAgentError",
    "agent_body",
    "basic_strategy",
    "blackjack_agent",
    "built_in_agents",
    "counter_agent",
    "params_schema",
]
