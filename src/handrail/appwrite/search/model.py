"""What a search finds."""

from dataclasses import dataclass
from enum import StrEnum

from handrail.appwrite.catalog.model import Method

__all__ = ["Found", "Hit", "Ranking"]


class Ranking(StrEnum):
    """What decided the order."""

    NAME = "name"  # the request was the tool's name
    MEANING = "meaning"
    WORDS = "words"  # the encoder was not there (yet)


@dataclass(frozen=True, slots=True)
class Hit:
    """A method that was found.

    Attributes:
        method: it.
        score: in (0, 1]; 1 for an exact name.
        why: what of it the request is like, in plain words.
    """

    method: Method
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a request.

    Attributes:
        hits: best first.
        ranking: what decided their order.
        read_as: the request with its slips mended, where that found something; else None.
    """

    hits: tuple[Hit, ...]
    ranking: Ranking
    read_as: str | None = None
