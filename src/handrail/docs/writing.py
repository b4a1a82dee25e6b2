"""Writes an index aside and puts it in place whole."""

import errno
import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from handrail.docs.layout import FORMAT, SCHEMA, Content, Filed
from handrail.json_types import Json

__all__ = ["write_index"]

_UNFINISHED: Final = ".tmp-"
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_IDENTIFIER: Final = re.compile(r"\b(?:[A-Za-z]*[a-z0-9]+[A-Z]\w*|[A-Za-z]+(?:_[A-Za-z0-9]+)+)")
_LEXICON_WORD: Final = re.compile(r"[a-z]{3,32}")
_OFTEN: Final = 3  # times that a word must stand in the pages to be what a misspelt one may mean


def write_index(path: Path, content: Content) -> None:
    """Write an index and put it in place of the one that was there, at once; readers see the old one or the new one.

    Raises:
        OSError: it cannot be written; what was there is untouched.
    """
    for leftover in path.parent.glob(f"{path.name}{_UNFINISHED}*"):
        leftover.unlink(missing_ok=True)  # of a process that was killed: only one at a time is here
    temporary = path.with_name(f"{path.name}{_UNFINISHED}{os.urandom(8).hex()}")
    try:
        with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            _fill(connection, content)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except sqlite3.OperationalError as error:
        raise OSError(errno.EIO, f"the index cannot be written: {error}", str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def _fill(connection: sqlite3.Connection, content: Content) -> None:
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    for statement in SCHEMA:
        connection.execute(statement)
    connection.execute("BEGIN")
    rows = ((number, one.page, one.linked) for number, one in enumerate(content.pages))
    connection.executemany(
        "INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?)",
        ((number, page.path, page.title, page.description, page.link, linked) for number, page, linked in rows),
    )
    connection.executemany(
        "INSERT INTO sections VALUES (?, ?, ?, ?, ?, ?)",
        (_section_row(number, filed) for number, filed in enumerate(content.sections)),
    )
    connection.executemany(
        "INSERT INTO words (rowid, path, title, headings, body) VALUES (?, ?, ?, ?, ?)", _words_rows(content)
    )
    connection.executemany(
        "INSERT INTO page_words (rowid, path, title, names, body) VALUES (?, ?, ?, ?, ?)", _page_words_rows(content)
    )
    connection.executemany("INSERT INTO lexicon VALUES (?, ?)", _lexicon(content))
    vectors = ((kind.value, packed.numbers, packed.scales, packed.owners) for kind, packed in content.vectors.items())
    connection.executemany("INSERT INTO vectors VALUES (?, ?, ?, ?)", vectors)
    connection.executemany("INSERT INTO about VALUES (?, ?)", _about(content))
    connection.execute("COMMIT")


def _about(content: Content) -> Iterable[tuple[str, str]]:
    told: dict[str, Json] = {
        **content.about,
        "pages": len(content.pages),
        "sections": len(content.sections),
        "vectors": bool(content.vectors),
        "build": os.urandom(8).hex(),
        "format": FORMAT,
    }
    return ((name, json.dumps(said)) for name, said in told.items())


def _section_row(number: int, filed: Filed) -> tuple[int, int, str, str, str, str]:
    section = filed.section
    return number, filed.page, json.dumps(section.headings), section.anchor, section.text, json.dumps(filed.labels)


def _words_rows(content: Content) -> Iterator[tuple[int, str, str, str, str]]:
    """What is searched by words; `createRow` is also found by its words, and samples in all their languages."""
    for number, filed in enumerate(content.sections):
        page, section = content.pages[filed.page], filed.section
        title = f"{page.page.title} {page.page.description}"
        spoken = " ".join(_CAMEL.sub(" ", name).replace("_", " ") for name in set(_IDENTIFIER.findall(section.source)))
        yield number, page.spoken_place, title, " ".join(section.headings), f"{section.source} {spoken}"


def _page_words_rows(content: Content) -> Iterator[tuple[int, str, str, str, str]]:
    bodies: dict[int, list[str]] = {}
    for filed in content.sections:
        bodies.setdefault(filed.page, []).append(filed.section.text)
    for number, one in enumerate(content.pages):
        names = " ".join([one.page.description, *one.names])
        yield number, one.spoken_place, one.page.title, names, "\n".join(bodies.get(number, []))


def _lexicon(content: Content) -> Iterator[tuple[str, int]]:
    words: Counter[str] = Counter()
    for filed in content.sections:
        words.update(_LEXICON_WORD.findall(filed.section.text.lower()))
    for one in content.pages:
        words.update(_LEXICON_WORD.findall(" ".join([one.page.title, one.page.description, *one.names]).lower()))
    return ((word, int(count >= _OFTEN)) for word, count in sorted(words.items()))
