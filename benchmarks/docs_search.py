"""How often the right page of the documentation comes first, beside BM25 alone; how long a search takes.

    HANDRAIL_TEST_APPWRITE_DOCS=<folder or tarball of the pages> python -m benchmarks.docs_search [FOLDER OF AN INDEX]

The index is built first, which takes minutes; with a folder it is kept there and taken up again the next time.
"""

import os
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

import anyio

from handrail.appwrite.catalog import load_catalogs
from handrail.appwrite.docs_labels import ToolLabeller
from handrail.appwrite.docs_names import page_names
from handrail.docs import DocsIndex
from handrail.docs.sync import Stage, SyncRequest, sync_docs
from handrail.encoder import Encoder, load_encoder

__all__ = ["PAGES_VARIABLE", "Query", "compare", "labelled"]

PAGES_VARIABLE: Final = "HANDRAIL_TEST_APPWRITE_DOCS"
"""Where the pages are: they are Appwrite's, and no part of this project."""

_QUERIES: Final = Path(__file__).with_name("docs_queries.tsv")
_DEPTHS: Final = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class Query:
    """A question, the pages that answer it, and the part that it belongs to: `tune`, `score` or `held`."""

    half: str
    text: str
    pages: frozenset[str]


def labelled() -> list[Query]:
    """The labelled queries."""
    lines = (line for line in _QUERIES.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return [Query(half, text, frozenset(pages.split())) for half, text, pages in (line.split("\t") for line in lines)]


def compare(folder: Path) -> None:
    """Print the recall of both halves with meaning and by words alone, and the time of a search."""
    index, encoder = DocsIndex(folder), load_encoder()
    about = index.about()
    size = sum(path.stat().st_size for path in folder.glob("index.sqlite")) / 1e6
    print(f"docs index          {about['pages']} pages, {about['sections']} sections, {size:.1f} MB")
    for half in ("held", "score", "tune"):
        queries = [query for query in labelled() if query.half == half]
        for name, used in (("handrail", encoder), ("BM25 alone", None)):
            found = [_rank(index, query, used) for query in queries]
            shown = "  ".join(f"@{depth} {sum(rank < depth for rank in found) / len(found):.3f}" for depth in _DEPTHS)
            bound = "  (bounds @1 .75, @3 .90)" if used else ""
            print(f"docs recall, {half:<5}  {name:<11}{shown}  of {len(found)}{bound}")
    times = [_milliseconds(index, query, encoder) for query in labelled()]
    print(f"a docs search, ms   p50 {median(times):.0f}  p95 {quantiles(times, n=20)[-1]:.0f}")


def _rank(index: DocsIndex, query: Query, encoder: Encoder | None) -> int:
    hits = index.search(query.text, encoder, limit=max(_DEPTHS))
    return next((rank for rank, hit in enumerate(hits) if hit.path in query.pages), max(_DEPTHS))


def _milliseconds(index: DocsIndex, query: Query, encoder: Encoder) -> float:
    began = time.perf_counter()
    index.search(query.text, encoder, limit=4)
    return (time.perf_counter() - began) * 1000


def _build(pages: str, folder: Path) -> None:
    labeller = ToolLabeller(load_catalogs(None))
    request = SyncRequest(pages, site="https://appwrite.io", names=page_names())
    began = time.perf_counter()
    anyio.run(partial(sync_docs, folder, request, encoder=load_encoder, labeller=labeller, report=_quiet))
    print(f"docs index built    in {time.perf_counter() - began:.0f} s (what was encoded before is taken up)")


def _quiet(_stage: Stage, _done: int, _whole: int) -> None:
    return


def main() -> None:
    """Build the index and print the figures; say what is missing where the pages are not there."""
    pages = os.environ.get(PAGES_VARIABLE)
    if not pages:
        print(f"docs recall         not measured: {PAGES_VARIABLE} does not say where Appwrite's pages are")
        return
    with TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch)
        _build(pages, folder)
        compare(folder)


if __name__ == "__main__":
    main()
