"""The one validator: nothing a model says is used before it has passed here."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from handrail.decisions.contract import (
    MAX_OPTIONS,
    Choice,
    ChoiceQuestion,
    Decision,
    DecisionModel,
    ModelCallFailedError,
    Observation,
    Question,
    QuestionError,
    Reply,
    Usage,
)

__all__ = ["Decider"]

_SUM_TOLERANCE: Final = 0.02
_TIE: Final = 1e-6
_QUESTION: Final = "choice"


@dataclass(frozen=True, slots=True)
class _Attempt:
    reply: Reply
    latency_ms: float
    problem: str | None


class Decider:
    """Asks a model and checks its answers.

    An unusable answer is asked for again with the same request, up to `attempts` times; never of a deterministic
    model, and never after the model could not be reached.
    """

    def __init__(self, model: DecisionModel, *, attempts: int = 2) -> None:
        self.model = model
        self._attempts = 1 if model.deterministic else max(1, attempts)
        self._said_no_images = False

    async def choose(self, observation: Observation, question: ChoiceQuestion) -> tuple[Choice, Decision]:
        """Ask one choice. Raises as `decide_many` does."""
        decision = await self.decide_many(observation, {_QUESTION: question})
        return decision.answers[_QUESTION], decision

    async def decide_many(self, observation: Observation, questions: Mapping[str, Question]) -> Decision:
        """Ask several questions about one observation.

        Raises:
            QuestionError: there is no question, or one that this model cannot be asked.
            ModelUnreachableError: the model could not be asked.
            ModelCallFailedError: no usable answer in all attempts.
        """
        _check_questions(self.model, questions)
        seen, warnings = self._visible(observation)
        usage = Usage()
        attempt: _Attempt | None = None
        for number in range(1, self._attempts + 1):
            attempt = await self._ask(seen, questions)
            usage += attempt.reply.usage
            if attempt.problem is None:
                return self._decision(attempt, usage, number, warnings)
        raise self._failed(attempt)

    async def _ask(self, observation: Observation, questions: Mapping[str, Question]) -> _Attempt:
        began = time.perf_counter()
        reply = await self.model.decide(observation, questions)
        latency_ms = (time.perf_counter() - began) * 1000
        return _Attempt(reply, latency_ms, _problem(reply, questions))

    def _visible(self, observation: Observation) -> tuple[Observation, tuple[str, ...]]:
        if self.model.supports_images or not observation.images:
            return observation, ()
        first, self._said_no_images = not self._said_no_images, True
        warning = f"The model '{self.model.name}' reads text only: images are left out."
        return replace(observation, images=()), (warning,) if first else ()

    def _decision(self, attempt: _Attempt, usage: Usage, number: int, warnings: tuple[str, ...]) -> Decision:
        return Decision(
            answers=attempt.reply.answers,
            latency_ms=attempt.latency_ms,
            usage=usage,
            model=self.model.name,
            calibrated=self.model.calibrated,
            attempts=number,
            warnings=warnings,
            raw=attempt.reply.raw,
        )

    def _failed(self, attempt: _Attempt | None) -> ModelCallFailedError:
        problem = attempt.problem if attempt else None
        return ModelCallFailedError(
            f"The model '{self.model.name}' gave no usable answer: {problem}.",
            next_step="Use another model.",
            model=self.model.name,
            problem=problem,
            attempts=self._attempts,
        )


def _check_questions(model: DecisionModel, questions: Mapping[str, Question]) -> None:
    if not questions:
        raise QuestionError("There is nothing to decide.", next_step="Ask at least one question.")
    for name, question in questions.items():
        if question.type not in model.question_types:
            raise QuestionError(
                f"The model '{model.name}' cannot be asked a {question.type.value}.",
                next_step="Use another model.",
                question=name,
            )
        if not 1 <= len(question.options) <= MAX_OPTIONS:
            raise QuestionError(
                f"A choice has 1 to {MAX_OPTIONS} options, not {len(question.options)}.",
                next_step="Offer fewer options." if question.options else "Offer at least one option.",
                question=name,
            )


def _problem(reply: Reply, questions: Mapping[str, Question]) -> str | None:
    if set(reply.answers) != set(questions):
        return "it answered other questions than it was asked"
    problems = (_choice_problem(reply.answers[name], question) for name, question in questions.items())
    return next((problem for problem in problems if problem), None)


def _choice_problem(choice: Choice, question: ChoiceQuestion) -> str | None:
    shares = choice.probabilities
    if choice.key not in question.options:
        return "it chose what was not offered"
    if set(shares) != set(question.options):
        return "its probabilities do not cover exactly the offered options"
    if not 0 <= choice.confidence <= 1:
        return "its confidence is not between 0 and 1"
    return _shares_problem(shares, choice.key)


def _shares_problem(shares: Mapping[str, float], key: str) -> str | None:
    if not all(0 <= share <= 1 for share in shares.values()):  # NaN fails this too
        return "a probability is not between 0 and 1"
    if abs(sum(shares.values()) - 1) > _SUM_TOLERANCE:
        return "its probabilities do not add up to 1"
    if max(shares.values()) - shares[key] > _TIE:
        return "it did not choose its most probable option"
    return None
