"""What a call would do, told before it is made: the request, its risks, what is there now, and what it needs."""

from collections.abc import Awaitable, Callable
from typing import Final

import anyio

from handrail.appwrite.catalog.model import Method, Place
from handrail.appwrite.files_on_disk import StoredFile
from handrail.appwrite.outcome import CallResult, Outcome
from handrail.appwrite.plan import JsonBody, MultipartBody, RequestPlan
from handrail.appwrite.preview.difference import bounded, changes_of
from handrail.appwrite.preview.twins import ReadTwin, ReadTwins
from handrail.appwrite.results.fencing import ORIGIN, fence_document
from handrail.appwrite.results.masking import mask
from handrail.errors import HandrailError
from handrail.hints import Effect, Risk
from handrail.json_types import Json, JsonMapping, JsonObject

__all__ = ["ReadNow", "preview_of", "request_view"]

ReadNow = Callable[[Method, JsonObject], Awaitable[CallResult]]
"""Calls a read for a preview: bounded in time, its secrets masked."""

_READ_SECONDS: Final = 5.0


async def preview_of(  # noqa: PLR0917  (what a call is made of)
    method: Method, arguments: JsonMapping, effect: Effect, plan: RequestPlan, twins: ReadTwins, read: ReadNow
) -> JsonObject:
    """What a call would do. Only reads are sent for it.

    Args:
        method: what would be called.
        arguments: with which arguments, checked.
        effect: of this very call.
        plan: the request that would be sent.
        twins: finds the read that shows what is there now.
        read: makes that read.

    Returns:
        `{request, hints, risks, rule, reason, irreversible, current, changes, matches, current_problem}`, without
        secrets, and nothing in it hidden.
    """
    shown: JsonObject = {
        "request": request_view(plan),
        "hints": {**effect.hints.as_dict()},
        "risks": [{"risk": risk.value, "meaning": risk.meaning} for risk in sorted(effect.risks)],
        "rule": effect.rule,
        "reason": effect.reason,
        "irreversible": _irreversible(method, effect),
        "current": None,
        "changes": None,
        "matches": None,
        "current_problem": None,
    }
    twin = None if effect.is_read else twins.of(method, arguments)
    told = shown if twin is None else {**shown, **await _now(method, arguments, twin, read)}
    whole = fence_document({**told, "request": mask(told["request"]).document})
    return whole if isinstance(whole, dict) else told


def request_view(plan: RequestPlan) -> JsonObject:
    """A planned request as people read it: the line, and the body where there is one."""
    query = "&".join(f"{name}={value}" for name, value in plan.query)
    shown: JsonObject = {"method": plan.http_method, "path": plan.path + (f"?{query}" if query else "")}
    if isinstance(plan.body, JsonBody):
        shown["body"] = plan.body.document
    elif isinstance(plan.body, MultipartBody):
        shown["fields"] = [{"name": name, "value": value} for name, value in plan.body.fields]
        if plan.body.file is not None:
            content = plan.body.file.content
            where = content.shown if isinstance(content, StoredFile) else {}
            shown["file"] = {"name": plan.body.file.filename, "bytes": len(content), **where}
    return shown


async def _now(method: Method, arguments: JsonMapping, twin: ReadTwin, read: ReadNow) -> JsonObject:
    """What is there now. A preview that cannot see it says so, and is still a preview."""
    try:
        with anyio.fail_after(_READ_SECONDS):
            result = await read(twin.method, twin.arguments)
    except (HandrailError, TimeoutError) as error:
        problem = error.message if isinstance(error, HandrailError) else f"no answer within {_READ_SECONDS:g} s"
        return {"current_problem": f"{twin.method.tool}: {problem}"}
    if result.outcome is not Outcome.DONE or not isinstance(result.result, dict):
        said: Json = (result.error or {}).get("message", "no usable answer")
        return {"current_problem": f"{twin.method.tool}: {said}"}
    if twin.counts:
        return {"matches": result.result.get("total")}
    in_path = frozenset(parameter.name for parameter in method.parameters if parameter.place is Place.PATH)
    changes = [_masked_change(change) for change in changes_of(arguments, in_path, result.result)]
    return {"current": bounded(result.result), "changes": [*changes], "origin": ORIGIN}


def _masked_change(change: JsonObject) -> JsonObject:
    """A change without its secrets: the name of its field, which says so, does not stand before its values."""
    name = str(change["field"])
    sides = {side: mask({name: change[side]}).document for side in ("before", "after")}
    return {**change, **{side: shown[name] for side, shown in sides.items() if isinstance(shown, dict)}}


def _irreversible(method: Method, effect: Effect) -> str | None:
    if Risk.IRREVERSIBLE in effect.risks:
        return Risk.IRREVERSIBLE.meaning
    return "what is deleted is gone" if method.http_method == "DELETE" else None
