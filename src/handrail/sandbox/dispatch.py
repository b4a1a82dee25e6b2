"""From a request to an answer: project, route, key, scope, ids, then the service. No I/O."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from itertools import chain
from urllib.parse import parse_qsl, unquote

from handrail.json_types import Json, JsonObject
from handrail.sandbox import about, buckets, columns, functions, rows, sessions, storage, tables, teams, users
from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.multipart import Part, boundary_of, read_parts
from handrail.sandbox.params import Params, check_path_id, no_constant
from handrail.sandbox.routing import Answer, Call, Route
from handrail.sandbox.state import SandboxState

__all__ = ["BASE", "NOT_FOUND_PAGE", "ROUTES", "Request", "dispatch"]

BASE = "/v1"
"""Where the API begins; everything else is the HTML page that the real one answers."""

NOT_FOUND_PAGE = Answer(
    status=HTTPStatus.NOT_FOUND,
    content=b'<!DOCTYPE html><html lang="en"><head><meta charset="UTF-8"><title>404 Not Found</title></head>'
    b"<body><h1>404 Not Found</h1></body></html>",
    content_type="text/html; charset=UTF-8",
)

ROUTES: tuple[Route, ...] = tuple(
    chain.from_iterable(
        service.ROUTES
        for service in (users, sessions, teams, tables, columns, rows, buckets, storage, functions, about)
    )
)

_SERVICES = frozenset(
    [
        "account",
        "activities",
        "advisor",
        "apps",
        "avatars",
        "backups",
        "console",
        "databases",
        "documentsdb",
        "domains",
        "embeddings",
        "functions",
        "graphql",
        "health",
        "locale",
        "messaging",
        "migrations",
        "mongo",
        "mysql",
        "oauth2",
        "organization",
        "organizations",
        "ping",
        "postgresql",
        "presences",
        "project",
        "projects",
        "proxy",
        "reports",
        "sites",
        "storage",
        "tablesdb",
        "teams",
        "tokens",
        "usage",
        "users",
        "vcs",
        "vectorsdb",
        "waf",
        "webhooks",
    ]
)
# Real routes that would else be taken for an id of a route that is here.
_LACKED = frozenset(
    [
        ("functions", "templates"),
        ("functions", "usage"),
        ("tablesdb", "transactions"),
        ("users", "identities"),
        ("users", "usage"),
    ]
)
_PERSONAL_SCOPES = frozenset({"public", "account"})
_GUEST_SCOPES = frozenset({"public", "locale.read"})
_QUERY_METHODS = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came off the wire.

    Attributes:
        method: in capitals.
        path: raw, still percent-encoded.
        query: raw, without the question mark.
        headers: names in small letters.
        body: all of it.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def dispatch(state: SandboxState, request: Request) -> Answer:
    """Let the state answer one request.

    Raises:
        ApiError: for every refusal; its `body()` is the answer.
    """
    if request.path != BASE and not request.path.startswith(f"{BASE}/"):
        return NOT_FOUND_PAGE
    if request.headers.get("x-appwrite-project") != state.project_id:
        raise ApiError(Fail.PROJECT_NOT_FOUND)
    segments = tuple(unquote(segment) for segment in request.path[len(BASE) :].strip("/").split("/"))
    if segments[0] not in _SERVICES:
        return NOT_FOUND_PAGE
    _check_key(state, request.headers.get("x-appwrite-key"))
    route, ids = _find(request.method, segments)
    _check_scope(state, request.headers.get("x-appwrite-key"), route)
    for name, value in ids.items():
        check_path_id(name, value)
    params, files = _read(request)
    return route.handler(Call(state, ids, params, request.headers, files))


def _check_key(state: SandboxState, key: str | None) -> None:
    if key and key not in state.keys:
        raise ApiError(Fail.USER_UNAUTHORIZED)


def _find(method: str, segments: tuple[str, ...]) -> tuple[Route, dict[str, str]]:
    """The route that is meant, the one with most fixed words first.

    Raises:
        ApiError: general_not_implemented (501) for what the stand-in lacks.
    """
    if segments[:2] not in _LACKED:
        for route in _by_method(method):
            ids = route.match(segments)
            if ids is not None:
                return route, ids
    raise ApiError(Fail.NOT_IMPLEMENTED, f"the route {method} /{'/'.join(segments)}")


@lru_cache(maxsize=16)
def _by_method(method: str) -> Sequence[Route]:
    wanted = "GET" if method == "HEAD" else method
    return sorted((route for route in ROUTES if route.method == wanted), key=lambda route: -route.fixed)


def _check_scope(state: SandboxState, key: str | None, route: Route) -> None:
    held = state.keys[key] if key else _GUEST_SCOPES
    wanted = set(route.scopes)
    if held is None and not wanted <= _PERSONAL_SCOPES:
        return
    if held is not None and wanted & held:
        return
    who = f"app.{state.project_id}@service.127.0.0.1 (role: applications)" if key else "User (role: guests)"
    missing = json.dumps(list(route.scopes), separators=(",", ":"))
    raise ApiError(Fail.UNAUTHORIZED_SCOPE, f"{who} missing scopes ({missing})")


def _read(request: Request) -> tuple[Params, dict[str, Part]]:
    if request.method in _QUERY_METHODS:
        return Params(_nested(parse_qsl(request.query, keep_blank_values=True))), {}
    boundary = boundary_of(request.headers.get("content-type", ""))
    if boundary is not None:
        parts = read_parts(request.body, boundary)
        fields = [(part.name, part.content.decode(errors="replace")) for part in parts if part.filename is None]
        return Params(_nested(fields)), {part.name: part for part in parts if part.filename is not None}
    return Params(_json_body(request.body)), {}


def _json_body(body: bytes) -> JsonObject:
    """The body's object; whatever else it is counts as no parameters at all, as the real one has it."""
    try:
        value: Json = json.loads(body, parse_constant=no_constant) if body else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _nested(pairs: Sequence[tuple[str, str]]) -> JsonObject:
    """Fields such as `queries[0]` and `queries[]` become lists, all others strings."""
    fields: JsonObject = {}
    for name, value in pairs:
        stem, bracket, _ = name.partition("[")
        if not bracket:
            fields[name] = value
            continue
        held = fields.setdefault(stem, [])
        if isinstance(held, list):
            held.append(value)
    return fields
