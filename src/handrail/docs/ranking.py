"""How well each section and page fits a query. Pure: cosines and word scores in, an order out.

A page is worth what its best section is worth, what its title or another name for it is, where it stands, and a little
how many other pages link to it: of twins, the one that is referred to is meant. Meaning leads, words help. The weights
were found on one half of the labelled queries of `benchmarks/docs_search.py` and are judged on the other.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Meaning", "Ranked", "Words", "by_meaning", "by_words", "words_of", "words_query"]

_SECTION: Final = 1.0
_NAME: Final = 0.8
_PLACE: Final = 0.3
_SECTION_WORDS: Final = 0.25
_PAGE_WORDS: Final = 0.1
_LINKED: Final = 0.1
_WHOLE: Final = _SECTION + _NAME + _PLACE + _SECTION_WORDS + _PAGE_WORDS + _LINKED

# Where there is no meaning to go by.
_PAGE_ALONE: Final = 0.5
_LINKED_ALONE: Final = 0.2

_MOST_TERMS: Final = 64
_WORD: Final = re.compile(r"\w+")
_STOP: Final = frozenset(
    {
        "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could", "do", "does", "for", "from", "has",
        "have", "how", "i", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "should", "that",
        "the", "their", "them", "there", "this", "to", "up", "us", "want", "was", "we", "what", "when", "where",
        "which", "who", "why", "with", "would", "you", "your",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ranked:
    """A section of an answer: its number, and its score in about [0, 1], higher is better."""

    section: int
    score: float


@dataclass(frozen=True, slots=True)
class Words:
    """Scores by words, of the sections and of the pages that have some, each at most 1."""

    sections: Mapping[int, float]
    pages: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Meaning:
    """Cosines with the query: of each section's nearest window, each page's nearest name, each page's path."""

    sections: "NDArray[np.float32]"
    names: "NDArray[np.float32]"
    places: "NDArray[np.float32]"


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, each once."""
    return [*dict.fromkeys(_WORD.findall(text.lower()))]


def words_query(words: Sequence[str]) -> str:
    """The query for FTS5: any of the words, quoted, so that nothing in them is syntax. Empty where there is none."""
    telling = [word for word in words if word not in _STOP] or words
    return " OR ".join(f'"{word}"' for word in telling[:_MOST_TERMS])


def by_words(words: Words, page_of: Sequence[int], linked: Sequence[float]) -> list[Ranked]:
    """The sections that have a word of the query, best first."""
    first: dict[int, int] = {}
    for section, page in enumerate(page_of):
        first.setdefault(page, section)
    # A page that has the words in its other names alone is there with its first section.
    scores = {**dict.fromkeys((first[page] for page in words.pages if page in first), 0.0), **words.sections}
    ranked = [Ranked(section, _alone(score, page_of[section], words, linked)) for section, score in scores.items()]
    return sorted(ranked, key=lambda one: (-one.score, one.section))


def by_meaning(
    meaning: Meaning, words: Words, page_of: "NDArray[np.int32]", linked: "NDArray[np.float32]"
) -> list[Ranked]:
    """All sections, best first."""
    pages = _NAME * meaning.names + _PLACE * meaning.places + _LINKED * linked
    for page, score in words.pages.items():
        pages[page] += _PAGE_WORDS * score
    sections = _SECTION * meaning.sections + pages[page_of]
    for section, score in words.sections.items():
        sections[section] += _SECTION_WORDS * score
    return [Ranked(int(section), float(sections[section]) / _WHOLE) for section in (-sections).argsort(kind="stable")]


def _alone(score: float, page: int, words: Words, linked: Sequence[float]) -> float:
    """What a section is worth by its words, those of its page, and the links to that."""
    whole = 1 + _PAGE_ALONE + _LINKED_ALONE
    return (score + _PAGE_ALONE * words.pages.get(page, 0.0) + _LINKED_ALONE * linked[page]) / whole
