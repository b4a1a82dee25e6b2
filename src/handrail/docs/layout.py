"""The index on disk: one file of SQLite, written aside and put in place whole.

about       what it is: format, source, when, how many pages, sections and windows, whether it has vectors
pages       path, title, description, link, and how many others link to it, against the page with most
sections    page, headings, anchor, text, labels; its row is also the row of its words
words       an FTS5 index over path, title, headings and all that the section says
page_words  another over whole pages
lexicon     every word of the pages, for the repair of misspelt ones
vectors     of the windows, of the names and of the places of pages: int8 numbers, a scale and an owner a row
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from handrail.docs.page import Page
from handrail.docs.sections import Section
from handrail.json_types import JsonObject

__all__ = ["FORMAT", "INDEX_NAME", "SCHEMA", "Content", "Filed", "FiledPage", "PackedVectors", "VectorKind"]

FORMAT: Final = 1
"""Of the file. One of another format is not read."""

INDEX_NAME: Final = "index.sqlite"
"""Its name in the folder of the documentation."""

SCHEMA: Final = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    "CREATE TABLE pages (id INTEGER PRIMARY KEY, path TEXT UNIQUE, title, description, link, linked REAL)",
    "CREATE TABLE sections (id INTEGER PRIMARY KEY, page INTEGER, headings TEXT, anchor TEXT, text TEXT, labels TEXT)",
    "CREATE INDEX sections_of_page ON sections (page)",
    "CREATE VIRTUAL TABLE words USING fts5 (path, title, headings, body, content='', tokenize='porter unicode61')",
    "CREATE VIRTUAL TABLE page_words USING fts5 (path, title, names, body, content='', tokenize='porter unicode61')",
    "CREATE TABLE lexicon (word TEXT PRIMARY KEY, often INTEGER) WITHOUT ROWID",
    "CREATE TABLE vectors (kind TEXT PRIMARY KEY, numbers BLOB, scales BLOB, owners BLOB) WITHOUT ROWID",
)
"""The statements that make its tables."""

_BETWEEN_WORDS: Final = re.compile(r"[/_-]+")


class VectorKind(StrEnum):
    """What a row of vectors stands for."""

    WINDOWS = "windows"  # of a section
    NAMES = "names"  # of a page: its title with its description, and what else it is called
    PLACES = "places"  # of a page: its path


@dataclass(frozen=True, slots=True)
class PackedVectors:
    """Vectors as bytes: numbers (int8, row after row), a scale (float32) and an owner (int32) for each row."""

    numbers: bytes
    scales: bytes
    owners: bytes


@dataclass(frozen=True, slots=True)
class Filed:
    """A section as it is filed: the number of its page, itself, and the labels that somebody gave it."""

    page: int
    section: Section
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FiledPage:
    """A page as it is filed: itself, what else people call it, and how linked it is, in [0, 1]."""

    page: Page
    names: tuple[str, ...] = ()
    linked: float = 0.0

    @property
    def spoken_names(self) -> tuple[str, ...]:
        """Its names as they are encoded."""
        return (f"{self.page.title}. {self.page.description}".strip(), *self.names)

    @property
    def spoken_place(self) -> str:
        """Its path in words."""
        return _BETWEEN_WORDS.sub(" ", self.page.path).strip()


@dataclass(frozen=True, slots=True)
class Content:
    """All that goes into an index. Pages and sections are numbered by their place, and vectors owned by the numbers."""

    about: JsonObject
    pages: Sequence[FiledPage]
    sections: Sequence[Filed]
    vectors: Mapping[VectorKind, PackedVectors]
