"""Requests and answers as the services see them, the table of routes, and what every service's lists share."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from handrail.json_types import Json, JsonObject
from handrail.sandbox.filters import Kind
from handrail.sandbox.multipart import Part
from handrail.sandbox.params import Params
from handrail.sandbox.queries import Plan, check, parse, run
from handrail.sandbox.state import SandboxState

__all__ = ["NO_CONTENT", "Answer", "Call", "Handler", "Route", "listing", "text_fields"]

_MAX_SEARCH = 256
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Call:
    """One request on its way to a service: checked key, split path, read body.

    Attributes:
        state: the stand-in's memory.
        ids: the path's ids by the template's names, decoded.
        params: the query of a GET, else the body's fields.
        headers: header names in small letters.
        files: the files of a multipart form by field name.
    """

    state: SandboxState
    ids: Mapping[str, str]
    params: Params
    headers: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Part] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service answers: a JSON `body`, or `content` of another type, or nothing (204)."""

    body: Json = None
    status: int = HTTPStatus.OK
    content: bytes | None = None
    content_type: str = "application/json; charset=UTF-8"
    headers: Mapping[str, str] = field(default_factory=dict)


NO_CONTENT = Answer(status=HTTPStatus.NO_CONTENT, content=b"", content_type="text/html")

Handler = Callable[[Call], Answer]


@dataclass(frozen=True, slots=True)
class Route:
    """One route of the real API.

    Attributes:
        method: HTTP method in capitals.
        template: the path after `/v1`, with `{names}`.
        scopes: an API key needs one of these.
        handler: answers it.
    """

    method: str
    template: str
    scopes: tuple[str, ...]
    handler: Handler

    def match(self, segments: tuple[str, ...]) -> dict[str, str] | None:
        """The ids in a path that is split at its slashes and decoded, or None if this route is not meant."""
        wanted = self.template.strip("/").split("/")
        if len(wanted) != len(segments):
            return None
        ids: dict[str, str] = {}
        for want, segment in zip(wanted, segments, strict=True):
            slot = _SLOT.fullmatch(want)
            if slot is not None:
                ids[slot[1]] = segment
            elif want != segment:
                return None
        return ids

    @property
    def fixed(self) -> int:
        """How many segments are words; the route with more of them wins."""
        return sum(not part.startswith("{") for part in self.template.strip("/").split("/"))


def text_fields(*names: str) -> dict[str, Kind]:
    """A query schema of text fields, with the fields that every document has."""
    return dict.fromkeys(("$id", "$createdAt", "$updatedAt", "$sequence", *names), Kind.TEXT)


def listing(
    call: Call,
    word: str,
    docs: Iterable[JsonObject],
    schema: Mapping[str, Kind],
    thing: str = "Document",
) -> Answer:
    """The answer of a list route: `{total, <word>: [...]}`, after `queries`, `search` and `total`.

    Raises:
        ApiError: for bad queries.
    """
    plan: Plan = parse(call.params.texts_or("queries"))
    check(plan, schema)
    sought = call.params.text_or("search", "", longest=_MAX_SEARCH).casefold()
    page = run(plan, (doc for doc in docs if _mentions(doc, sought)), thing)
    total = page.total if call.params.flag_or("total", default=True) else 0
    return Answer({"total": total, word: list[Json](page.docs)})


def _mentions(doc: JsonObject, sought: str) -> bool:
    fields = (doc.get(name) for name in ("$id", "name", "email", "phone", "key"))
    return not sought or any(isinstance(field, str) and sought in field.casefold() for field in fields)
