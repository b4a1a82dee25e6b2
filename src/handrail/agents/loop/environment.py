"""What the episode loop plays: something to look at, options to choose from, and a score at the end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from handrail.decisions import Rule
from handrail.json_types import Json, JsonObject

__all__ = ["Environment", "EnvironmentMaker", "Game"]


class Environment(Protocol):
    """One episode. Made from a seed; never used twice."""

    async def observe(self) -> Json:
        """The state as the decision model sees it."""

    async def options(self) -> Mapping[str, str]:
        """What can be done now, key -> one line of text. Empty when nothing can."""

    async def act(self, key: str) -> str:
        """Do what the option says; returns what came of it in a few words."""

    @property
    def done(self) -> bool:
        """Whether the episode has ended."""

    @property
    def score(self) -> float | None:
        """What it was worth, or None while (or if) that cannot be said."""

    def final_state(self) -> JsonObject:
        """How it stands, for the record."""

    async def close(self) -> None:
        """Free what it holds; called however the episode ends."""


EnvironmentMaker: TypeAlias = Callable[[JsonObject, int], Environment]
"""Makes an episode from the agent's parameters and a seed."""


@dataclass(frozen=True, slots=True)
class Game:
    """What the episode loop needs to know of a kind of environment.

    Attributes:
        name: the agent's name.
        make: makes an episode.
        max_steps: of one episode, from the agent's parameters.
        rules: what holds while choosing, for the decision model.
        goal: what is wanted.
        rule: the baseline that the model `rule` follows.
        outcome: what the result says beside the summary, from the scores of all episodes that ended.
    """

    name: str
    make: EnvironmentMaker
    max_steps: Callable[[JsonObject], int]
    rules: tuple[str, ...] = ()
    goal: str | None = None
    rule: Rule | None = None
    outcome: Callable[[Sequence[float]], JsonObject] = lambda _scores: {}
