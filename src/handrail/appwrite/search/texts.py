"""The texts that a method is compared by."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from handrail.appwrite.catalog.model import Method

__all__ = ["Kind", "Text", "texts_of"]


class Kind(IntEnum):
    """What a text of a method is."""

    SENTENCE = 0  # the words of its name and its first sentence
    NAME = 1
    ALIAS = 2


@dataclass(frozen=True, slots=True)
class Text:
    """One text.

    Attributes:
        method: the place of its method.
        kind: what it is.
        text: it.
    """

    method: int
    kind: Kind
    text: str


def texts_of(methods: Iterable[Method], phrases: Sequence[Sequence[str]]) -> Iterator[Text]:
    """Every text of every method. `phrases` are those of the aliases, a list for each method."""
    for place, method in enumerate(methods):
        name = method.tool.replace("_", " ")
        yield Text(place, Kind.SENTENCE, f"{name}. {method.summary}")
        yield Text(place, Kind.NAME, name)
        for phrase in phrases[place]:
            yield Text(place, Kind.ALIAS, phrase)
