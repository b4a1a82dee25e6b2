"""Where calls go and whether they would get through: what a model should know before it begins."""

from dataclasses import dataclass
from typing import Final

import anyio

from handrail.appwrite.answers import read_answer
from handrail.appwrite.catalog import Catalog, ResponseKind
from handrail.appwrite.evidence import judge
from handrail.appwrite.json_document import json_document
from handrail.appwrite.outcome import Outcome
from handrail.appwrite.plan import RequestPlan
from handrail.appwrite.planner import plan_request
from handrail.appwrite.transport import Answer, Transport
from handrail.errors import HandrailError
from handrail.json_types import Json, JsonObject

__all__ = ["context_of"]

_PROBE_S: Final = 1.8  # the whole answer is promised within 2 s, whatever is down
_ACCEPTED: Final = "general_unauthorized_scope"  # the key is one of the project's; it only may not list users
_VERSION: Final = RequestPlan(
    http_method="GET",
    path="/health/version",
    query=(),
    headers=(("accept", "application/json"),),
    sends_project=True,
    body=None,
    response=ResponseKind.JSON,
)


@dataclass(slots=True)
class _Probe:
    answer: Answer | None = None
    error: HandrailError | None = None


async def context_of(transport: Transport, catalog: Catalog) -> JsonObject:
    """Project, endpoint, server version, whether the key is accepted, and the services with their method counts.

    Answers within 2 s. What is missing or wrong stands in `problems`, each with what mends it.
    """
    version, users = _Probe(), _Probe()
    problem = _not_configured(transport)
    if problem is None:
        listing = plan_request(catalog.get("users_list"), {"queries": ['{"method":"limit","values":[1]}']}, config={})
        async with anyio.create_task_group() as group:
            group.start_soon(_ask, transport, _VERSION, version)
            group.start_soon(_ask, transport, listing, users)
        problem = _problem(catalog, users)
    return {
        "endpoint": transport.backend.shown_endpoint,
        "project": transport.backend.project or None,
        "server_version": _version(version) or _version(users),
        "ready": problem is None,
        "problems": [] if problem is None else [problem],
        "services": {**dict(sorted(catalog.services().items()))},
        "methods": len(catalog),
        "order": "search tools -> read with appwrite_call_read_tool -> write with appwrite_call_tool",
    }


def _not_configured(transport: Transport) -> JsonObject | None:
    try:
        transport.backend.require_configured()
    except HandrailError as error:
        return error.as_json()
    return None


async def _ask(transport: Transport, plan: RequestPlan, probe: _Probe) -> None:
    try:
        probe.answer = await transport.send(plan, within_s=_PROBE_S)
    except HandrailError as error:
        probe.error = error


def _problem(catalog: Catalog, users: _Probe) -> JsonObject | None:
    """What keeps calls from getting through, as the listing of users shows it."""
    if users.answer is None:
        return users.error.as_json() if users.error else None
    method = catalog.get("users_list")
    result = read_answer(method, judge(method), users.answer)
    accepted = result.outcome is Outcome.DONE or (result.error or {}).get("type") == _ACCEPTED
    return None if accepted else result.error


def _version(probe: _Probe) -> Json:
    """The server's version, which stands in its answer and in each of its errors."""
    try:
        document = json_document(probe.answer.content) if probe.answer else None
    except ValueError:
        return None
    return document.get("version") if isinstance(document, dict) else None
