"""An approval as a person reads it before they decide. Pure; whoever prints it makes hidden characters visible."""

import json
from collections.abc import Iterable, Iterator

from handrail.approvals.records import Approval
from handrail.cli.output import Cell, Colour
from handrail.json_types import Json, JsonObject

__all__ = ["age", "approval_lines", "difference", "listing_row"]

_MINUTE = 60


def age(seconds: float) -> str:
    """How long, short: `45 s`, `3 min`."""
    whole = max(int(seconds), 0)
    return f"{whole} s" if whole < _MINUTE else f"{whole // _MINUTE} min"


def listing_row(approval: Approval, now: float) -> list[Cell]:
    """An approval as a row: id, age, tool, project, what it does."""
    asked = approval.asked
    return [
        approval.approval_id,
        age(now - approval.created_at),
        (asked.tool, Colour.STRONG),
        asked.project,
        asked.summary,
    ]


def approval_lines(approval: Approval, now: float) -> Iterator[tuple[str, Colour | None]]:
    """What is to be approved, line by line, each with its colour."""
    asked = approval.asked
    yield asked.tool, Colour.STRONG
    yield f"  does      {asked.summary}", None
    yield f"  project   {asked.project}", None
    yield f"  asked     {age(now - approval.created_at)} ago by {asked.owner}", None
    yield f"  ends in   {age(approval.expires_at - now)}", None
    yield from _known(asked.preview)
    yield from difference(asked.preview)


def difference(preview: JsonObject) -> Iterator[tuple[str, Colour | None]]:
    """What is there now and what would be, field by field, or the whole where it would be gone."""
    changes, current = preview.get("changes"), preview.get("current")
    if isinstance(changes, list) and changes:
        yield "What changes:", Colour.STRONG
        for change in changes:
            if isinstance(change, dict):
                yield f"  - {_said(change.get('field'))}: {_said(change.get('before'))}", Colour.BAD
                yield f"  + {_said(change.get('field'))}: {_said(change.get('after'))}", Colour.GOOD
    elif isinstance(current, dict):
        yield "What is there now:", Colour.STRONG
        yield from ((f"  - {name}: {_said(value)}", Colour.BAD) for name, value in current.items())


def _known(preview: JsonObject) -> Iterator[tuple[str, Colour | None]]:
    """The parts of a preview that have a meaning of their own here; the whole is printed as JSON beside."""
    for risk in _objects(preview.get("risks")):
        yield f"  risk      {risk.get('risk')}: {risk.get('meaning')}", Colour.CARE
    for name, words in (("irreversible", "final"), ("matches", "matches"), ("current_problem", "unseen")):
        if preview.get(name) is not None:
            yield f"  {words:<9} {_said(preview[name])}", Colour.CARE


def _objects(value: Json) -> Iterable[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _said(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
