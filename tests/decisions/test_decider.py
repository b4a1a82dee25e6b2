"""Nothing a model says is used before it was checked."""

import math
from collections.abc import Mapping

import pytest

from handrail.decisions import (
    Choice,
    ChoiceQuestion,
    Decider,
    ModelCallFailedError,
    ModelUnreachableError,
    Observation,
    Question,
    QuestionError,
    QuestionType,
    Reply,
    Usage,
    choice_from,
    confidence,
)

pytestmark = pytest.mark.unit

QUESTION = ChoiceQuestion({"a": "the first", "b": "the second"})
GOOD = Choice("a", {"a": 0.75, "b": 0.25}, 0.5)
BAD = Choice("c", {"a": 0.75, "b": 0.25}, 0.5)


class _Scripted:
    """A model that answers from a list and remembers what it was asked."""

    name = "scripted"
    calibrated = False
    supports_images = False

    def __init__(self, *answers: Choice | Exception, deterministic: bool = False) -> None:
        self.deterministic = deterministic
        self.question_types = frozenset({QuestionType.CHOICE})
        self.asked: list[tuple[Observation, Mapping[str, Question]]] = []
        self._answers = list(answers)

    async def decide(self, observation: Observation, questions: Mapping[str, Question]) -> Reply:
        self.asked.append((observation, questions))
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Reply(dict.fromkeys(questions, answer), Usage(input_tokens=7))

    async def warm(self) -> None: ...

    def begin(self, seed: int) -> None: ...

    async def close(self) -> None: ...


async def test_a_good_answer_passes_unchanged() -> None:
    choice, decision = await Decider(_Scripted(GOOD)).choose(Observation("s"), QUESTION)

    assert choice == GOOD
    assert (decision.attempts, decision.usage.input_tokens, decision.model) == (1, 7, "scripted")
    assert decision.latency_ms >= 0


@pytest.mark.promise("model-answers-are-checked")
@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Choice("c", {"a": 0.5, "b": 0.5}, 0), "not offered"),
        (Choice("a", {"a": 1.0}, 1), "exactly the offered"),
        (Choice("a", {"a": 0.5, "b": 0.3, "c": 0.2}, 0), "exactly the offered"),
        (Choice("a", {"a": 1.5, "b": -0.5}, 1), "between 0 and 1"),
        (Choice("a", {"a": math.nan, "b": 0.5}, 0), "between 0 and 1"),
        (Choice("a", {"a": 0.6, "b": 0.3}, 0), "add up to 1"),
        (Choice("a", {"a": 0.4, "b": 0.6}, 0), "most probable"),
        (Choice("a", {"a": 0.6, "b": 0.4}, 1.1), "confidence"),
        (Choice("a", {"a": 0.6, "b": 0.4}, math.nan), "confidence"),
    ],
)
async def test_an_unusable_answer_never_passes(answer: Choice, problem: str) -> None:
    with pytest.raises(ModelCallFailedError) as caught:
        await Decider(_Scripted(answer, answer)).choose(Observation("s"), QUESTION)

    assert problem in str(caught.value.data["problem"])
    assert caught.value.data["attempts"] == 2


@pytest.mark.parametrize(
    "answer",
    [Choice("b", {"a": 0.5, "b": 0.5}, 0), Choice("a", {"a": 0.51, "b": 0.5}, 0), Choice("a", {"a": 1, "b": 0}, 1)],
)
async def test_ties_and_rounding_are_forgiven(answer: Choice) -> None:
    choice, _ = await Decider(_Scripted(answer)).choose(Observation("s"), QUESTION)

    assert choice == answer


async def test_an_unusable_answer_is_asked_for_again_with_the_same_request() -> None:
    model = _Scripted(BAD, GOOD)
    choice, decision = await Decider(model).choose(Observation("s"), QUESTION)

    assert choice == GOOD
    assert model.asked[0] == model.asked[1]
    assert (decision.attempts, decision.usage.input_tokens) == (2, 14)


async def test_a_deterministic_model_is_not_asked_twice() -> None:
    model = _Scripted(BAD, GOOD, deterministic=True)
    with pytest.raises(ModelCallFailedError):
        await Decider(model).choose(Observation("s"), QUESTION)

    assert len(model.asked) == 1


async def test_a_model_that_cannot_be_reached_is_not_asked_twice() -> None:
    model = _Scripted(ModelUnreachableError("away"), GOOD)
    with pytest.raises(ModelUnreachableError):
        await Decider(model).choose(Observation("s"), QUESTION)

    assert len(model.asked) == 1


@pytest.mark.parametrize("count", [0, 256])
async def test_too_few_and_too_many_options_are_not_asked(count: int) -> None:
    model = _Scripted(GOOD)
    with pytest.raises(QuestionError):
        await Decider(model).choose(Observation("s"), ChoiceQuestion({str(n): "" for n in range(count)}))

    assert model.asked == []


async def test_no_question_and_a_question_of_an_unsupported_kind_are_not_asked() -> None:
    model = _Scripted(GOOD)
    with pytest.raises(QuestionError):
        await Decider(model).decide_many(Observation("s"), {})
    model.question_types = frozenset()
    with pytest.raises(QuestionError) as caught:
        await Decider(model).decide_many(Observation("s"), {"q": QUESTION})

    assert caught.value.data["question"] == "q"
    assert model.asked == []


async def test_a_text_model_sees_no_images_and_says_so_once() -> None:
    model = _Scripted(GOOD, GOOD)
    decider = Decider(model)
    decisions = [(await decider.choose(Observation("s", (b"png",)), QUESTION))[1] for _ in range(2)]

    assert [observation.images for observation, _ in model.asked] == [(), ()]
    assert [len(decision.warnings) for decision in decisions] == [1, 0]


async def test_a_seeing_model_gets_the_images() -> None:
    model = _Scripted(GOOD)
    model.supports_images = True
    await Decider(model).choose(Observation("s", (b"png",)), QUESTION)

    assert model.asked[0][0].images == (b"png",)


@pytest.mark.parametrize(
    ("peak", "options", "expected"), [(1, 1, 1), (0.5, 2, 0), (1, 2, 1), (0.75, 2, 0.5), (0.25, 4, 0), (0.1, 4, 0)]
)
def test_confidence_is_how_far_the_peak_is_above_chance(peak: float, options: int, expected: float) -> None:
    assert confidence(peak, options) == pytest.approx(expected)


def test_of_equal_options_the_first_by_name_is_chosen() -> None:
    assert choice_from({"b": 0.4, "a": 0.4, "c": 0.2}).key == "a"


def test_unknown_usage_makes_the_sum_unknown() -> None:
    assert not (Usage(1, 1) + Usage(known=False)).known
    assert Usage(1, 2) + Usage(3, 4) == Usage(4, 6)
