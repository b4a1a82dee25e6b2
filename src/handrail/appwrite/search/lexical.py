"""BM25: how well a request's words fit the words of a method's name, first sentence and aliases.

Written here rather than taken from a library: those that are kept up cost more start-up than the whole server.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from handrail.appwrite.catalog.model import Method
from handrail.appwrite.search.words import telling_stems

__all__ = ["WordIndex"]

_K1: Final = 1.2
_B: Final = 0.3  # little: a method is long when it has many names
_NAME_WEIGHT: Final = 3  # a word of the name counts as often as this many of the sentence


class WordIndex:
    """An index over the words of methods. Built once, then only read."""

    def __init__(self, methods: Sequence[Method], phrases: Sequence[Sequence[str]]) -> None:
        bags = [Counter(_document(method, said)) for method, said in zip(methods, phrases, strict=True)]
        self._count = len(bags)
        self._lengths = [bag.total() for bag in bags]
        self._mean = sum(self._lengths) / len(bags) if bags else 1.0
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for place, bag in enumerate(bags):
            for word, count in bag.items():
                self._postings.setdefault(word, []).append((place, count))

    def scores(self, request: str) -> dict[int, float]:
        """The methods that share a word with the request, by place; 1 is what all its words could give at best."""
        scores: dict[int, float] = {}
        possible = 0.0
        for word in dict.fromkeys(telling_stems(request)):
            postings = self._postings.get(word, [])
            rarity = math.log(1 + (self._count - len(postings) + 0.5) / (len(postings) + 0.5))
            possible += rarity
            for place, count in postings:
                norm = count + _K1 * (1 - _B + _B * self._lengths[place] / self._mean)
                scores[place] = scores.get(place, 0.0) + rarity * count / norm
        return {place: score / possible for place, score in scores.items()}

    def shared(self, request: str, place: int) -> list[str]:
        """The words that a request and a method share."""
        stems = dict.fromkeys(telling_stems(request))
        return [word for word in stems if any(place == there for there, _ in self._postings.get(word, []))]


def _document(method: Method, phrases: Sequence[str]) -> list[str]:
    name = [*dict.fromkeys(telling_stems(method.tool))]  # `users_create_md5_user` is no more about users than others
    said = [stem for phrase in phrases for stem in telling_stems(phrase)]
    return name * _NAME_WEIGHT + telling_stems(method.summary) + said
