"""Which read shows what a write is about to change: found by paths, not by names. Pure.

PUT    /tablesdb/{d}/tables/{t}/rows/{r}    ->  GET /tablesdb/{d}/tables/{t}/rows/{r}
PATCH  /users/{u}/email                     ->  GET /users/{u}
DELETE /tablesdb/{d}/tables/{t}/rows        ->  GET /tablesdb/{d}/tables/{t}/rows, its total for these queries
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from handrail.appwrite.catalog.model import Method, Place, ResponseKind
from handrail.appwrite.evidence import judge
from handrail.json_types import JsonMapping, JsonObject

__all__ = ["ReadTwin", "ReadTwins"]

_HOLE = re.compile(r"\{(\w+)\}")
_OVERWRITES = frozenset({"PUT", "PATCH", "DELETE"})
_STEPS = frozenset({"increment", "decrement"})


@dataclass(frozen=True, slots=True)
class ReadTwin:
    """A read that shows what a write is about to change.

    Attributes:
        method: the read.
        arguments: what to call it with.
        counts: whether it lists what a bulk write matches, so that its total counts; else it shows the one thing.
    """

    method: Method
    arguments: JsonObject
    counts: bool


class ReadTwins:
    """The reads of a catalog by their paths.

    Args:
        methods: every method there is.
    """

    def __init__(self, methods: Iterable[Method]) -> None:
        self._by_path: dict[str, Method] = {}
        # A deprecated read shows the same thing, where it is the only one.
        for method in sorted(methods, key=lambda method: method.deprecation is not None):
            if method.http_method == "GET" and method.response is ResponseKind.JSON and judge(method).is_read:
                self._by_path.setdefault(_shape(method.path), method)

    def of(self, method: Method, arguments: JsonMapping) -> ReadTwin | None:
        """The read that shows what this call would change, or None where there is none.

        Args:
            method: a write.
            arguments: of the call, checked against its schema.
        """
        same = self._by_path.get(_shape(method.path))
        if "queries" in {parameter.name for parameter in method.parameters}:
            return _counting(same, arguments) if same and same.name.startswith("list") else None
        if method.http_method not in _OVERWRITES and not method.name.startswith(("upsert", "increment", "decrement")):
            return None
        for path in _candidates(method):
            found = self._by_path.get(_shape(path))
            if found is not None and not _needs_more(found):
                return ReadTwin(found, _path_arguments(found, method, arguments), counts=False)
        return None


def _candidates(method: Method) -> Iterator[str]:
    """The paths under which the thing that a write changes may be read, the likeliest first."""
    path = method.path
    yield path
    head, _, last = path.rpartition("/")
    if "{" in last:
        # /columns/boolean/{key} is one of /columns/{key}
        parent, _, kind = head.rpartition("/")
        if "{" not in kind:
            yield f"{parent}/{last}"
        return
    if last in _STEPS:
        yield head.rpartition("/")[0]
        return
    while head:
        yield head
        head, _, last = head.rpartition("/")
        if "{" in last:  # what comes before holds the thing and is not the thing
            return


def _counting(listing: Method, arguments: JsonMapping) -> ReadTwin:
    names = {parameter.name for parameter in listing.parameters}
    given = {name: value for name, value in arguments.items() if name in names and value is not None}
    queries = arguments.get("queries")
    limited: JsonObject = {**given, "queries": [*(queries if isinstance(queries, list) else []), _LIMIT_ONE]}
    return ReadTwin(listing, limited, counts=True)


_LIMIT_ONE = '{"method":"limit","values":[1]}'


def _needs_more(method: Method) -> bool:
    """Whether a read wants arguments that a write's path does not give."""
    return any(parameter.required and parameter.place is not Place.PATH for parameter in method.parameters)


def _path_arguments(read: Method, write: Method, arguments: JsonMapping) -> JsonObject:
    """The arguments of the read's path, taken from the write's by their place in it."""
    by_wire = {parameter.wire_name: parameter.name for parameter in write.parameters}
    given = [arguments.get(by_wire.get(hole, "")) for hole in _HOLE.findall(write.path)]
    holes = _HOLE.findall(read.path)
    wire = dict(zip(holes, given, strict=False))
    return {
        parameter.name: wire[parameter.wire_name]
        for parameter in read.parameters
        if parameter.place is Place.PATH and wire.get(parameter.wire_name) is not None
    }


def _shape(path: str) -> str:
    return _HOLE.sub("{}", path)
