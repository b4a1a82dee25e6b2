"""The tool search on labelled requests: recall, latency and memory, beside BM25 on the same catalog.

`python -m benchmarks.search`. `search_tune.tsv` is what the weights and the aliases were tuned on; `search_score.tsv`
was written before, and nothing was changed for it; `search_spread.tsv` has a request for each of a random sample of
methods, and was tuned on after a first look (.70, .94, .96 then). A request counts as answered at k when one of its
right tools is among the first k hits.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import psutil

from handrail.appwrite.catalog import Catalog, load_catalogs
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.search import SearchIndex
from handrail.appwrite.search.aliases import aliases_of, read_aliases
from handrail.appwrite.search.lexical import WordIndex

__all__ = ["Request", "compare", "read_requests", "recall"]

_BOUNDS: Final = {1: 0.80, 5: 0.93, 8: 0.95}
_MOST: Final = max(_BOUNDS)
_FILES: Final = {"scored": "search_score.tsv", "tuned on": "search_tune.tsv", "random methods": "search_spread.tsv"}

Search = Callable[[str], Sequence[str]]
"""A request to tool names, best first."""


@dataclass(frozen=True, slots=True)
class Request:
    """A labelled request: what kind it is, what is asked, every tool that is right."""

    kind: str
    ask: str
    right: frozenset[str]


def read_requests(name: str) -> list[Request]:
    """The requests of a file beside this one."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    fields = [line.split("\t") for line in lines if not line.startswith("#")]
    return [Request(kind, ask, frozenset(right.split())) for kind, ask, right in fields]


def recall(search: Search, requests: Sequence[Request]) -> dict[int, float]:
    """The share of requests that are answered among the first 1, 5 and 8 hits."""
    found = [(request, search(request.ask)) for request in requests]
    return {k: sum(bool(request.right & {*names[:k]}) for request, names in found) / len(requests) for k in _BOUNDS}


def compare() -> None:
    """Print everything."""
    catalog = load_catalogs(None)
    began = _memory_mb()
    index = SearchIndex(catalog)
    rivals = _word_searches(catalog)
    searches: dict[str, Search] = {"handrail": lambda ask: _names(index, ask), **rivals}
    index.search("anything")
    print(f"memory of index and encoder, MB   {_memory_mb() - began:.0f}")
    for half, name in _FILES.items():
        requests = read_requests(name)
        for rival, search in searches.items():
            _print_recall(f"{half}, {len(requests)} requests, {rival}", recall(search, requests))
        for kind in dict.fromkeys(request.kind for request in requests):
            some = [request for request in requests if request.kind == kind]
            _print_recall(f"  of these {len(some)} {kind}, handrail", recall(searches["handrail"], some))
    _print_latency(index)


def _word_searches(catalog: Catalog) -> dict[str, Search]:
    methods = [*catalog]
    bare = WordIndex(methods, [[] for _ in methods])
    with_aliases = WordIndex(methods, aliases_of(methods, read_aliases()))
    return {
        "BM25": lambda ask: _by_score(methods, bare.scores(ask)),
        "BM25 with the aliases": lambda ask: _by_score(methods, with_aliases.scores(ask)),
    }


def _by_score(methods: Sequence[Method], scores: dict[int, float]) -> list[str]:
    places = sorted(scores, key=lambda place: (-scores[place], methods[place].tool))
    return [methods[place].tool for place in places[:_MOST]]


def _names(index: SearchIndex, ask: str) -> list[str]:
    return [hit.method.tool for hit in index.search(ask, limit=_MOST).hits]


def _print_recall(what: str, figures: dict[int, float]) -> None:
    shown = "  ".join(f"@{k} {figures[k]:.3f} (bound {bound})" for k, bound in _BOUNDS.items())
    print(f"{what:<48} recall {shown}")


def _print_latency(index: SearchIndex) -> None:
    asks = [request.ask for name in _FILES.values() for request in read_requests(name)]
    walls, cpus = [], []
    for ask in asks:
        wall, cpu = time.perf_counter(), time.process_time()
        index.search(ask)
        walls.append((time.perf_counter() - wall) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
    for what, times in (("wall", walls), ("CPU", cpus)):
        middle, slow = median(times), quantiles(times, n=20)[-1]
        print(f"a search, {what:<4} ms   p50 {middle:.1f} (bound 15)  p95 {slow:.1f} (bound 40)")


def _memory_mb() -> float:
    return psutil.Process().memory_info().rss / 1e6


if __name__ == "__main__":
    compare()
