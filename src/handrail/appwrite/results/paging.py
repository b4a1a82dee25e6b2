"""A document that is too large for one answer, in pages. Items of a list stay whole. Pure."""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Final

from handrail.appwrite.results.picking import LONGEST_PICK
from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonObject
from handrail.runs.view import PAGE_CHARACTERS, ResultText

__all__ = ["Pages", "document_text", "pages_of"]

_MOST_AROUND: Final = 2_048  # characters of what stands beside the list, repeated on every page
_LONGEST_ITEM: Final = PAGE_CHARACTERS - _MOST_AROUND  # always has room on a page
_MARK_SIZE: Final = 700  # at most, of what stands for a longer item
_ID_SHOWN: Final = 64
_TEXT_AROUND: Final = 256  # characters beside a file's text
_SHARE: Final = 2  # the list has more than one half of the text
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Pages:
    """A document and where it is cut.

    Attributes:
        document: the whole.
        text: the whole as JSON.
        items: the list whose items the pages share out, by the name of its field; "" is the document itself, None
            means that pages are pieces of the text.
        cuts: where in the list each page begins and ends.
        picked: the expression that the document was picked with, or an empty string.
    """

    document: Json
    text: ResultText
    items: str | None
    cuts: tuple[tuple[int, int], ...]
    picked: str = ""

    @property
    def count(self) -> int:
        """How many pages there are; one at least."""
        return self.text.pages if self.items is None else len(self.cuts)

    @property
    def form(self) -> str:
        """What pages share out: `items` of a list, or a `text`."""
        return "text" if self.items is None or isinstance(self._shared(), str) else "items"

    @property
    def size(self) -> int:
        """Characters of the whole."""
        return len(self.text.text)

    @property
    def sha256(self) -> str:
        """The hash of the whole in UTF-8."""
        return hashlib.sha256(self.text.text.encode()).hexdigest()

    def page(self, number: int) -> Json:
        """One page; the first is 1.

        Returns:
            The document itself where there is one page; else the same object with some of the list's items, some of
            the items where the document is a list, or a piece of the JSON text.

        Raises:
            ArgumentError: there is no such page.
        """
        if not 1 <= number <= self.count:
            raise ArgumentError(
                f"page must be from 1 to {self.count}.",
                argument="page",
                next_step=f"Ask for a page from 1 to {self.count}.",
                pages=self.count,
            )
        if self.count == 1 and len(self.text.text) <= PAGE_CHARACTERS:
            return self.document
        if self.items is None:
            return self.text.page(number)
        piece = self._piece(*self.cuts[number - 1])
        if isinstance(self.document, dict):
            return {name: piece if name == self.items else value for name, value in self.document.items()}
        return piece

    def _shared(self) -> Json:
        """What the pages share out."""
        return self.document[self.items or ""] if isinstance(self.document, dict) else self.document

    def _piece(self, start: int, stop: int) -> Json:
        whole = self._shared()
        if isinstance(whole, str):
            return whole[start:stop]
        items = whole[start:stop] if isinstance(whole, list) else []
        return [_placed(item, self._path(start + at)) for at, item in enumerate(items)]

    def _path(self, at: int) -> str | None:
        """The expression that picks one item; None where it would be longer than one may be."""
        name = self.items or ""
        name = name if not name or _PLAIN_NAME.fullmatch(name) else json.dumps(name)
        path = f"{self.picked} | {name}[{at}]" if self.picked else f"{name}[{at}]"
        return path if len(path) <= LONGEST_PICK else None


def document_text(document: Json) -> str:
    """The document as one line of JSON."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def pages_of(document: Json, *, text: str | None = None, picked: str = "") -> Pages:
    """The pages of a document whose texts can be said in UTF-8.

    Args:
        document: the whole.
        text: the same as JSON, where it is at hand.
        picked: the expression that the document was picked with.
    """
    whole = ResultText(document_text(document) if text is None else text)
    if whole.pages == 1:
        return Pages(document, whole, None, (), picked)
    if isinstance(document, dict) and isinstance(file := document.get("text"), str) and "content_type" in document:
        return Pages(document, whole, "text", _text_cuts(file), picked)
    name, items = _longest_list(document)
    sizes = [len(document_text(item)) + 1 for item in items]
    around = len(whole.text) - sum(sizes)
    if len(items) < _SHARE or sum(sizes) * _SHARE < len(whole.text) or around > _MOST_AROUND:
        return Pages(document, whole, None, (), picked)
    return Pages(document, whole, name, _cuts(sizes, PAGE_CHARACTERS - around), picked)


def _longest_list(document: Json) -> tuple[str, list[Json]]:
    if isinstance(document, list):
        return "", document
    lists = [(name, value) for name, value in _fields(document) if isinstance(value, list)]
    return max(lists, key=lambda one: len(one[1]), default=("", []))


def _fields(document: Json) -> list[tuple[str, Json]]:
    return list(document.items()) if isinstance(document, dict) else []


def _cuts(sizes: list[int], room: int) -> tuple[tuple[int, int], ...]:
    """As many items on a page as have room; one that is too long counts as what stands for it."""
    cuts: list[tuple[int, int]] = []
    start = used = 0
    for at, size in enumerate(sizes):
        taken = size if size <= _LONGEST_ITEM else _MARK_SIZE
        if at > start and used + taken > room:
            cuts.append((start, at))
            start, used = at, 0
        used += taken
    return (*cuts, (start, len(sizes)))


def _text_cuts(text: str) -> tuple[tuple[int, int], ...]:
    """Pieces whose JSON has room on a page."""
    room = PAGE_CHARACTERS - _TEXT_AROUND
    cuts: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        stop = min(start + room, len(text))
        while len(document_text(text[start:stop])) > room:
            stop = start + (stop - start) // 2
        cuts.append((start, stop))
        start = stop
    return tuple(cuts)


def _placed(item: Json, path: str | None) -> Json:
    """The item, or, where it is longer than a page has room for, what says so and how to get it."""
    size = len(document_text(item)) + 1
    if size <= _LONGEST_ITEM:
        return item
    known = item.get("$id") if isinstance(item, dict) else None
    mark: JsonObject = {"$id": known} if isinstance(known, str) and len(known) <= _ID_SHOWN else {}
    return {**mark, "not_shown": {"size": size - 1, "pick": path}}
