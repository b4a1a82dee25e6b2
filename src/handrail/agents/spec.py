"""What an agent is: its name, its parameters, and what does its work."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from handrail.decisions import ModelRegistry
from handrail.errors import UnavailableError
from handrail.json_types import Json, JsonObject
from handrail.runs import RunContext

__all__ = [
    "MAX_EPISODES",
    "MAX_SEED",
    "MAX_STEPS",
    "AgentJob",
    "AgentSpec",
    "AgentUnavailableError",
    "Availability",
    "RunArguments",
    "params_schema",
]

MAX_EPISODES: Final = 1000
"""Episodes in one run."""

MAX_STEPS: Final = 10_000
"""Steps in one episode."""


class AgentUnavailableError(UnavailableError):
    """The agent needs something that this machine lacks. `data["agent"]` names it, the next step mends it."""

    type = "agent_unavailable"


MAX_SEED: Final = 2**31 - 1
"""Seeds are whole numbers that every random generator takes, also after adding the number of episodes."""


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether an agent can run here, and the command that mends it where it cannot."""

    available: bool = True
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class AgentJob:
    """One run of an agent, as its work sees it.

    Attributes:
        ctx: the run.
        params: the agent's parameters, checked against its schema, defaults filled in.
        model: the name of the decision model.
        episodes: how many episodes, 1 to 1,000.
        seed: the first episode's seed; the others count up from it.
        models: where the model comes from.
        time_limit_s: how long the whole run may take, all its attempts together, in seconds.
    """

    ctx: RunContext
    params: JsonObject
    model: str
    episodes: int
    seed: int
    models: ModelRegistry
    time_limit_s: float

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that the agent and its model name, as they were where the run was started."""
        return self.ctx.environment

    async def ask(self, name: str, message: str, schema: JsonObject, *, seconds: float) -> Json:
        """Ask whoever watches the run, once: after a crash an answer that was given before it is found again.

        Args:
            name: tells this question from the run's others.
            message: the question, for a person.
            schema: JSON schema of the answer (an object). Nothing secret: the answer is kept with the run.
            seconds: how long to wait for the answer.

        Raises:
            QuestionDeclinedError: the question was declined.
            QuestionExpiredError: nobody answered in time.
        """
        kept = f"answer-{name}"
        if kept in self.ctx.saved:
            return self.ctx.saved[kept]
        answer = await self.ctx.ask(message, schema, seconds=seconds)
        await self.ctx.save(kept, answer)
        return answer


class RunArguments(BaseModel):
    """What a run of any agent is started with, as its `StartRequest` carries it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    params: dict[str, JsonValue]
    model: str
    episodes: int = Field(ge=1, le=MAX_EPISODES)
    seed: int = Field(ge=0, le=MAX_SEED)


def params_schema(params: type[BaseModel]) -> JsonObject:
    """The JSON schema of an agent's parameters, without the titles that only repeat the names.

    A parameter that may be null is `{"type": [kind, "null"], ...}`, of which an error can say what it must be.
    """
    schema: JsonObject = params.model_json_schema()
    properties = schema.get("properties", {})
    shown: JsonObject = {"type": "object", "additionalProperties": False, "properties": {}}
    if isinstance(properties, dict):
        shown["properties"] = {name: _plain(details) for name, details in properties.items()}
    return shown | {name: schema[name] for name in ("required", "$defs") if name in schema}


def _plain(details: Json) -> Json:
    if not isinstance(details, dict):
        return details
    shown = {key: value for key, value in details.items() if key != "title"}
    match shown.get("anyOf"):
        case [dict() as kind, {"type": "null"}] if "type" in kind:
            del shown["anyOf"]
            return {**kind, "type": [kind["type"], "null"], **shown}
    return shown


AgentWork: TypeAlias = Callable[[AgentJob], Awaitable[JsonObject]]


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent.

    Attributes:
        name: its name, a word.
        title: for people.
        description: what it does, for people and models.
        params: JSON schema of its parameters: strict, each property described, defaults stated.
        work: does a run and returns its result, which has at least `ok`.
        resumable: whether a run may go on after a crash at its next unfinished episode. Only where an episode that is
            played twice does no harm.
        environment: the names of the environment variables that it needs, keys among them. Their values reach its work
            in memory and are kept nowhere.
        availability: looks whether it can run here; cheap, called for every listing.
    """

    name: str
    title: str
    description: str
    params: JsonObject
    work: AgentWork
    resumable: bool = False
    environment: tuple[str, ...] = ()
    availability: Callable[[], Availability] = field(default=Availability)

    def check_available(self) -> None:
        """Pass, or say what is missing.

        Raises:
            AgentUnavailableError: it cannot run here.
        """
        found = self.availability()
        if not found.available:
            raise AgentUnavailableError(
                f"The agent '{self.name}' cannot run here.", next_step=found.fix, agent=self.name
            )
