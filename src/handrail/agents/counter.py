"""`counter`: counts, one step at a time. The smallest agent that is one: for trying runs, tasks and cancels."""

from collections.abc import Mapping

import anyio
from pydantic import BaseModel, ConfigDict, Field

from handrail.agents.spec import MAX_STEPS, AgentJob, AgentSpec, params_schema
from handrail.json_types import Json, JsonObject

__all__ = ["counter_agent"]


class CounterParams(BaseModel):
    """The parameters of `counter`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(default=10, ge=1, le=MAX_STEPS, description="How far to count.")
    delay_s: float = Field(default=0.2, ge=0, le=10, description="Seconds that each step takes.")


class _Counting:
    def __init__(self, params: JsonObject, _seed: int) -> None:
        given = CounterParams.model_validate(params)
        self._steps = given.steps
        self._delay_s = given.delay_s
        self._count = 0

    async def observe(self) -> Json:
        return {"count": self._count, "steps": self._steps}

    async def options(self) -> Mapping[str, str]:
        return {"count": "add one to the count"}

    async def act(self, key: str) -> str:  # noqa: ARG002  (there is one option)
        await anyio.sleep(self._delay_s)
        self._count += 1
        return f"counted {self._count}"

    @property
    def done(self) -> bool:
        return self._count >= self._steps

    @property
    def score(self) -> float | None:
        return float(self._count)

    def final_state(self) -> JsonObject:
        return {"count": self._count, "steps": self._steps}

    async def close(self) -> None:
        """Nothing to free."""


async def _play(job: AgentJob) -> JsonObject:
    from handrail.agents.loop import Game, play_series  # noqa: PLC0415  (not needed to list agents)

    game = Game(
        name="counter",
        make=_Counting,
        max_steps=lambda params: CounterParams.model_validate(params).steps,
        goal="count to the end",
        outcome=lambda scores: {"count": int(sum(scores))},
    )
    return await play_series(game, job)


def counter_agent() -> AgentSpec:
    """The agent that counts. Its result's `count` is the sum over all episodes."""
    return AgentSpec(
        name="counter",
        title="Counter",
        description="Counts to `steps`, one step every `delay_s` seconds. For trying runs, tasks and cancels.",
        params=params_schema(CounterParams),
        work=_play,
    )
