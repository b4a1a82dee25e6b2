"""`rule`: the agent's own rule where it has one, else plain word overlap. No key, no weights, no network."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from handrail.decisions.contract import Choice, ChoiceQuestion, Observation, Question, QuestionType, Reply, choice_from
from handrail.json_types import Json

__all__ = ["Rule", "RuleModel"]

Rule: TypeAlias = Callable[[Json, ChoiceQuestion], str | None]
"""Chooses a key from an observation's state, or None where it does not apply."""

_TEMPERATURE: Final = 0.1  # of overlaps between 0 and 1; not fitted to anything, hence `calibrated` is false
_WORD: Final = re.compile(r"[^\W_]+")
_ENDINGS: Final = ("ing", "ed", "es", "s")
_STEM: Final = 3  # shortest stem that an ending is cut from
_COMMON: Final = frozenset({
    "a", "an", "and", "any", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from", "has", "have",
    "how", "if", "in", "into", "is", "it", "its", "my", "no", "not", "of", "on", "or", "our", "that", "the", "their",
    "them", "then", "there", "this", "to", "was", "we", "were", "what", "when", "where", "which", "who", "will",
    "with", "you", "your",
})  # fmt: skip


class RuleModel:
    """Follows a rule. Where none applies it compares words: the option that shares the rarest ones with the state.

    Options that share nothing with the state leave it near-uniform, with a confidence near 0.

    Args:
        rule: what an agent knows about its own environment.
    """

    name: Final = "rule"
    deterministic: Final = True
    calibrated: Final = False
    supports_images: Final = False
    question_types: Final = frozenset({QuestionType.CHOICE})

    def __init__(self, rule: Rule | None = None) -> None:
        self._rule = rule

    async def decide(self, observation: Observation, questions: Mapping[str, Question]) -> Reply:
        """See `DecisionModel`."""
        return Reply({name: self._choose(observation.state, question) for name, question in questions.items()})

    async def warm(self) -> None:
        """Nothing to load."""

    def begin(self, seed: int) -> None:
        """Nothing to forget."""

    async def close(self) -> None:
        """Nothing to free."""

    def _choose(self, state: Json, question: ChoiceQuestion) -> Choice:
        key = self._rule(state, question) if self._rule else None
        if key is None:
            return _by_words(state, question)
        return choice_from({option: float(option == key) for option in question.options} | {key: 1.0}, key)


def _by_words(state: Json, question: ChoiceQuestion) -> Choice:
    known = _stems(" ".join([_as_text(state), question.goal or "", *question.rules]))
    described = {key: _stems(f"{key} {text}") for key, text in sorted(question.options.items())}
    return choice_from(_softmax(_overlaps(known, described)))


def _overlaps(known: frozenset[str], described: Mapping[str, frozenset[str]]) -> dict[str, float]:
    """How much of each description the state holds, 0 to 1; a word counts more the fewer options have it."""
    used_by = Counter(stem for stems in described.values() for stem in stems)
    weight = {stem: math.log((1 + len(described)) / count) for stem, count in used_by.items()}
    overlaps = {}
    for key, stems in described.items():
        whole = math.fsum(weight[stem] for stem in stems)
        overlaps[key] = math.fsum(weight[stem] for stem in stems & known) / whole if whole else 0.0
    return overlaps


def _softmax(scores: Mapping[str, float]) -> dict[str, float]:
    peak = max(scores.values())
    grown = {key: math.exp((score - peak) / _TEMPERATURE) for key, score in scores.items()}
    whole = math.fsum(grown.values())
    return {key: value / whole for key, value in grown.items()}


def _as_text(state: Json) -> str:
    return state if isinstance(state, str) else json.dumps(state, ensure_ascii=False)


def _stems(text: str) -> frozenset[str]:
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in words if word not in _COMMON)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word.removesuffix(ending)
    return word
