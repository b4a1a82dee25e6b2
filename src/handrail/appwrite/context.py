"""Where calls go and whether they would get through: what a model should know before it begins."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import anyio

from handrail.appwrite.catalog.model import ResponseKind
from handrail.appwrite.plan import RequestPlan
from handrail.appwrite.transport import Answer, Transport
from handrail.errors import HandrailError
from handrail.json_types import Json, JsonObject

__all__ = ["context_of"]

_PROBE_S: Final = 1.8  # the whole answer is promised within 2 s, whatever is down
_VERSION: Final = "/health/version"
_USERS: Final = "/users"


@dataclass(slots=True)
class _Probe:
    answer: Answer | None = None
    error: HandrailError | None = None


async def context_of(transport: Transport, services: Mapping[str, int]) -> JsonObject:
    """Project, endpoint, server version, whether the key is accepted, and the services with their method counts.

    Answers within 2 s. What is missing or wrong stands in `problems`, each with what mends it.
    """
    backend = transport.backend
    version, key = _Probe(), _Probe()
    if backend.project and backend.key:
        async with anyio.create_task_group() as group:
            group.start_soon(_ask, transport, _VERSION, version)
            group.start_soon(_ask, transport, _USERS, key)
    problems = _problems(transport, key)
    return {
        "endpoint": backend.endpoint,
        "project": backend.project or None,
        "server_version": _version(version) or _version(key),
        "ready": not problems,
        "problems": problems,
        "services": dict(services),
        "methods": sum(services.values()),
        "order": "search tools -> read with appwrite_call_read_tool -> write with appwrite_call_tool",
    }


async def _ask(transport: Transport, path: str, probe: _Probe) -> None:
    query = (("queries[0]", '{"method":"limit","values":[1]}'),) if path == _USERS else ()
    plan = RequestPlan(
        http_method="GET",
        path=path,
        query=query,
        headers=(("accept", "application/json"),),
        sends_project=True,
        body=None,
        response=ResponseKind.JSON,
    )
    try:
        probe.answer = await transport.send(plan, within_s=_PROBE_S)
    except HandrailError as error:
        probe.error = error


def _document(probe: _Probe) -> JsonObject:
    try:
        document = json.loads(probe.answer.content) if probe.answer else {}
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _version(probe: _Probe) -> Json:
    return _document(probe).get("version")


def _problems(transport: Transport, key: _Probe) -> list[Json]:
    given = {"APPWRITE_PROJECT_ID": transport.backend.project, "APPWRITE_API_KEY": transport.backend.key}
    missing: list[Json] = [
        {
            "type": "not_configured",
            "message": f"{name} is not set.",
            "next": f"Set {name} where this server is started.",
        }
        for name, value in given.items()
        if not value
    ]
    if missing:
        return missing
    if key.error is not None:
        return [key.error.as_json()]
    return _refusal(key)


def _refusal(key: _Probe) -> list[Json]:
    kind = _document(key).get("type")
    advice = {
        "user_unauthorized": "The API key is not accepted: check APPWRITE_API_KEY.",
        "project_not_found": "There is no such project: check APPWRITE_PROJECT_ID and APPWRITE_ENDPOINT.",
        "general_access_forbidden": "The API key belongs to another project: check both.",
    }
    if isinstance(kind, str) and kind in advice:
        return [{"type": kind, "message": str(_document(key).get("message")), "next": advice[kind]}]
    if not _document(key):
        return [
            {
                "type": "answer_not_appwrite",
                "message": "What answers there is not Appwrite.",
                "next": "Check APPWRITE_ENDPOINT: https://<host>/v1.",
            }
        ]
    return []
