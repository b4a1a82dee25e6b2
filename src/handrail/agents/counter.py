"""`counter`: counts, one step at a time. The smallest agent that is one, for trying runs, tasks and questions."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

import anyio
from pydantic import BaseModel, ConfigDict, Field

from handrail.agents.spec import MAX_STEPS, AgentJob, AgentSpec, params_schema
from handrail.errors import RefusedError
from handrail.json_types import Json, JsonObject

__all__ = ["CountStoppedError", "counter_agent"]

_ANSWER: Final[JsonObject] = {
    "type": "object",
    "properties": {"go_on": {"type": "boolean", "title": "Go on", "description": "Whether to count on to the end."}},
    "required": ["go_on"],
}


class CountStoppedError(RefusedError):
    """Whoever was asked said not to go on. `data` holds the `count` that was reached."""

    type = "count_stopped"


class CounterParams(BaseModel):
    """The parameters of `counter`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(default=10, ge=1, le=MAX_STEPS, description="How far to count.")
    delay_s: float = Field(default=0.2, ge=0, le=10, description="Seconds that each step takes.")
    ask_at: int | None = Field(
        default=None,
        ge=1,
        le=MAX_STEPS,
        description="Ask whether to go on when this count is reached before the end, in every episode. null: never.",
    )
    ask_seconds: float = Field(
        default=300, ge=0, le=21_600, description="Seconds to wait for the answer; without one the episode has failed."
    )


_GoOn: TypeAlias = Callable[[int], Awaitable[None]]
"""Passes when counting goes on from here; raises a `HandrailError` when it does not."""


class _Counting:
    def __init__(self, given: CounterParams, go_on: _GoOn) -> None:
        self._given = given
        self._go_on = go_on
        self._count = 0

    async def observe(self) -> Json:
        return {"count": self._count, "steps": self._given.steps}

    async def options(self) -> Mapping[str, str]:
        return {"count": "add one to the count"}

    async def act(self, key: str) -> str:  # noqa: ARG002  (there is one option)
        await anyio.sleep(self._given.delay_s)
        self._count += 1
        if self._count == self._given.ask_at and not self.done:
            await self._go_on(self._count)
        return f"counted {self._count}"

    @property
    def done(self) -> bool:
        return self._count >= self._given.steps

    @property
    def score(self) -> float | None:
        return float(self._count)

    def final_state(self) -> JsonObject:
        return {"count": self._count, "steps": self._given.steps}

    async def close(self) -> None:
        """Nothing to free."""


async def _play(job: AgentJob) -> JsonObject:
    from handrail.agents.loop import Game, play_series  # noqa: PLC0415  (not needed to list agents)

    given = CounterParams.model_validate(job.params)
    game = Game(
        name="counter",
        make=lambda _params, seed: _Counting(given, partial(_go_on, job, given, seed)),
        max_steps=lambda _params: given.steps,
        goal="count to the end",
        outcome=lambda scores: {"count": int(sum(scores))},
    )
    return await play_series(game, job)


async def _go_on(job: AgentJob, given: CounterParams, seed: int, count: int) -> None:
    message = f"Counted to {count} of {given.steps}. Go on?"
    answer = await job.ask(f"go-on-{seed}", message, _ANSWER, seconds=given.ask_seconds)
    if not (isinstance(answer, dict) and answer.get("go_on") is True):
        raise CountStoppedError(f"Stopped at {count} of {given.steps}, as was answered.", count=count)


def counter_agent() -> AgentSpec:
    """The agent that counts. Its result's `count` is the sum over all episodes."""
    return AgentSpec(
        name="counter",
        title="Counter",
        description="Counts to `steps`, one step every `delay_s` seconds, and asks on the way where `ask_at` says so. "
        "For trying runs, tasks, cancels and questions.",
        params=params_schema(CounterParams),
        work=_play,
        resumable=True,
    )
