"""A hit as callers see it: all that is needed to judge a method, and to call it where it is one of the first."""

import json
import re
from collections.abc import Sequence
from typing import Final

from handrail.appwrite.catalog.model import Method
from handrail.appwrite.evidence import judge
from handrail.appwrite.search import Hit
from handrail.appwrite.search_examples import example_call
from handrail.json_types import Json, JsonMapping, JsonObject

__all__ = ["shown_hits"]

_WITH_SCHEMA: Final = 3  # hits that are made ready to call, at most
_BUDGET: Final = 9_000  # characters of all hits: what hosts show of an answer without cutting it
_MANY: Final = 40  # values of an optional argument that are not all worth their place
_SOME: Final = 8
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def shown_hits(hits: Sequence[Hit]) -> list[Json]:
    """The hits as JSON. The first has its argument schema and an example call; the next ones too, if there is room."""
    shown = [_shown(hit) for hit in hits]
    left = _BUDGET - sum(_size(one) for one in shown)
    for rank, hit in enumerate(hits[:_WITH_SCHEMA]):
        ready = _ready(hit.method)
        left -= _size(ready)
        if rank and left < 0:
            break
        shown[rank].update(ready)
    return [*shown]


def _shown(hit: Hit) -> JsonObject:
    method, effect = hit.method, judge(hit.method)
    return {
        "name": method.tool,
        "title": method.title,
        "service": method.service,
        "summary": method.summary,
        "class": "read" if effect.hints.read_only else "write",
        "hints": dict(effect.hints.as_dict()),
        "risks": [*sorted(effect.risks)],
        "deprecated": method.deprecation is not None,
        "replacement": method.deprecation.replacement if method.deprecation else None,
        "score": hit.score,
        "why": hit.why,
        "required": [parameter.name for parameter in method.parameters if parameter.required],
    }


def _ready(method: Method) -> JsonObject:
    schema = method.input_schema()
    properties = schema["properties"]
    assert isinstance(properties, dict)  # noqa: S101  (`object_schema` gives nothing else)
    required = {parameter.name for parameter in method.parameters if parameter.required}
    brief: JsonObject = {name: _brief(details, full=name in required) for name, details in properties.items()}
    reads = judge(method).hints.read_only
    return {"arguments": {**schema, "properties": brief}, "example": example_call(method, reads=reads)}


def _brief(details: Json, *, full: bool) -> Json:
    """An argument's schema without links; of an optional one with very many values, some."""
    if not isinstance(details, dict):
        return details
    brief = dict(details)
    if isinstance(brief.get("description"), str):
        brief["description"] = _LINK.sub(r"\1", str(brief["description"]))
    if isinstance(brief.get("items"), dict):
        brief["items"] = _brief(brief["items"], full=full)
    values = brief.get("enum")
    if not full and isinstance(values, list) and len(values) > _MANY:
        del brief["enum"]
        some = ", ".join(str(value) for value in values[:_SOME])
        brief["description"] = f"{brief.get('description', '')} One of {len(values)} words: {some}, ...".strip()
    return brief


def _size(part: JsonMapping) -> int:
    return len(json.dumps(part, ensure_ascii=False))
