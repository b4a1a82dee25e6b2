"""`random`: every option is as good as another. The floor that any other model has to beat."""

import random
from collections.abc import Mapping
from typing import Final

from handrail.decisions.contract import Observation, Question, QuestionType, Reply, choice_from

__all__ = ["RandomModel"]


class RandomModel:
    """Draws a key; its probabilities are uniform and its confidence 0, which is the truth about it.

    Args:
        seed: what the draws come from; None for the system's own randomness.
    """

    name: Final = "random"
    deterministic: Final = False
    calibrated: Final = False
    supports_images: Final = False
    question_types: Final = frozenset({QuestionType.CHOICE})

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(None if seed is None else _salted(seed))  # noqa: S311  (a baseline, no secret)

    async def decide(self, observation: Observation, questions: Mapping[str, Question]) -> Reply:  # noqa: ARG002  (it looks at nothing)
        """See `DecisionModel`."""
        answers = {}
        for name in sorted(questions):
            keys = sorted(questions[name].options)
            answers[name] = choice_from(dict.fromkeys(keys, 1 / len(keys)), self._random.choice(keys))
        return Reply(answers)

    async def warm(self) -> None:
        """Nothing to load."""

    def begin(self, seed: int) -> None:
        """See `DecisionModel`."""
        self._random.seed(_salted(seed))

    async def close(self) -> None:
        """Nothing to free."""


def _salted(seed: int) -> str:
    # An environment may draw from the same seed: unsalted, the choices would follow from its cards.
    return f"decision/{seed}"
