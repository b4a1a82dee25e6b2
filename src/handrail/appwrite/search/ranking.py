"""How what speaks for a method becomes one score. The weights were found on `benchmarks/search_tune.tsv`."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, NamedTuple

from handrail.appwrite.catalog.model import Method
from handrail.appwrite.search.lexical import WordIndex
from handrail.appwrite.search.words import Deed, deed_asked, deed_of, telling_stems

__all__ = ["Judged", "Ranker"]

_WORDS: Final = 0.15  # what all words at their best add to a cosine
_DEED: Final = 0.06  # what the verb adds where a method does that
_OTHER_DEED: Final = 0.04  # and takes where it does something else
_OTHERS: Final = 0.04  # what a method of the signed-in user's own account loses where nobody speaks of himself
_OTHER_NUMBER: Final = 0.06  # what a bulk method loses where one thing is meant, and its brother where many are
_DEPRECATED: Final = 0.04
_UNASKED: Final = 0.02  # what each word of a name that nobody said takes, where words alone decide
_FULL: Final = 1 + _WORDS + _DEED
_FULL_OF_WORDS: Final = 1 + _DEED
_FAINTEST: Final = 0.2  # of 1: a cosine below says nothing

_OWN_SERVICE: Final = "account"
_ONESELF: Final = re.compile(r"\b(my|me|i|myself|own|current|signed.in|logged.in)\b", re.IGNORECASE)
_BULK: Final = frozenset(
    f"{verb}_{things}" for verb in ("create", "update", "upsert", "delete") for things in ("rows", "documents")
)
_SINGLE: Final = frozenset(name.removesuffix("s") for name in _BULK)
_ONE: Final = re.compile(r"\b(row|record|document|entry|item|object)\b", re.IGNORECASE)
_MANY: Final = re.compile(
    r"\b(rows|records|documents|entries|items|objects)\b|\b(every|each)\s+(row|record|document|entry|item|object)\b",
    re.IGNORECASE,
)


class Judged(NamedTuple):
    """What speaks for a method; a tuple, since a search makes a thousand of them.

    Attributes:
        place: its place.
        score: in (0, 1].
        request: the place of the request that fits it best: as written, or mended.
    """

    place: int
    score: float
    request: int


@dataclass(frozen=True, slots=True)
class _Traits:
    """What of a method is looked at beside its texts."""

    deed: Deed | None
    name: str
    name_words: frozenset[str]
    own: bool
    handicap: float


class Ranker:
    """Ranks methods. Built once, then only read."""

    def __init__(self, methods: Sequence[Method], words: WordIndex) -> None:
        self._words = words
        self._traits = [
            _Traits(
                deed=deed_of(method.name),
                name=method.name,
                name_words=frozenset(telling_stems(method.tool)),
                own=method.service == _OWN_SERVICE,
                handicap=_DEPRECATED if method.deprecation else 0.0,
            )
            for method in methods
        ]
        by_name = sorted(range(len(methods)), key=lambda place: (len(methods[place].tool), methods[place].tool))
        self._plainness = {place: rank for rank, place in enumerate(by_name)}  # of equals the shorter name comes first

    def by_meaning(self, cosines: Sequence[Sequence[float]], requests: Sequence[str]) -> list[Judged]:
        """The methods that mean something like one of the requests, best first.

        Args:
            cosines: for each request, how near each method is to it.
            requests: as written, and mended.
        """
        best: dict[int, Judged] = {}
        for number, (request, near) in enumerate(zip(requests, cosines, strict=True)):
            lexical, extra = self._words.scores(request), _extra_for(request)
            scores = (
                (place, (cosine + _WORDS * lexical.get(place, 0.0) + extra(self._traits[place])) / _FULL)
                for place, cosine in enumerate(near)
                if cosine >= _FAINTEST
            )
            _keep_best(best, scores, number)
        return self._ordered(best)

    def by_words(self, requests: Sequence[str]) -> list[Judged]:
        """The methods that share words with one of the requests, best first."""
        best: dict[int, Judged] = {}
        for number, request in enumerate(requests):
            extra, said = _extra_for(request), {*telling_stems(request)}
            scores = (
                (place, (score + extra(self._traits[place]) - self._unasked(place, said)) / _FULL_OF_WORDS)
                for place, score in self._words.scores(request).items()
            )
            _keep_best(best, scores, number)
        return self._ordered(best)

    def _unasked(self, place: int, said: AbstractSet[str]) -> float:
        return _UNASKED * len(self._traits[place].name_words - said)

    def _ordered(self, best: Mapping[int, Judged]) -> list[Judged]:
        return sorted(best.values(), key=lambda one: (-one.score, self._plainness[one.place]))


def _keep_best(best: dict[int, Judged], scores: Iterator[tuple[int, float]], request: int) -> None:
    for place, exact in scores:
        score = round(min(exact, 1.0), 4)
        known = best.get(place)
        if score > 0 and (known is None or score > known.score):
            best[place] = Judged(place, score, request)


def _extra_for(request: str) -> Callable[[_Traits], float]:
    """What a request says beside its meaning: what that gives or takes of a method's score."""
    asked = deed_asked(request)
    others = 0.0 if _ONESELF.search(request) else _OTHERS
    wrong_number = _SINGLE if _MANY.search(request) else _BULK if _ONE.search(request) else frozenset[str]()

    def extra(traits: _Traits) -> float:
        gained = -traits.handicap
        if asked is not None and traits.deed is not None:
            gained += _DEED if traits.deed is asked else -_OTHER_DEED
        if traits.own:
            gained -= others
        return gained - _OTHER_NUMBER if traits.name in wrong_number else gained

    return extra
