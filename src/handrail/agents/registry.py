"""The agents by name, and the body that a run engine runs for them."""

from collections.abc import Iterable
from typing import Final

from handrail.agents.blackjack import blackjack_agent
from handrail.agents.counter import counter_agent
from handrail.agents.spec import AgentJob, AgentSpec, RunArguments
from handrail.arguments import UnknownName
from handrail.decisions import ModelRegistry
from handrail.errors import NotFoundError
from handrail.json_types import JsonObject
from handrail.runs import RUN_TIME_LIMIT, RunBody, RunContext, StartRequest

__all__ = ["DEFAULT_TIME_LIMIT_S", "AgentRegistry", "UnknownAgentError", "agent_body", "built_in_agents"]

DEFAULT_TIME_LIMIT_S: Final = RUN_TIME_LIMIT.total_seconds()
"""How long a run may take, in seconds."""


class UnknownAgentError(NotFoundError):
    """There is no agent of that name. `data` holds `name`, `nearest` and `known`."""

    type = "agent_unknown"


class AgentRegistry:
    """The agents that there are."""

    def __init__(self, specs: Iterable[AgentSpec]) -> None:
        self._specs = {spec.name: spec for spec in specs}

    def specs(self) -> tuple[AgentSpec, ...]:
        """All agents, in the order of their registration."""
        return tuple(self._specs.values())

    def names(self) -> list[str]:
        """All names, in the order of their registration."""
        return list(self._specs)

    def get(self, name: str) -> AgentSpec:
        """One agent.

        Raises:
            UnknownAgentError: there is none of that name.
        """
        spec = self._specs.get(name)
        if spec is None:
            said = UnknownName.among("agent", name, self._specs)
            raise UnknownAgentError(said.sentence, next_step=said.next_step, **said.data)
        return spec


def built_in_agents() -> AgentRegistry:
    """The agents that come with Handrail."""
    return AgentRegistry((counter_agent(), blackjack_agent()))


def agent_body(agents: AgentRegistry, models: ModelRegistry, *, time_limit_s: float = DEFAULT_TIME_LIMIT_S) -> RunBody:
    """What a run engine runs: the agent that the request names, with the arguments that `run_agent` prepared.

    Args:
        agents: the agents.
        models: the decision models.
        time_limit_s: how long a run may take, in seconds; a series that runs out of it ends with what it has.
    """

    async def body(ctx: RunContext, request: StartRequest) -> JsonObject:
        given = RunArguments.model_validate(request.arguments)
        job = AgentJob(
            ctx=ctx,
            params=given.params,
            model=given.model,
            episodes=given.episodes,
            seed=given.seed,
            models=models,
            time_limit_s=time_limit_s,
        )
        return await agents.get(request.agent).work(job)

    return body
