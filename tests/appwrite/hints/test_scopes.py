"""The hints against a source that knows nothing of them: the scopes that Appwrite 1.9.6 asks of a key."""

import json
import lzma
import re
from pathlib import Path
from typing import Final

import pytest

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.evidence import judge
from handrail.json_types import JsonObject

pytestmark = pytest.mark.unit

_DATA: Final = Path(__file__).parent / "data"
_SERVER: Final = Path(__file__).parents[2] / "sandbox" / "data" / "open-api3-1.9.6-server.json.xz"
_SLOT: Final = re.compile(r"\{\w+\}")
_COUNTS: Final = "counts what a migration would copy, and copies nothing; the scope is that of the whole service"
# Marked as reads, although a key needs a scope to write; each looked at by people.
READS_WITH_A_WRITE_SCOPE: Final = {
    "migrations_get_appwrite_report": _COUNTS,
    "migrations_get_firebase_report": _COUNTS,
    "migrations_get_n_host_report": _COUNTS,
    "migrations_get_supabase_report": _COUNTS,
    "vcs_create_repository_detection": "reads a repository at the Git provider and names its framework; stores nothing",
}
# Marked as writes, although a scope to read is enough. There is none.
WRITES_WITH_A_READ_SCOPE: Final[dict[str, str]] = {}


def _scopes(platform: str) -> dict[str, list[str]]:
    """The scopes of each operation, its path's names left out: SDK and description differ in them."""
    found: dict[str, list[str]] = {}
    for operation, scopes in json.loads((_DATA / f"scopes-1.9.6-{platform}.json").read_text()).items():
        found.setdefault(_SLOT.sub("{}", operation), []).extend(scopes)
    return found


def _matched(catalog: Catalog, platform: str) -> dict[str, tuple[bool, set[str]]]:
    """Tool -> whether it is marked as a read, and what kinds of scopes there are: `read`, `write`."""
    scopes = _scopes(platform)
    routes = {method.tool: _SLOT.sub("{}", f"{method.http_method} {method.path}") for method in catalog}
    return {
        tool: (judge(catalog.get(tool)).is_read, {scope.rpartition(".")[2] for scope in scopes[route]})
        for tool, route in routes.items()
        if route in scopes
    }


@pytest.mark.promise("scopes-agree")
def test_hints_and_scopes_disagree_only_where_people_know_why(catalog: Catalog) -> None:
    known = _matched(catalog, "server") | _matched(catalog, "console")
    reads_that_write = {tool for tool, (reads, kinds) in known.items() if reads and "write" in kinds}
    writes_that_read = {tool for tool, (reads, kinds) in known.items() if not reads and kinds == {"read"}}

    assert reads_that_write == set(READS_WITH_A_WRITE_SCOPE)
    assert writes_that_read == set(WRITES_WITH_A_READ_SCOPE)


@pytest.mark.parametrize(("platform", "operations", "methods"), [("server", 586, 560), ("console", 663, 606)])
def test_the_scopes_speak_of_most_methods(catalog: Catalog, platform: str, operations: int, methods: int) -> None:
    matched = _matched(catalog, platform)

    assert len(json.loads((_DATA / f"scopes-1.9.6-{platform}.json").read_text())) == operations
    assert len(matched) == methods
    assert sum(bool(kinds & {"read", "write"}) for _, kinds in matched.values()) > methods * 0.8


def test_the_scopes_are_those_of_the_description() -> None:
    document = json.loads(lzma.decompress(_SERVER.read_bytes()))
    described: JsonObject = {
        f"{method.upper()} {path}": [scope] if isinstance(scope := operation["x-appwrite"]["scope"], str) else scope
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if "operationId" in operation
    }

    assert json.loads((_DATA / "scopes-1.9.6-server.json").read_text()) == described
