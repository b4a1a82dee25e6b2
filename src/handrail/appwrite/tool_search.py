"""What a search for tools answers: the hits with all that is needed to judge and call them, and a note."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio.to_thread

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.definitions import DEFAULT_HITS
from handrail.appwrite.search import Found, Ranking, SearchIndex
from handrail.appwrite.search_hits import shown_hits
from handrail.arguments import UnknownName
from handrail.errors import ArgumentError
from handrail.json_types import JsonObject

if TYPE_CHECKING:
    from handrail.encoder import Encoder

__all__ = ["ToolSearch"]

_PATIENCE_S: Final = 0.5  # a first search has an answer within a second, whatever the encoder's loading takes
_ID: Final = re.compile(r"(?=\w*\d)[\w-]{12,}")
_ID_NOTE: Final = "That looks like an id. Say what to do with it, such as 'get a user'."
_ENGLISH: Final = 0.5  # of 1: fewer words than this are known where the request is not English
_WEAK: Final = 0.4  # a best score below is a guess


class ToolSearch:
    """Searches one catalog. Making it indexes the catalog; safe to ask from many threads.

    Args:
        catalog: the methods.
        patience_s: how long a search waits for the encoder before it answers by words alone, in seconds; None: until
            it is loaded.
        load: gives the encoder, where several share one; the package's own by default.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        patience_s: float | None = _PATIENCE_S,
        load: "Callable[[], Encoder] | None" = None,
    ) -> None:
        self._services = sorted(catalog.services())
        self._index = SearchIndex(catalog, patience_s=patience_s, load=load)

    def find(self, query: str, *, limit: int = DEFAULT_HITS, services: Sequence[str] = ()) -> JsonObject:
        """The tools that fit a request best.

        Blocks for 5 to 40 ms, the first time for up to the patience: call it in a thread.

        Returns:
            `{"tools": [...], "ranking": "name" | "meaning" | "words"}`, best first; `read_as` where slips were mended;
            `note` where there is something to know about the request.

        Raises:
            ArgumentError: a service that does not exist.
        """
        for service in services:
            if service not in self._services:
                raise _unknown_service(service, self._services)
        if self._is_id(query):
            return {"tools": [], "ranking": Ranking.WORDS.value, "note": _ID_NOTE}
        found = self._index.search(query, limit=limit, services=frozenset(services))
        answer: JsonObject = {"tools": shown_hits(found.hits), "ranking": found.ranking.value}
        if found.read_as is not None:
            answer["read_as"] = found.read_as
        note = self._note(query, found)
        return answer if note is None else {**answer, "note": note}

    async def answer(self, query: str, *, limit: int = DEFAULT_HITS, services: Sequence[str] = ()) -> JsonObject:
        """What `find` gives, without blocking the event loop."""
        return await anyio.to_thread.run_sync(partial(self.find, query, limit=limit, services=services))

    def _is_id(self, query: str) -> bool:
        return _ID.fullmatch(query.strip()) is not None and self._index.share_known(query) < _ENGLISH

    def _note(self, query: str, found: Found) -> str | None:
        """What the caller should know, where the hits do not speak for themselves."""
        if found.ranking is Ranking.NAME:
            return None
        if self._index.share_known(query) < _ENGLISH:
            return "Few of these words are known here. The search understands English best: say it in English."
        if not found.hits:
            return "Nothing fits. Say in plain words what you want to do, such as 'list users'."
        if found.ranking is Ranking.MEANING and found.hits[0].score < _WEAK:
            return "Nothing fits well; these are guesses. Say in plain words what you want to do, with which thing."
        return None


def _unknown_service(service: str, known: Sequence[str]) -> ArgumentError:
    said = UnknownName.among("service", service, known)
    return ArgumentError(said.sentence, argument="services", next_step=said.next_step, **said.data)
