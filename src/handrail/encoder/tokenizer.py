"""WordPiece as the uncased BERT models were trained with it.

text -> clean, lower case, no accents -> words and single punctuation marks -> the longest known pieces of each word
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

__all__ = ["WordPieces"]

_UNKNOWN: Final = "[UNK]"
_FIRST: Final = "[CLS]"
_LAST: Final = "[SEP]"
_INSIDE: Final = "##"  # marks a piece that does not begin its word
_LONGEST_WORD: Final = 100  # characters; a longer one is unknown as a whole
_CHARS_PER_TOKEN: Final = 24  # no text is looked at further than this many characters for each token wanted
_CJK: Final = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_ASCII_MARKS: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_SPACES: Final = frozenset(" \t\n\r")
_CONTROL: Final = frozenset({"Cc", "Cf", "Co", "Cs"})


class WordPieces:
    """Turns texts into numbers of pieces.

    Args:
        pieces: the vocabulary; a piece's place is its number.
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        self._numbers: Mapping[str, int] = {piece: number for number, piece in enumerate(pieces)}
        self._unknown = self._numbers[_UNKNOWN]
        self._first, self._last = self._numbers[_FIRST], self._numbers[_LAST]

    def numbers(self, text: str, limit: int) -> list[int]:
        """The numbers of a text's pieces between the two that frame every text.

        Args:
            text: any.
            limit: how many at most, the frame counted.
        """
        found = [self._first]
        for word in _words(text[: limit * _CHARS_PER_TOKEN]):
            found += self._pieces(word)
            if len(found) >= limit:
                break
        return [*found[: limit - 1], self._last]

    def _pieces(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            end, number = self._longest(word, start)
            if number is None:
                return [self._unknown]
            found.append(number)
            start = end
        return found

    def _longest(self, word: str, start: int) -> tuple[int, int | None]:
        mark = _INSIDE if start else ""
        for end in range(len(word), start, -1):
            number = self._numbers.get(mark + word[start:end])
            if number is not None:
                return end, number
        return start, None


def _words(text: str) -> Iterator[str]:
    word = ""
    for char in _plain(text):
        if char in _SPACES or (not char.isascii() and unicodedata.category(char) == "Zs"):
            kind = ""
        elif _stands_alone(char):
            kind = char
        else:
            word += char
            continue
        if word:
            yield word
            word = ""
        if kind:
            yield kind
    if word:
        yield word


def _plain(text: str) -> str:
    """The text without control characters and accents, in lower case."""
    if text.isascii() and text.isprintable():
        return text.lower()
    kept = "".join(char for char in text if char in _SPACES or not _is_control(char))
    apart = unicodedata.normalize("NFD", kept)
    return "".join(char for char in apart if unicodedata.category(char) != "Mn").lower()


def _is_control(char: str) -> bool:
    return char in "\x00\ufffd" or unicodedata.category(char) in _CONTROL


def _stands_alone(char: str) -> bool:
    if char.isascii():
        return char in _ASCII_MARKS
    code = ord(char)
    return unicodedata.category(char).startswith("P") or any(first <= code <= last for first, last in _CJK)
