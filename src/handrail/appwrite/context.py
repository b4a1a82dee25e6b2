"""Where calls go, whether they would get through and what this process allows: what a model knows before it begins."""

import json
from typing import Final

import anyio

from handrail.appwrite.catalog import Catalog, ResponseKind
from handrail.appwrite.json_document import json_document
from handrail.appwrite.key_scopes import KeyScopes, Reading, ask_scopes
from handrail.appwrite.plan import RequestPlan
from handrail.appwrite.transport import Transport
from handrail.errors import HandrailError
from handrail.json_types import Json, JsonMapping, JsonObject

__all__ = ["context_of"]

_PROBE_S: Final = 1.7  # the whole answer is promised within 2 s, whatever is down
_LISTED: Final = 3  # names of one switch, and scopes that are told one by one
_SHOWN: Final = 160  # characters of a text that somebody else chose
_VERSION: Final = RequestPlan(
    http_method="GET",
    path="/health/version",
    query=(),
    headers=(("accept", "application/json"),),
    sends_project=True,
    body=None,
    response=ResponseKind.JSON,
)
_MOST_BYTES: Final = 2000
_WRITE: Final = "unknown until used: finding out would need a write"
_NO_SCOPES: Final = (
    "Give the key the scopes it lacks (Appwrite Console: Overview, Integrations, API keys), or use another."
)


async def context_of(
    transport: Transport,
    catalog: Catalog,
    *,
    switches: JsonMapping | None = None,
    docs: JsonMapping | None = None,
) -> JsonObject:
    """Project, endpoint, server version, what the key may read, the switches, the documentation, and the services.

    Answers within 2 s, in at most 2,000 bytes of JSON. What is missing or wrong stands in `problems`, each with what
    mends it.

    Args:
        transport: where calls go.
        catalog: the methods.
        switches: what this process has switched on, by name, such as `{"read_only": true}`; nothing is on by default.
        docs: what is known of the documentation's index; left out where nobody says.
    """
    problem = _not_configured(transport)
    found, version = (KeyScopes({}, problem), None) if problem else await _asked(transport, catalog)
    shown: JsonObject = {
        "endpoint": _short(transport.backend.shown_endpoint),
        "project": _short(transport.backend.project or None),
        "server_version": _short(version),
        "ready": found.problem is None,
        "problems": [] if found.problem is None else [_brief(found.problem)],
        "key": _key(found),
        "switches": {name: _few(value) for name, value in (switches or {}).items()},
        "methods": len(catalog),
        "services": {**dict(sorted(catalog.services().items()))},
    }
    return _fitting({**shown, "docs": dict(docs)} if docs is not None else shown)


def _fitting(answer: JsonObject) -> JsonObject:
    """The answer; where somebody's long names leave no room for the services, with their number alone."""
    services = answer["services"]
    if len(json.dumps(answer).encode()) <= _MOST_BYTES or not isinstance(services, dict):
        return answer
    return {**answer, "services": len(services)}


def _not_configured(transport: Transport) -> JsonObject | None:
    try:
        transport.backend.require_configured()
    except HandrailError as error:
        return error.as_json()
    return None


async def _asked(transport: Transport, catalog: Catalog) -> tuple[KeyScopes, Json]:
    """What the key may read, and the server's version, both asked at once."""
    versions: list[Json] = []

    async def ask_version() -> None:
        versions.append(await _version(transport))

    async with anyio.create_task_group() as group:
        group.start_soon(ask_version)
        found = await ask_scopes(transport, catalog, within_s=_PROBE_S)
    return found, versions[0]


async def _version(transport: Transport) -> Json:
    """The server's version, which stands in the answer and in each error of it."""
    try:
        document = json_document((await transport.send(_VERSION, within_s=_PROBE_S)).content)
    except (HandrailError, ValueError):
        return None
    return document.get("version") if isinstance(document, dict) else None


def _key(found: KeyScopes) -> JsonObject:
    """What the key may do, the longest list only counted: most keys may read all, or are not accepted at all."""
    if found.problem is not None:
        return {"read": "unknown", "write": "unknown"}
    lists: dict[str, list[Json]] = {reading.value: [*found.named(reading)] for reading in Reading}
    shown: JsonObject = {"read": {name: [*names] for name, names in lists.items() if names}, "write": _WRITE}
    return {**shown, "next": _NO_SCOPES} if lists[Reading.REFUSED.value] else shown


def _brief(problem: JsonObject) -> JsonObject:
    return {name: _short(problem.get(name)) for name in ("type", "message", "next")}


def _short(value: Json) -> Json:
    return f"{value[:_SHOWN]}..." if isinstance(value, str) and len(value) > _SHOWN else value


def _few(value: Json) -> Json:
    if not isinstance(value, list) or len(value) <= _LISTED:
        return _short(value)
    return [*(_short(one) for one in value[:_LISTED]), f"and {len(value) - _LISTED} more"]
