"""Text that somebody else wrote and a model will read: what in it was meant to be hidden, or to give orders."""

import re
import unicodedata
from typing import Final

__all__ = ["suspicious"]

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co"})
_PLAIN: Final = frozenset("\n\r\t")
_ORDERS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override)\b[^.]{0,60}\b(?:instruction|prompt|guideline)s?\b",
        r"\byou (?:must|should|shall|have to|need to)\b[^.]{0,30}\b(?:call|invoke|run|execute|use this tool)\b",
        r"\b(?:always|first|before (?:using|calling|running)[^.]{0,40})\b[,:]? (?:call|invoke) (?:this|the) tool\b",
        r"\bdo not (?:tell|inform|mention|ask|warn)\b[^.]{0,30}\b(?:user|human|person|anyone|anybody)\b",
        r"\bwithout (?:asking|telling|informing|confirm\w+ with)\b[^.]{0,30}\b(?:user|human|person)\b",
        r"\b(?:system|developer) (?:prompt|message)\b",
        r"</?(?:important|system|instructions?|secret|assistant)>",
        r"\b(?:as|you are) an? (?:ai|assistant|language model)\b",
    )
)


def suspicious(text: str) -> tuple[str, ...]:
    """What in a text looks as if it were not meant for people.

    Args:
        text: as it was found, before any cleaning.

    Returns:
        One short phrase for each finding: hidden characters by their names, and words that give a model orders.
        Empty for honest text.
    """
    hidden = sorted({char for char in text if char not in _PLAIN and unicodedata.category(char) in _HIDDEN})
    found = [f"hidden character U+{ord(char):04X} {unicodedata.name(char, 'control')}" for char in hidden]
    seen = "".join(char for char in text if char not in hidden)
    orders = (pattern.search(" ".join(seen.split())) for pattern in _ORDERS)
    found.extend(f"it gives a model orders: '{order[0][:80]}'" for order in orders if order)
    return tuple(found)
