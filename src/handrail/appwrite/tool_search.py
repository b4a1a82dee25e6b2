"""What a search for tools answers: the hits with all that is needed to judge and call them."""

from collections.abc import Sequence
from typing import Final

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.definitions import DEFAULT_HITS
from handrail.appwrite.evidence import judge
from handrail.appwrite.search import Hit, SearchIndex
from handrail.arguments import UnknownName
from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonObject

__all__ = ["ToolSearch"]

_WITH_SCHEMA: Final = 3  # hits whose argument schema comes with them, so that the next call is right


class ToolSearch:
    """Searches one catalog. Making it indexes the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._services = sorted(catalog.services())
        self._index = SearchIndex(catalog)

    def find(self, query: str, *, limit: int = DEFAULT_HITS, services: Sequence[str] = ()) -> JsonObject:
        """The tools that fit a request best, as `{"tools": [...]}`, best first.

        Raises:
            ArgumentError: a service that does not exist.
        """
        for service in services:
            if service not in self._services:
                raise _unknown_service(service, self._services)
        hits = self._index.search(query, limit=limit, services=frozenset(services))
        return {"tools": [_shown(hit, full=rank < _WITH_SCHEMA) for rank, hit in enumerate(hits)]}


def _shown(hit: Hit, *, full: bool) -> Json:
    method, effect = hit.method, judge(hit.method)
    shown: JsonObject = {
        "name": method.tool,
        "title": method.title,
        "service": method.service,
        "summary": method.summary,
        "hints": dict(effect.hints.as_dict()),
        "risks": [*sorted(effect.risks)],
        "deprecated": method.deprecation is not None,
        "replacement": method.deprecation.replacement if method.deprecation else None,
        "score": hit.score,
        "required": [parameter.name for parameter in method.parameters if parameter.required],
    }
    return {**shown, "arguments": method.input_schema()} if full else shown


def _unknown_service(service: str, known: Sequence[str]) -> ArgumentError:
    said = UnknownName.among("service", service, known)
    return ArgumentError(said.sentence, argument="services", next_step=said.next_step, **said.data)
