"""What an API key may read, found by asking: one small read for each scope, all at once.

What a key may write cannot be found without writing, so it is not asked.
"""

from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Final

import anyio

from handrail.appwrite.answers import read_answer
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.evidence import judge
from handrail.appwrite.outcome import CallResult, Outcome
from handrail.appwrite.planner import plan_request
from handrail.appwrite.transport import Transport
from handrail.errors import HandrailError
from handrail.json_types import JsonObject

__all__ = ["KeyScopes", "Reading", "ask_scopes"]

# The server looks at the scope before it looks for the thing: an id that nothing has asks as well as a real one.
_NOBODY: Final = "handrail-probe"
_AT_ONCE: Final = 8
_NO_SCOPE: Final = "general_unauthorized_scope"
_NOT_ACCEPTED: Final = frozenset({"user_unauthorized", "general_access_forbidden", "project_not_found"})
_LIMIT: Final = '{"method":"limit","values":[1]}'

_FIRST: Final = "users.read"
_PROBES: Final[dict[str, str]] = {
    _FIRST: "users_list",
    "sessions.read": "users_list_sessions",
    "teams.read": "teams_list",
    "databases.read": "tables_db_list",
    "tables.read": "tables_db_list_tables",
    "rows.read": "tables_db_list_rows",
    "buckets.read": "storage_list_buckets",
    "files.read": "storage_list_files",
    "functions.read": "functions_list",
    "execution.read": "functions_list_executions",
    "sites.read": "sites_list",
    "messages.read": "messaging_list_messages",
    "topics.read": "messaging_list_topics",
    "providers.read": "messaging_list_providers",
    "webhooks.read": "webhooks_list",
    "rules.read": "proxy_list_rules",
    "locale.read": "locale_list_codes",
}


class Reading(StrEnum):
    """Whether a key may read something."""

    GRANTED = "granted"
    REFUSED = "refused"
    UNKNOWN = "unknown"  # the server is down or slow, or does not have it


@dataclass(frozen=True, slots=True)
class KeyScopes:
    """What was found.

    Attributes:
        scopes: by scope, in a fixed order.
        problem: why no call would get through, in the shape of every error; None where one did.
    """

    scopes: dict[str, Reading]
    problem: JsonObject | None

    def named(self, reading: Reading) -> list[str]:
        """The scopes of which this was found."""
        return [scope for scope, found in self.scopes.items() if found is reading]


async def ask_scopes(transport: Transport, catalog: Catalog, *, within_s: float) -> KeyScopes:
    """Ask for each scope at once. What has not answered in time is unknown.

    Args:
        transport: where to.
        catalog: the methods; a scope whose method is not there is not asked.
        within_s: seconds in all.
    """
    found: dict[str, CallResult | HandrailError] = {}
    room = anyio.CapacityLimiter(_AT_ONCE)

    async def ask(scope: str, tool: str) -> None:
        async with room:
            found[scope] = await _asked(transport, catalog, tool, within_s)

    with anyio.move_on_after(within_s):
        async with anyio.create_task_group() as group:
            for scope, tool in _PROBES.items():
                if tool in catalog:
                    group.start_soon(ask, scope, tool)
    scopes = {scope: _reading(found.get(scope)) for scope in _PROBES}
    reached = any(reading is not Reading.UNKNOWN for reading in scopes.values())
    return KeyScopes(scopes, None if reached else _problem(found.get(_FIRST)))


async def _asked(transport: Transport, catalog: Catalog, tool: str, within_s: float) -> CallResult | HandrailError:
    try:
        method = catalog.get(tool)
        arguments: JsonObject = {p.name: _NOBODY for p in method.parameters if p.required}
        if any(parameter.name == "queries" for parameter in method.parameters):
            arguments["queries"] = [_LIMIT]
        answer = await transport.send(plan_request(method, arguments, config={}), within_s=within_s)
    except HandrailError as error:
        return error
    return read_answer(method, judge(method), answer)


def _reading(result: CallResult | HandrailError | None) -> Reading:
    if not isinstance(result, CallResult):
        return Reading.UNKNOWN
    kind = str((result.error or {}).get("type", ""))
    if result.outcome is Outcome.DONE:
        return Reading.GRANTED
    if kind == _NO_SCOPE:
        return Reading.REFUSED
    # It looked for the thing, so it had let the key pass.
    missing = result.status == HTTPStatus.NOT_FOUND and kind.endswith("_not_found")
    return Reading.GRANTED if missing and kind not in _NOT_ACCEPTED and "route" not in kind else Reading.UNKNOWN


def _problem(first: CallResult | HandrailError | None) -> JsonObject:
    if isinstance(first, CallResult) and first.error is not None:
        return first.error
    if isinstance(first, HandrailError):
        return first.as_json()
    return {
        "type": "answer_lost",
        "code": None,
        "message": "The server did not answer in time.",
        "next": "Check APPWRITE_ENDPOINT and the network, then ask again.",
    }
