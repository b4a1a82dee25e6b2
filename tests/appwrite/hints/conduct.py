"""What a method of the stand-in really does: valid arguments for each, and what two calls leave behind."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from handrail.appwrite import Outcome
from handrail.appwrite.catalog.model import Method, Parameter, Place
from handrail.hints import Hints
from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.sandbox import SandboxState
from tests.appwrite.callers import Caller

__all__ = ["COUNTERS", "FINAL_REFUSALS", "Seen", "arguments", "broken", "observe", "prepare"]

_DEFAULTS: Final[JsonMapping] = {
    "big_int": 3,
    "boolean": True,
    "datetime": "2030-01-01T00:00:00.000+00:00",
    "email": "kind@example.com",
    "enum": "one",
    "float": 1.5,
    "integer": 3,
    "ip": "127.0.0.1",
    "longtext": "words",
    "mediumtext": "words",
    "string": "words",
    "text": "words",
    "url": "https://example.com",
    "varchar": "words",
}
# What the seed and `prepare` made, and values that differ from those that they gave.
_BY_NAME: Final[JsonMapping] = {
    "bucket_id": "docs",
    "column": "stock",
    "columns": ["name"],
    "data": {"name": "Lantern", "price": 18.5},
    "database_id": "shop",
    "default": None,
    "elements": ["one", "two"],
    "email": "new@example.com",
    "email_verification": True,
    "file": {"filename": "note.txt", "text": "A note."},
    "file_id": "welcome",
    "function_id": "greet",
    "impersonator": True,
    "key": "stock",
    "labels": ["vip"],
    "membership_id": "m1",
    "mfa": True,
    "name": "New name",
    "number": "+12065550100",
    "password": "new-password-1",
    "phone_verification": True,
    "prefs": {"theme": "dark"},
    "required": False,
    "roles": ["guide"],
    "row_id": "hammer",
    "rows": [{"$id": "r1", "name": "Lantern", "price": 18.5}],
    "runtime": "node-22",
    "secret": "none",
    "session_id": "s1",
    "size": 64,
    "status": False,
    "table_id": "products",
    "team_id": "staff",
    "type": "key",
    "user_id": "ada",
    "value": "stern",
    "variable_id": "tone",
}
_BY_TOOL: Final[Mapping[str, JsonMapping]] = {
    "functions_create_variable": {"key": "FRESH"},
    "tables_db_decrement_row_column": {"value": 1},
    "tables_db_delete_index": {"key": "by_price"},
    "tables_db_get_index": {"key": "by_price"},
    "tables_db_increment_row_column": {"value": 1},
    "tables_db_update_row": {"data": {"price": 18.5}},
    "tables_db_update_rows": {"data": {"on_sale": True}},
    "tables_db_upsert_rows": {"rows": [{"$id": "saw", "name": "Fine saw", "price": 30}]},
    "teams_create_membership": {"user_id": "linus"},
}
# Optional, and nothing would happen without them.
_WANTED: Final = frozenset({"data", "name", "email", "value"})
_FRESH: Final = "fresh"
_DATA: Final = ("users", "sessions", "teams", "memberships", "databases", "buckets", "functions")
_PREPARED: Final[tuple[tuple[str, JsonMapping], ...]] = (
    ("users_create", {"user_id": "linus", "email": "linus@example.com"}),
    ("users_update_prefs", {"user_id": "ada", "prefs": {"theme": "light"}}),
    ("users_create_session", {"user_id": "ada"}),
    ("teams_update_prefs", {"team_id": "staff", "prefs": {"theme": "light"}}),
    ("teams_create_membership", {"team_id": "staff", "roles": ["guest"], "user_id": "grace"}),
    (
        "tables_db_create_index",
        {"database_id": "shop", "table_id": "products", "key": "by_price", "type": "key", "columns": ["price"]},
    ),
)
# The stand-in has their routes, and a key is never answered 2xx there.
FINAL_REFUSALS: Final[Mapping[str, int]] = {
    "account_get": 401,  # accounts belong to people
    "functions_create_execution": 404,  # there is no deployment to run
    "functions_delete_execution": 404,  # so there is no execution either
    "functions_get_execution": 404,
    "functions_list_runtimes": 401,  # for guests and people only, in the real one too
    "tables_db_list_specifications": 404,  # 1.9.6 has no such route, and takes the word for a database's id
    "teams_update_membership_status": 401,  # takes the secret of an invitation's letter
}
# Counts of other things, which tell of what was added: the number of a team's memberships.
COUNTERS: Final = frozenset({"teams/staff/total"})


def arguments(method: Method) -> JsonObject:
    """Valid arguments of a method: what it needs, and the options without which it would change nothing."""
    own = _BY_TOOL.get(method.tool, {})
    return {
        parameter.name: own.get(parameter.name, _value(method, parameter))
        for parameter in method.parameters
        if parameter.required or parameter.name in own or (parameter.name in _WANTED and _sets(method))
    }


def _sets(method: Method) -> bool:
    return method.http_method in {"PATCH", "PUT"}


def _value(method: Method, parameter: Parameter) -> Json:
    name, shape = parameter.name, _column_shape(method)
    new = method.name.startswith("create") and parameter.place is Place.PARAMS
    if new and (name.endswith("_id") or name == "key"):
        return _FRESH
    if shape is not None and method.name.startswith("update") and name in {"default", "key"}:
        return _DEFAULTS[shape] if name == "default" else f"a_{shape}"
    if parameter.place is Place.FILE:
        return _BY_NAME["file"]
    return _BY_NAME[name] if name in _BY_NAME else _anything(parameter.schema)


def _column_shape(method: Method) -> str | None:
    """The type in `create_ip_column`, `update_ip_column`."""
    shape = method.name.removesuffix("_column").partition("_")[2]
    return shape if method.service == "tables_db" and method.name.endswith("_column") and shape in _DEFAULTS else None


def _anything(schema: JsonObject) -> Json:
    """Any value of a type, to ask whether there is such a route at all."""
    match schema:
        case {"enum": [first, *_]}:
            return first
        case {"type": "integer" | "number"}:
            return 1
        case {"type": "boolean"}:
            return True
        case {"type": "array"}:
            return []
        case {"type": "object"}:
            return {}
        case _:
            return "x"


async def prepare(calls: Caller, state: SandboxState) -> None:
    """Add to the seed what it lacks: a person, a session `s1`, a membership `m1`, an index, a column of each type."""
    table: JsonObject = {"database_id": "shop", "table_id": "products", "required": False}
    own: Mapping[str, JsonObject] = {
        "string": {"size": 32},
        "varchar": {"size": 32},
        "enum": {"elements": ["one", "two", "three"]},
    }
    columns = [
        (f"tables_db_create_{shape}_column", {**table, "key": f"a_{shape}", **own.get(shape, {})})
        for shape in _DEFAULTS
    ]
    for tool, given in [*_PREPARED, *columns]:
        made = await calls.call(tool, given, every=True)
        assert made.outcome is Outcome.DONE, (tool, made.error)
    await calls.read("tables_db_list_columns", {"database_id": "shop", "table_id": "products"})
    _rename(state.sessions, "userId", "ada", "s1")
    _rename(state.memberships, "userId", "grace", "m1")


def _rename(held: dict[str, JsonObject], field: str, value: str, new_id: str) -> None:
    """Give what the server named itself an id that the arguments know."""
    old_id = next(key for key, doc in held.items() if doc[field] == value)
    held[new_id] = {**held.pop(old_id), "$id": new_id}


@dataclass(frozen=True, slots=True)
class Seen:
    """What two calls with the same arguments did.

    Attributes:
        statuses: the HTTP status of each.
        changed: whether the first changed anything but moments.
        touched: whether either changed anything at all.
        repeated: whether the second changed anything but moments.
        lost: where a value that was there before the first is gone or another one.
    """

    method: Method
    statuses: tuple[int | None, int | None]
    changed: bool
    touched: bool
    repeated: bool
    lost: tuple[str, ...]

    @property
    def done(self) -> bool:
        """Whether the first was answered 2xx."""
        return self.statuses[0] in range(200, 300)

    @property
    def repeatable(self) -> bool:
        """Whether the second was done too, or found nothing more to delete."""
        gone = self.method.http_method == "DELETE" and self.statuses[1] == 404
        return self.statuses[1] in range(200, 300) or gone


async def observe(calls: Caller, state: SandboxState, method: Method) -> Seen:
    """Call a method twice, and put everything back as it was."""
    kept = {name: copy.deepcopy(getattr(state, name)) for name in _DATA}
    given = arguments(method)
    old, whole, before = state.data(stamps=False), state.digest(), state.digest(stamps=False)
    first = await calls.call(method.tool, given, every=True)
    lost, after = tuple(_lost(old, state.data(stamps=False))), state.digest(stamps=False)
    second = await calls.call(method.tool, given, every=True)
    seen = Seen(
        method,
        statuses=(first.status, second.status),
        changed=after != before,
        touched=state.digest() != whole,
        repeated=state.digest(stamps=False) != after,
        lost=lost,
    )
    for name, value in kept.items():
        setattr(state, name, value)
    return seen


def _lost(old: JsonMapping, new: JsonMapping, where: str = "") -> Iterator[str]:
    for key, value in old.items():
        now = new.get(key)
        if isinstance(value, dict) and isinstance(now, dict):
            yield from _lost(value, now, f"{where}{key}/")
        elif key not in new or now != value:
            yield f"{where}{key}"


def broken(hints: Hints, seen: Seen) -> list[str]:
    """The promises among a method's hints that its conduct broke."""
    said = []
    if hints.read_only and seen.touched:
        said.append("read_only")
    if hints.idempotent and (seen.repeated or not seen.repeatable):
        said.append("idempotent")
    if not hints.destructive and set(seen.lost) - COUNTERS:
        said.append("destructive")
    return said
