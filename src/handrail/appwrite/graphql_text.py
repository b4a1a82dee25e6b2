"""Whether the body of a GraphQL request is proven to be queries and nothing else.

Only as much of the language is read as that needs: tokens, brackets, and the word that begins each definition.
Whatever is not understood is not proven.
"""

import re
from collections.abc import Mapping
from typing import Final

from handrail.json_types import Json

__all__ = ["only_queries"]

_MOST: Final = 100_000  # characters; a longer text is not read
_BODY_KEYS: Final = frozenset({"query", "operationName", "variables"})
_TOKEN: Final = re.compile(
    r'''(?P<skip>[\ufeff \t\r\n,]+|\#[^\r\n]*)
      | (?P<text>"""(?:[^"\\]|\\(?:""")?|"(?!""))*"""|"(?:[^"\\\r\n]|\\.)*")
      | (?P<name>[_A-Za-z][_0-9A-Za-z]*)
      | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
      | (?P<mark>\.\.\.|[!$&():=@\[\]{}|])''',
    re.VERBOSE,
)
# What stands before the selection of a query or a fragment; of brackets only the opening one is kept.
_NAME: Final = "[_A-Za-z][_0-9A-Za-z]*"
_DIRECTIVES: Final = rf"(?:@ {_NAME} (?:\( )?)*"
_HEAD: Final = re.compile(
    rf"(?:query (?:{_NAME} )?(?:\( )?{_DIRECTIVES}|fragment (?!on ){_NAME} on {_NAME} {_DIRECTIVES})?\{{"
)
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}


def only_queries(body: Json) -> bool:
    """Whether a GraphQL body holds queries only.

    Args:
        body: `{query, operationName, variables}`, or a list of those.

    Returns:
        True only where every document in it was understood, and each of its definitions is a query or a fragment.
    """
    if isinstance(body, list):
        return bool(body) and all(isinstance(one, Mapping) and only_queries(one) for one in body)
    if not isinstance(body, Mapping) or not body.keys() <= _BODY_KEYS:
        return False
    text = body.get("query")
    return isinstance(text, str) and len(text) <= _MOST and _is_query_document(text)


def _is_query_document(text: str) -> bool:
    tokens = _tokens(text)
    if not tokens:
        return False
    position, queries = 0, 0
    while position < len(tokens):
        queries += tokens[position] != "fragment"
        end = _end_of_definition(tokens, position)
        if end is None:
            return False
        position = end
    return queries > 0


def _tokens(text: str) -> list[str] | None:
    """The tokens without what has no meaning; every string is `""`. None where something is no token."""
    tokens: list[str] = []
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            return None
        position = found.end()
        if found.lastgroup == "text":
            tokens.append('""')
        elif found.lastgroup != "skip":
            tokens.append(found[0])
    return tokens


def _end_of_definition(tokens: list[str], start: int) -> int | None:
    """The position after the definition that begins here; None where it is not shaped as a query or a fragment."""
    head: list[str] = []
    waiting: list[str] = []
    for position in range(start, len(tokens)):
        mark = tokens[position]
        if not waiting:
            head.append(mark)
        if mark in _CLOSES:
            waiting.append(_CLOSES[mark])
        elif mark in _CLOSES.values():
            if not waiting or waiting.pop() != mark:
                return None
            if mark == "}" and not waiting:
                return position + 1 if _HEAD.fullmatch(" ".join(head)) else None
    return None
