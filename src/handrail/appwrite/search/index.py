"""The index that a search asks: it puts meaning, words and verbs together."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from handrail.appwrite.catalog.model import Method
from handrail.appwrite.search.aliases import aliases_of, read_aliases
from handrail.appwrite.search.lexical import WordIndex
from handrail.appwrite.search.model import Found, Hit, Ranking
from handrail.appwrite.search.ranking import Judged, Ranker
from handrail.appwrite.search.soon import Soon
from handrail.appwrite.search.spelling import Spelling
from handrail.appwrite.search.texts import Kind, Text, texts_of
from handrail.appwrite.search.words import says_something, spaced, words

if TYPE_CHECKING:
    from handrail.appwrite.search.meaning import Meaning, Nearest
    from handrail.encoder import Encoder

__all__ = ["SearchIndex"]

_WHY: Final = {Kind.SENTENCE: "its description", Kind.NAME: "its name", Kind.ALIAS: "said as: {}"}
_LONGEST_REQUEST: Final = 600  # characters; what somebody wants stands at the beginning
_VENDOR: Final = frozenset({"appwrite", "appwrites"})  # says nothing here, except of the provider of that name


class SearchIndex:
    """An index over methods. Safe to ask from many threads; the first search begins to load the encoder.

    Args:
        methods: what can be found.
        patience_s: how long a search waits for the encoder before words alone decide, in seconds; None: until it is
            loaded, or cannot be.
        load: gives the encoder, where several share one; the package's own by default.
    """

    def __init__(
        self,
        methods: Iterable[Method],
        *,
        patience_s: float | None = None,
        load: "Callable[[], Encoder] | None" = None,
    ) -> None:
        self._methods = tuple(methods)
        self._by_name = {method.tool: place for place, method in enumerate(self._methods)}
        self._by_words = {tuple(words(method.tool)): place for place, method in enumerate(self._methods)}
        phrases = aliases_of(self._methods, read_aliases())
        self._texts = tuple(texts_of(self._methods, phrases))
        self._words = WordIndex(self._methods, phrases)
        self._ranker = Ranker(self._methods, self._words)
        self._spelling = Spelling(_vocabulary(self._methods, self._texts))
        self._patience_s = patience_s
        self._meaning: Soon[Meaning] = Soon(partial(_load_meaning, self._texts, load), "search by meaning")

    def search(self, query: str, *, limit: int = 8, services: Collection[str] = ()) -> Found:
        """The methods that fit a request best.

        Args:
            query: plain words, or a tool's name in any spelling, as `tablesDB.createRow`. Of a long one only the
                beginning counts.
            limit: how many at most.
            services: only of these services; all when empty.
        """
        exact = self._by_name.get(query.strip(), self._by_words.get(tuple(words(query))))
        request = _without_vendor(spaced(query[:_LONGEST_REQUEST]))
        mended = self._spelling.mended(request)
        requests = [request] if mended is None else [request, mended]
        judged, nearest = self._judged(requests)
        hits = [
            Hit(self._methods[one.place], one.score, self._why(one, requests, nearest))
            for one in self._in_order(judged, services, limit + 1)
            if one.place != exact
        ]
        ranking = Ranking.WORDS if nearest is None else Ranking.MEANING
        if exact is not None and (not services or self._methods[exact].service in services):
            hits.insert(0, Hit(self._methods[exact], 1.0, "its name"))
            ranking = Ranking.NAME
        read_as = mended if mended and any(one.request for one in judged[:1]) else None
        return Found(tuple(hits[:limit]), ranking, read_as)

    def share_known(self, query: str) -> float:
        """How many of a request's words the index has ever seen, of 1."""
        return self._spelling.share_known(query[:_LONGEST_REQUEST])

    def _judged(self, requests: Sequence[str]) -> "tuple[list[Judged], list[Nearest] | None]":
        """The methods, best first, and how near their texts are, where meaning decided."""
        if not says_something(requests[-1]):
            return [], None
        meaning = self._meaning.get(self._patience_s)
        if meaning is None:
            return self._ranker.by_words(requests), None
        nearest = meaning.nearest(requests)
        return self._ranker.by_meaning([near.scores.tolist() for near in nearest], requests), nearest

    def _in_order(self, judged: Sequence[Judged], services: Collection[str], count: int) -> list[Judged]:
        """The best ones, each deprecated one below what replaces it."""
        places = {one.place: one for one in judged}
        ordered: dict[int, Judged] = {}
        for one in judged:
            method = self._methods[one.place]
            if services and method.service not in services:
                continue
            new = self._by_name.get(method.deprecation.replacement or "") if method.deprecation else None
            if new is not None and (not services or self._methods[new].service in services):
                known = places.get(new, one)
                ordered.setdefault(new, Judged(new, max(one.score, known.score), known.request))
            ordered.setdefault(one.place, one)
            if len(ordered) >= count:
                break
        return [*ordered.values()][:count]

    def _why(self, one: Judged, requests: Sequence[str], nearest: "Sequence[Nearest] | None") -> str:
        if nearest is None:
            return f"words: {', '.join(self._words.shared(requests[one.request], one.place))}"
        text = self._texts[nearest[one.request].text(one.place)]
        return _WHY[text.kind].format(text.text)


def _without_vendor(request: str) -> str:
    kept = [word for word in request.split() if word.strip(".,:;!?'\"()").lower().replace("'", "") not in _VENDOR]
    return " ".join(kept) if kept and "provider" not in request.lower() else request.strip()


def _vocabulary(methods: Sequence[Method], texts: Sequence[Text]) -> Counter[str]:
    """How many methods use a word; the deprecated ones say nothing that their replacements do not."""
    by_method: dict[int, set[str]] = {}
    for text in texts:
        if methods[text.method].deprecation is None:
            by_method.setdefault(text.method, set()).update(words(text.text))
    return Counter(word for said in by_method.values() for word in said)


def _load_meaning(texts: Sequence[Text], load: "Callable[[], Encoder] | None") -> "Meaning":
    from handrail.encoder import load_encoder  # noqa: PLC0415  (its thread is the first that needs it)

    encoder = (load or load_encoder)()
    from handrail.appwrite.search.meaning import Meaning  # noqa: PLC0415  (numpy, on the encoder's terms)

    return Meaning(encoder, texts)
