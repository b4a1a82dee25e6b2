"""Which of Appwrite's methods a piece of documentation is about: by what it names, calls or requests."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from handrail.appwrite.catalog import Catalog
from handrail.docs.page import Page
from handrail.docs.sections import Section

__all__ = ["ToolLabeller"]

_MOST: Final = 6  # methods of one section
_CALL: Final = re.compile(r"\b([A-Za-z_]\w*)\s*(?:\.|->|::)\s*([A-Za-z_]\w*)\s*[({]")
_REQUEST: Final = re.compile(
    r"\b(GET|POST|PUT|PATCH|DELETE)\b[^\n/]{0,40}?(?:https?://[^\s/]+)?(?:/v1)?(/[\w\-/{}<>:.\[\]]+)"
)
_COMMAND: Final = re.compile(r"\bappwrite ([a-z][a-z-]*) ([a-z][a-z-]*)")
_NAME: Final = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_HOLE: Final = re.compile(r"^(?:[{<\[:].*|.*[}>\]])$")
_WORDS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+")


class ToolLabeller:
    """Labels sections with tool names of a catalog.

    Args:
        catalog: only its names are given.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._deprecated = {method.tool for method in catalog if method.deprecation is not None}
        self._tools = frozenset(catalog.names())
        self._calls = {_plain(method.service) + "." + _plain(method.name): method.tool for method in catalog}
        self._requests = {_shape(method.http_method, method.path): method.tool for method in catalog}

    def __call__(self, page: Page, sections: Sequence[Section]) -> list[tuple[str, ...]]:
        """The methods of each section: those it mentions most first, deprecated ones last."""
        del page
        return [self._labels(section.source) for section in sections]

    def _labels(self, text: str) -> tuple[str, ...]:
        counts = Counter(self._mentions(text))
        ordered = sorted(counts, key=lambda tool: (tool in self._deprecated, -counts[tool]))
        return tuple(ordered[:_MOST])

    def _mentions(self, text: str) -> Iterator[str]:
        for found in _CALL.finditer(text):
            yield from self._known(self._calls, f"{_plain(found[1])}.{_plain(found[2])}")
        for found in _COMMAND.finditer(text):
            yield from self._known(self._calls, f"{_plain(found[1])}.{_plain(found[2])}")
        for found in _REQUEST.finditer(text):
            yield from self._known(self._requests, _shape(found[1], found[2]))
        yield from (name for name in _NAME.findall(text) if name in self._tools)

    @staticmethod
    def _known(table: dict[str, str], key: str) -> Iterator[str]:
        if key in table:
            yield table[key]


def _plain(name: str) -> str:
    """`tablesDB`, `tables_db` and `tables-db` are one service; `createRow` and `create_row` one method."""
    return "".join(_WORDS.findall(name)).lower()


def _shape(http_method: str, path: str) -> str:
    parts = ("{}" if _HOLE.match(part) else part for part in path.strip("/.").split("/"))
    return f"{http_method} /{'/'.join(parts)}"
