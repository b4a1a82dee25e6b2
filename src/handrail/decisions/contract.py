"""What a decision model is asked and what it answers. Pure.

    Observation + named questions -> model.decide -> Reply -> the validator (`Decider`) -> Decision

One kind of question exists so far, a choice among described options. `Question` and `Answer` are where a yes/no
question and a score will join it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias

from handrail.errors import UnavailableError, UsageError
from handrail.json_types import Json, JsonObject

__all__ = [
    "MAX_OPTIONS",
    "Answer",
    "Choice",
    "ChoiceQuestion",
    "Decision",
    "DecisionModel",
    "ModelCallFailedError",
    "ModelUnreachableError",
    "Observation",
    "Question",
    "QuestionError",
    "QuestionType",
    "Reply",
    "Usage",
    "choice_from",
    "confidence",
]

MAX_OPTIONS = 255
"""How many options one choice may have."""


class QuestionError(UsageError):
    """What was asked cannot be answered by anybody, or not by this model. `data["question"]` names it."""

    type = "question_invalid"


class ModelCallFailedError(UnavailableError):
    """The model gave no usable answer. `data` holds `model`, `problem` and `attempts`."""

    type = "model_call_failed"


class ModelUnreachableError(ModelCallFailedError):
    """The model could not be asked at all; never asked again for the same decision."""

    type = "model_unreachable"


class QuestionType(StrEnum):
    """The kinds of question."""

    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class Observation:
    """What is known when a decision is due.

    Attributes:
        state: text or any JSON.
        images: PNG files, for models that see.
    """

    state: Json
    images: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """One of the options is to be chosen.

    Attributes:
        options: key -> description, 1 to 255 of them. Their order means nothing.
        goal: what is wanted.
        rules: what holds while choosing.
        operation: what the chosen option will be used for.
    """

    options: Mapping[str, str]
    goal: str | None = None
    rules: tuple[str, ...] = ()
    operation: str | None = None

    @property
    def type(self) -> QuestionType:
        """The kind of question."""
        return QuestionType.CHOICE


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen key, the probability of every offered key, and how sure that is (0 to 1)."""

    key: str
    probabilities: Mapping[str, float]
    confidence: float


Question: TypeAlias = ChoiceQuestion
Answer: TypeAlias = Choice


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were used. `known` tells zero tokens from an unknown number; unknown makes costs unknown."""

    input_tokens: int = 0
    output_tokens: int = 0
    known: bool = True

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.known and other.known,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model says, before anybody has checked it. `raw` is its own words, where it has some."""

    answers: Mapping[str, Answer]
    usage: Usage = field(default_factory=Usage)
    raw: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Checked answers.

    Attributes:
        answers: by the name of their question.
        latency_ms: the last attempt's time in milliseconds.
        usage: of all attempts.
        model: the model's name.
        calibrated: whether its probabilities were fitted to outcomes.
        attempts: how often it was asked.
        warnings: what the caller should know, such as images that were left out.
    """

    answers: Mapping[str, Answer]
    latency_ms: float
    usage: Usage
    model: str
    calibrated: bool
    attempts: int = 1
    warnings: tuple[str, ...] = ()
    raw: JsonObject | None = None


class DecisionModel(Protocol):
    """Something that decides. Never trusted: `Decider` checks whatever it answers."""

    @property
    def name(self) -> str:
        """Its name in the registry."""

    @property
    def deterministic(self) -> bool:
        """Whether the same question always gets the same answer, so that asking again is useless."""

    @property
    def calibrated(self) -> bool:
        """Whether its probabilities were fitted to outcomes."""

    @property
    def supports_images(self) -> bool:
        """Whether it looks at the images of an observation."""

    @property
    def question_types(self) -> frozenset[QuestionType]:
        """What it can be asked."""

    async def decide(self, observation: Observation, questions: Mapping[str, Question]) -> Reply:
        """Answer all questions.

        Raises:
            ModelUnreachableError: it could not be asked.
        """

    async def warm(self) -> None:
        """Load what the first decision would otherwise wait for."""

    def begin(self, seed: int) -> None:
        """A new episode begins: forget the last one; a model that draws numbers draws them from this seed."""

    async def close(self) -> None:
        """Free what it holds. It is not asked again."""


def confidence(peak: float, options: int) -> float:
    """How far the peak is above chance: `(k*p - 1) / (k - 1)`, held within 0 and 1.

    Args:
        peak: the largest probability.
        options: k, how many options there were; a single option is certain.
    """
    return 1.0 if options == 1 else min(1.0, max(0.0, (options * peak - 1) / (options - 1)))


def choice_from(probabilities: Mapping[str, float], key: str | None = None) -> Choice:
    """A choice from its probabilities, with the confidence that they mean.

    Args:
        probabilities: of every offered key.
        key: the chosen one; by default the most probable, of equals the first by name.
    """
    chosen = key if key is not None else min(probabilities, key=lambda name: (-probabilities[name], name))
    return Choice(chosen, probabilities, confidence(probabilities[chosen], len(probabilities)))
