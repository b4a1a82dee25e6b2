"""Finds methods by plain words: BM25 over the words of their names and first sentences.

Written here rather than taken from a library: the ones that are kept up bring numpy, which costs more start-up and
memory than the whole server. The encoder that comes with the tool search will take the first place, and this its share.
"""

import difflib
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from handrail.appwrite.catalog.model import Method

__all__ = ["Hit", "SearchIndex"]

_K1: Final = 1.2
_B: Final = 0.6
_NAME_WEIGHT: Final = 3  # a word of the name counts as often as this many of the sentence
_DEPRECATED: Final = 0.5  # a deprecated twin comes below its replacement
_SLIP: Final = 0.8  # of 1: how alike a misspelt word and the word it stands for must be
_WORD: Final = re.compile(r"[a-z0-9]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STOP: Final = frozenset(
    {
        "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for", "from", "has", "have", "how", "i",
        "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "that", "the", "their", "them", "this",
        "to", "up", "want", "we", "what", "which", "with", "you", "your",
    }
)  # fmt: skip
_SAME: Final = {
    "add": "create", "new": "create", "make": "create", "insert": "create", "register": "create",
    "upload": "create", "start": "create", "invite": "create",
    "show": "get", "fetch": "get", "read": "get", "view": "get", "all": "list",
    "remove": "delete", "erase": "delete", "drop": "delete",
    "change": "update", "edit": "update", "modify": "update", "set": "update", "rename": "update",
    "member": "membership", "db": "database",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hit:
    """A method that was found. `score` is in [0, 1] against the best hit; an exact name scores 1."""

    method: Method
    score: float


class SearchIndex:
    """An index over methods. Built once, then only read."""

    def __init__(self, methods: Iterable[Method]) -> None:
        self._methods = tuple(methods)
        self._by_name = {method.tool: method for method in self._methods}
        bags = [Counter(_document(method)) for method in self._methods]
        self._lengths = [bag.total() for bag in bags]
        self._mean = (sum(self._lengths) / len(self._lengths)) if bags else 1.0
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for index, bag in enumerate(bags):
            for word, count in bag.items():
                self._postings.setdefault(word, []).append((index, count))

    def search(self, query: str, *, limit: int = 8, services: Collection[str] = ()) -> list[Hit]:
        """The methods that fit a request best.

        Args:
            query: plain words, or a tool's name.
            limit: how many at most.
            services: only of these services; all when empty.
        """
        scores = self._scores(query)
        exact = self._by_name.get(query.strip())
        best = max(scores.values(), default=0.0)
        hits = [
            Hit(self._methods[index], round(score / best, 4))
            for index, score in scores.items()
            if not services or self._methods[index].service in services
        ]
        hits.sort(key=lambda hit: (-hit.score, len(hit.method.tool), hit.method.tool))
        if exact is not None and (not services or exact.service in services):
            hits = [Hit(exact, 1.0), *(hit for hit in hits if hit.method is not exact)]
        return hits[:limit]

    def _scores(self, query: str) -> dict[int, float]:
        scores: dict[int, float] = {}
        for word in dict.fromkeys(self._known_words(_words(query))):
            postings = self._postings.get(word, [])
            rarity = math.log(1 + (len(self._methods) - len(postings) + 0.5) / (len(postings) + 0.5))
            for index, count in postings:
                norm = count + _K1 * (1 - _B + _B * self._lengths[index] / self._mean)
                scores[index] = scores.get(index, 0.0) + rarity * count * (_K1 + 1) / norm
        return {
            index: score * (_DEPRECATED if self._methods[index].deprecation else 1.0) for index, score in scores.items()
        }

    def _known_words(self, words: Sequence[str]) -> list[str]:
        """The query's words, each unknown one replaced by the known word that it is a slip of, if there is one."""
        return [word if word in self._postings else self._repaired(word) for word in words]

    def _repaired(self, word: str) -> str:
        found = difflib.get_close_matches(word, self._postings, n=1, cutoff=_SLIP)
        return found[0] if found else word


def _document(method: Method) -> list[str]:
    name = [*dict.fromkeys(_words(method.tool))]  # `users_create_md5_user` is no more about users than `users_create`
    return name * _NAME_WEIGHT + _words(method.title) + _words(method.summary)


def _words(text: str) -> list[str]:
    spaced = _CAMEL.sub(" ", text.replace("_", " "))
    return [_stem(word) for word in _WORD.findall(spaced.lower()) if word not in _STOP]


def _stem(word: str) -> str:
    """Singular of a plural, and one word for what people say in several."""
    singular = word
    for ending, replacement in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss") and len(word) > len(ending) + 2:
            singular = word.removesuffix(ending) + replacement
            break
    return _SAME.get(singular, singular)
