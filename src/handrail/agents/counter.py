"""`counter`: counts, one step at a time. The smallest agent that is one: for trying runs, tasks and cancels."""

from collections.abc import Mapping
from functools import partial
from typing import Final

import anyio

from handrail.agents.environment import Game
from handrail.agents.series import play_series
from handrail.agents.spec import MAX_STEPS, AgentSpec
from handrail.json_types import Json, JsonObject

__all__ = ["counter_agent"]

_MAX_DELAY_S: Final = 10

_PARAMS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "steps": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_STEPS,
            "default": 10,
            "description": "How far to count.",
        },
        "delay_s": {
            "type": "number",
            "minimum": 0,
            "maximum": _MAX_DELAY_S,
            "default": 0.2,
            "description": "Seconds that each step takes.",
        },
    },
    "additionalProperties": False,
}


class _Counting:
    def __init__(self, params: JsonObject, _seed: int) -> None:
        self._steps = _whole(params["steps"])
        self._delay_s = _number(params["delay_s"])
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


def _whole(value: Json) -> int:
    return int(_number(value))


def _number(value: Json) -> float:
    assert isinstance(value, int | float)
    return float(value)


def _outcome(final_states: list[JsonObject]) -> JsonObject:
    return {"count": sum(_whole(state["count"]) for state in final_states)}


_GAME: Final = Game(
    name="counter",
    make=_Counting,
    max_steps=lambda params: _whole(params["steps"]),
    goal="count to the end",
    outcome=_outcome,
)


def counter_agent() -> AgentSpec:
    """The agent that counts. Its result's `count` is the sum over all episodes."""
    return AgentSpec(
        name="counter",
        title="Counter",
        description="Counts to `steps`, one step every `delay_s` seconds. For trying runs, tasks and cancels.",
        params=_PARAMS,
        work=partial(play_series, _GAME),
        resumable=True,
    )
