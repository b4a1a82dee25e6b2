"""Games and calls that do what a test tells them."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio

from handrail.agents import AgentRegistry, AgentSpec, Availability, agent_body
from handrail.agents.loop import Game, play_series
from handrail.decisions import ModelRegistry, built_in_models
from handrail.json_types import Json, JsonObject
from handrail.protocol.tool import Client, Elicited
from handrail.runs import MemoryEngine, Run, StartRequest

OWNER = "me"

Act = Callable[["Walk"], None]


class Walk:
    """Goes one step at a time, for ever. Its class-level lists are made anew by `walking`."""

    def __init__(self, acts: list[int], act: Act | None, seed: int) -> None:
        self.acts = acts
        self.seed = seed
        self.steps = 0
        self.closed = 0
        self._act = act

    async def observe(self) -> Json:
        return {"steps": self.steps}

    async def options(self) -> Mapping[str, str]:
        return {"go": "one step"}

    async def act(self, key: str) -> str:
        assert key == "go"
        self.steps += 1
        self.acts.append(self.seed)
        if self._act:
            self._act(self)
        return f"went {self.steps}"

    @property
    def done(self) -> bool:
        return False

    @property
    def score(self) -> float | None:
        return float(self.steps)

    def final_state(self) -> JsonObject:
        return {"steps": self.steps}

    async def close(self) -> None:
        self.closed += 1


def walking(
    acts: list[int],
    *,
    act: Act | None = None,
    max_steps: int = 3,
    availability: Callable[[], Availability] | None = None,
    environment: tuple[str, ...] = (),
) -> AgentSpec:
    """An agent that walks; `acts` gets the seed of each step's episode."""
    game = Game("walk", lambda _params, seed: Walk(acts, act, seed), lambda _params: max_steps)
    return AgentSpec(
        name="walk",
        title="Walk",
        description="Walks.",
        params={"type": "object", "properties": {}, "additionalProperties": False},
        work=partial(play_series, game),
        availability=availability or Availability,
        environment=environment,
    )


class FakeCall:
    """A call by nobody in particular."""

    client = Client()
    owner = OWNER
    request_state = None

    async def progress(self, message: str, done: float, total: float | None = None) -> None:
        raise NotImplementedError

    async def elicit(
        self, key: str, message: str, schema: JsonObject, *, state: str, seconds: float
    ) -> Elicited | None:
        raise NotImplementedError


def asked(agent: str, *, model: str = "rule", episodes: int = 1, seed: int = 0, **params: Json) -> StartRequest:
    arguments: JsonObject = {"params": params, "model": model, "episodes": episodes, "seed": seed}
    return StartRequest(agent, arguments, OWNER)


@asynccontextmanager
async def engine_for(
    agents: AgentRegistry,
    *,
    models: ModelRegistry | None = None,
    records: Path | None = None,
    time_limit_s: float = 60,
) -> AsyncIterator[MemoryEngine]:
    """An engine that runs these agents, for at most twenty seconds."""
    body = agent_body(agents, models or built_in_models(), time_limit_s=time_limit_s)
    with anyio.fail_after(20):
        async with MemoryEngine(body, records=records) as engine:
            yield engine


async def ended(engine: MemoryEngine, request: StartRequest) -> Run:
    """The run once it has ended."""
    return await engine.wait((await engine.start(request)).run_id, OWNER, 20)


def result_of(run: Run) -> JsonObject:
    assert run.result is not None, run
    return run.result
