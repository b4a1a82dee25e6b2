"""What a text written for people says first: a vendor's own verb, beside the one in a name."""

import re
from collections.abc import Iterator
from typing import Final

from handrail.hints.verbs import VERBS

__all__ = ["first_sentence", "said_verb"]

_END: Final = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_WORD: Final = re.compile(r"[A-Za-z]+")
_MOST: Final = 500  # characters; a longer "sentence" is no sentence


def first_sentence(text: str) -> str:
    """The first sentence of a text, on one line, at most 500 characters."""
    return " ".join(_END.split(text.strip(), maxsplit=1)[0].split())[:_MOST]


def said_verb(text: str) -> str:
    """The verb that a text begins with, or an empty string.

    "Lists all users." says `list`, "Removes a file" says `remove`; "A list of users" says nothing.
    """
    word = _WORD.match(text.strip())
    forms = _forms(word.group().lower()) if word else ()
    return next((form for form in forms if form in VERBS), "")


def _forms(word: str) -> Iterator[str]:
    """The word, and what it may be the third person of: lists, searches, copies."""
    yield word
    if word.endswith("s"):
        yield word[:-1]
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("ies"):
        yield f"{word[:-3]}y"
