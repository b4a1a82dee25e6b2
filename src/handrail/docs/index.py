"""Searches the index on disk. The vectors are held in memory, everything else is read when it is asked for.

Each search opens the file anew, so that one that was replaced meanwhile is used at once and none is held open.
"""

import json
import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Final

from handrail.docs.errors import SYNC_COMMAND, DocsIndexError
from handrail.docs.layout import FORMAT, INDEX_NAME, PackedVectors, VectorKind
from handrail.docs.ranking import Meaning, Ranked, Words, by_meaning, by_words, words_of, words_query
from handrail.json_types import JsonObject

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from handrail.docs.vectors import VectorTable
    from handrail.encoder import Encoder

__all__ = ["DocsHit", "DocsIndex"]

_SECTION_WEIGHTS: Final = "2.0, 3.0, 3.0, 1.0"  # path, title, headings, body
_PAGE_WEIGHTS: Final = "2.0, 4.0, 2.0, 1.0"  # path, title, description and other names, body
_SLIP: Final = 0.8  # of 1: how alike a misspelt word and the word it stands for must be
_SHORTEST: Final = 4  # letters of a word that is repaired
_REPAIRED: Final = 8  # words of a query that are repaired at most
_LONGEST: Final = 32  # letters of a word that is looked at for repair


@dataclass(frozen=True, slots=True)
class DocsHit:
    """A section that was found.

    Attributes:
        path: of its page.
        title: of its page.
        headings: above it.
        link: the address of the page, at the section where it has an anchor; empty where nobody knows it.
        text: Markdown, at most 1,500 bytes. Somebody else's words.
        labels: what its labeller said of it.
        score: in about [0, 1], higher is better.
        nearness: the cosine of the query and the section; None where only words were compared.
    """

    path: str
    title: str
    headings: tuple[str, ...]
    link: str
    text: str
    labels: tuple[str, ...]
    score: float
    nearness: float | None


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What is held of an index: what it says of itself, whose each section is, how linked each page is, the vectors."""

    about: JsonObject
    page_of: "array[int]"
    linked: "array[float]"
    tables: "dict[VectorKind, VectorTable]"


class DocsIndex:
    """The index in a folder, whichever is there at the moment. Safe to use from many threads.

    Args:
        folder: where `sync_docs` puts it; it need not be there.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / INDEX_NAME
        self._loaded: _Loaded | None = None

    def about(self) -> JsonObject:
        """What the index is: `source`, `built_at`, `pages`, `sections`, `windows`, `left_out`, `vectors`.

        Raises:
            DocsIndexError: there is none that can be used.
        """
        with self._open() as connection:
            return {name: value for name, value in _about(connection).items() if name not in {"format", "build"}}

    def search(self, query: str, encoder: "Encoder | None", *, limit: int, page: str = "") -> list[DocsHit]:
        """The sections that fit a query best, one of each page, or several of the one page that is asked for.

        Args:
            query: plain words.
            encoder: for the meaning; None to go by words alone.
            limit: how many at most.
            page: only sections of this path.

        Raises:
            DocsIndexError: there is no index that can be used.
        """
        with self._open() as connection:
            loaded = self._held(connection)
            said, repaired = words_of(query), _repaired(connection, words_of(query))
            words = _word_scores(connection, words_query(repaired))
            nearness: NDArray[np.float32] | None = None
            if encoder is None or not loaded.tables:
                ranked = by_words(words, loaded.page_of, loaded.linked)
            else:
                queries = [query] if said == repaired else [query, " ".join(repaired)]
                meaning = _meaning(loaded, encoder, queries)
                nearness = meaning.sections
                ranked = _ranked_by_meaning(loaded, meaning, words)
            only = _page_number(connection, page) if page else None
            chosen = _chosen(ranked, loaded.page_of, limit, only)
            return [_hit(connection, one, None if nearness is None else float(nearness[one.section])) for one in chosen]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """The file that is there now.

        Raises:
            DocsIndexError: there is none, or it cannot be used.
        """
        if not self._path.is_file():
            raise _unusable("There is no index of the documentation yet.", "missing")
        try:
            with closing(sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
                yield connection
        except (sqlite3.DatabaseError, ValueError, KeyError, TypeError, IndexError) as error:
            self._loaded = None
            raise _unusable("The index of the documentation is damaged.", "corrupt") from error

    def _held(self, connection: sqlite3.Connection) -> _Loaded:
        (build,) = connection.execute("SELECT value FROM about WHERE name = 'build'").fetchone() or (None,)
        held = self._loaded
        if held is None or build is None or held.about["build"] != json.loads(build):
            held = self._loaded = _load(connection)
        return held


def _load(connection: sqlite3.Connection) -> _Loaded:
    """What is held, once the whole file was looked through.

    Raises:
        DocsIndexError: it is of another version.
        (those of a file that is no index): see `DocsIndex._open`.
    """
    about = _about(connection)
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise sqlite3.DatabaseError("damaged")
    page_of = array("i", (page for (page,) in connection.execute("SELECT page FROM sections ORDER BY id")))
    linked = array("f", (linked for (linked,) in connection.execute("SELECT linked FROM pages ORDER BY id")))
    if about["sections"] != len(page_of) or about["pages"] != len(linked):
        raise sqlite3.DatabaseError("not whole")
    return _Loaded(about, page_of, linked, _tables(connection, len(page_of), len(linked)))


def _about(connection: sqlite3.Connection) -> JsonObject:
    about: JsonObject = {name: json.loads(said) for name, said in connection.execute("SELECT name, value FROM about")}
    if about.get("format") != FORMAT:
        raise _unusable("The index of the documentation is of another version of Handrail.", "other_version")
    return about


def _tables(connection: sqlite3.Connection, sections: int, pages: int) -> "dict[VectorKind, VectorTable]":
    rows = connection.execute("SELECT kind, numbers, scales, owners FROM vectors").fetchall()
    if not rows:
        return {}
    from handrail.docs.vectors import VectorTable  # noqa: PLC0415  (numpy only where there are vectors)

    owners = {VectorKind.WINDOWS: sections, VectorKind.NAMES: pages, VectorKind.PLACES: pages}
    packed = {VectorKind(kind): PackedVectors(*blobs) for kind, *blobs in rows}
    return {kind: VectorTable(packed[kind], count) for kind, count in owners.items()}


def _meaning(loaded: _Loaded, encoder: "Encoder", queries: Sequence[str]) -> Meaning:
    """The cosines with whichever of the queries is nearer."""
    import numpy as np  # noqa: PLC0415  (there are vectors, so it is loaded)

    vectors = encoder.encode(queries)
    windows, names, places = (
        np.max([loaded.tables[kind].nearest(vector) for vector in vectors], axis=0)
        for kind in (VectorKind.WINDOWS, VectorKind.NAMES, VectorKind.PLACES)
    )
    return Meaning(windows, names, places)


def _ranked_by_meaning(loaded: _Loaded, meaning: Meaning, words: Words) -> list[Ranked]:
    import numpy as np  # noqa: PLC0415  (likewise)

    page_of, linked = np.frombuffer(loaded.page_of, np.int32), np.frombuffer(loaded.linked, np.float32)
    return by_meaning(meaning, words, page_of, linked)


def _word_scores(connection: sqlite3.Connection, query: str) -> Words:
    if not query:
        return Words({}, {})
    return Words(
        _scores(connection, "words", _SECTION_WEIGHTS, query), _scores(connection, "page_words", _PAGE_WEIGHTS, query)
    )


def _scores(connection: sqlite3.Connection, table: str, weights: str, query: str) -> dict[int, float]:
    """BM25 of each row that has a word of the query, against the best one."""
    statement = f"SELECT rowid, -bm25({table}, {weights}) FROM {table} WHERE {table} MATCH ?"  # noqa: S608  (words of our own)
    found = dict[int, float](connection.execute(statement, (query,)).fetchall())
    best = max(found.values(), default=0.0)
    return {row: max(score, 0.0) / best for row, score in found.items()} if best > 0 else {}


def _repaired(connection: sqlite3.Connection, words: Sequence[str]) -> list[str]:
    """The words, each that is in no page replaced by the one that it is a slip of, if there is one."""
    mended = [*words]
    budget = _REPAIRED
    for place, word in enumerate(words):
        if not (_SHORTEST <= len(word) <= _LONGEST and word.isalpha() and budget) or _is_known(connection, word):
            continue
        budget -= 1
        mended[place] = _nearest(connection, word)
    return mended


def _is_known(connection: sqlite3.Connection, word: str) -> bool:
    return connection.execute("SELECT 1 FROM lexicon WHERE word = ?", (word,)).fetchone() is not None


def _nearest(connection: sqlite3.Connection, word: str) -> str:
    statement = "SELECT word FROM lexicon WHERE often AND word >= ? AND word < ? AND length(word) BETWEEN ? AND ?"
    bounds = (word[0], f"{word[0]}\U0010ffff", len(word) - 2, len(word) + 2)
    found = get_close_matches(word, (known for (known,) in connection.execute(statement, bounds)), n=1, cutoff=_SLIP)
    return found[0] if found else word


def _page_number(connection: sqlite3.Connection, path: str) -> int:
    row = connection.execute("SELECT id FROM pages WHERE path = ?", (path.rstrip("/"),)).fetchone()
    return -1 if row is None else int(row[0])


def _chosen(ranked: Sequence[Ranked], page_of: Sequence[int], limit: int, only: int | None) -> list[Ranked]:
    chosen: list[Ranked] = []
    seen: set[int] = set()
    for one in ranked:
        page = page_of[one.section]
        if len(chosen) == limit:
            break
        if page == only or (only is None and page not in seen):
            seen.add(page)
            chosen.append(one)
    return chosen


def _hit(connection: sqlite3.Connection, ranked: Ranked, nearness: float | None) -> DocsHit:
    statement = (
        "SELECT path, title, link, headings, anchor, text, labels FROM sections JOIN pages ON pages.id = page"
        " WHERE sections.id = ?"
    )
    path, title, link, headings, anchor, text, labels = connection.execute(statement, (ranked.section,)).fetchone()
    return DocsHit(
        path=path,
        title=title,
        headings=tuple(json.loads(headings)),
        link=f"{link}#{anchor}" if link and anchor else link,
        text=text,
        labels=tuple(json.loads(labels)),
        score=round(ranked.score, 4),
        nearness=None if nearness is None else round(nearness, 4),
    )


def _unusable(sentence: str, problem: str) -> DocsIndexError:
    return DocsIndexError(sentence, next_step=f"Build it: {SYNC_COMMAND}", problem=problem)
