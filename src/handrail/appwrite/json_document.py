"""Reads JSON that comes from outside, so that whatever is read can be said again."""

import json
import math
from collections.abc import Iterable
from typing import Final, NoReturn

from handrail.json_types import Json

__all__ = ["json_document"]

_DEEPEST: Final = 100  # levels that are handed on


def json_document(content: bytes) -> Json:
    """The JSON document, whose every number JSON can say again and which is not absurdly deep.

    Raises:
        ValueError: it is no such document.
    """
    try:
        document: Json = json.loads(content, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise ValueError("too deep") from None
    if content.count(b"[") + content.count(b"{") > _DEEPEST and not _is_shallow(document):
        raise ValueError("too deep")
    return document


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _is_shallow(document: Json) -> bool:
    """Whether no value lies deeper than is handed on."""
    level = [document]
    for _ in range(_DEEPEST):
        level = [child for value in level for child in _children(value)]
        if not level:
            return True
    return False


def _children(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
