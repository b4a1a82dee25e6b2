"""Mends slips of the pen against the words that the methods are described with."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

__all__ = ["Spelling"]

_WORD: Final = re.compile(r"[A-Za-z]+")
_ANY_WORD: Final = re.compile(r"[^\W_]+")
_SHORTEST: Final = 3
_LONG: Final = 6  # letters from which a word may have two slips
_LONGEST: Final = 24  # no word of ours is longer
_WORDS_MENDED: Final = 24  # a request of more words is prose, or a paste: its first ones have to do
_FIRST_LETTER: Final = 0.7  # people seldom miss the first letter
_RARITY: Final = 0.25


class Spelling:
    """Knows words and how often they occur.

    Args:
        known: each word in lower case with its count.
    """

    def __init__(self, known: Mapping[str, int]) -> None:
        self._known = known
        self._by_length: dict[int, list[tuple[str, int]]] = {}
        for word in known:
            if len(word) >= _SHORTEST:
                self._by_length.setdefault(len(word), []).append((word, _letters(word)))

    def share_known(self, request: str) -> float:
        """How many of the request's words are known, of 1; 1 for a request without words."""
        said = _ANY_WORD.findall(request.lower())
        return sum(word in self._known for word in said) / len(said) if said else 1.0

    def mended(self, request: str) -> str | None:
        """The request with each unknown word replaced by the known one that it is a slip of; None if there is none."""
        left = _WORDS_MENDED

        def mend(match: re.Match[str]) -> str:
            nonlocal left
            left -= 1
            return self._mended_word(match[0]) if left >= 0 else match[0]

        mended = _WORD.sub(mend, request)
        return None if mended == request else mended

    def _mended_word(self, written: str) -> str:
        word = written.lower()
        if word in self._known or not _SHORTEST <= len(word) <= _LONGEST:
            return written
        slips = 1 if len(word) < _LONG else 2
        near = ((known, slips_between(word, known, slips)) for known in self._maybe_near(word, slips))
        scored = [(self._strangeness(word, known, count), known) for known, count in near if count <= slips]
        return min(scored)[1] if scored else written

    def _maybe_near(self, word: str, slips: int) -> Iterator[str]:
        """The known words of about this length and these letters: each slip changes two letters at most."""
        letters = _letters(word)
        for size in range(len(word) - slips, len(word) + slips + 1):
            for known, theirs in self._by_length.get(size, []):
                if (letters ^ theirs).bit_count() <= 2 * slips:
                    yield known

    def _strangeness(self, word: str, known: str, slips: int) -> float:
        return slips + _FIRST_LETTER * (word[0] != known[0]) - _RARITY * math.log(self._known[known])


def _letters(word: str) -> int:
    """Which letters a word of a-z has, as bits. A digit shares one with a letter: more pass, not fewer."""
    return sum(1 << (ord(letter) & 31) for letter in set(word))


def slips_between(first: str, second: str, most: int) -> int:
    """Letters left out, added, wrong or swapped with their neighbour; more than `most` are not counted on."""
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        now = [i]
        for j, other in enumerate(second, 1):
            cost = min(row[j] + 1, now[-1] + 1, row[j - 1] + (letter != other))
            if before and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            now.append(cost)
        if min(now) > most:
            return most + 1
        before, row = row, now
    return row[-1]
