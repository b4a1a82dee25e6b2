"""The hints against what happens: every method that the stand-in serves is called twice, on data as good as new."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import anyio
import pytest

from handrail.approvals import Mode
from handrail.appwrite import Backend, Calls, Limits, open_transport
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.evidence import judge
from handrail.appwrite.planner import plan_request
from handrail.hints import Hints
from handrail.lazy import Lazy
from handrail.sandbox import API_KEY, PROJECT_ID, SandboxState, serve_sandbox
from handrail.sandbox.dispatch import BASE, NOT_FOUND_PAGE, Request, dispatch
from handrail.sandbox.errors import ApiError, Fail
from tests.appwrite.callers import Caller, open_places
from tests.appwrite.hints.conduct import COUNTERS, FINAL_REFUSALS, Seen, arguments, broken, observe, prepare

_ALL_S: Final = 60
# Of the methods that are done, by what their hints say.
READS, REPEATABLE, ADDING, DESTRUCTIVE = 36, 47, 26, 56
# Marked destructive for what the stand-in cannot show.
SPENDS = ["tables_db_create"]  # a specification that is billed


def _is_served(method: Method) -> bool:
    """Whether the stand-in has this route: it is asked with what a call would send, without the body."""
    plan = plan_request(method, arguments(method), config={"project": PROJECT_ID})
    headers = {"x-appwrite-project": PROJECT_ID, "x-appwrite-key": API_KEY}
    try:
        return dispatch(SandboxState(), Request(plan.http_method, BASE + plan.path, headers=headers)) != NOT_FOUND_PAGE
    except ApiError as error:
        return error.fail is not Fail.NOT_IMPLEMENTED


async def _watch(catalog: Catalog, home: Path) -> dict[str, Seen]:
    state, limits, lazy = SandboxState.seeded(), Limits(connect_s=2, read_s=5, call_s=10), Lazy.of(lambda: catalog)
    with anyio.fail_after(_ALL_S):
        async with serve_sandbox(state) as sandbox:
            backend = Backend(sandbox.endpoint, sandbox.project_id, sandbox.api_key)
            async with (
                open_transport(backend, limits) as transport,
                open_places(transport, lazy, home, mode=Mode.ALLOW) as places,
            ):
                caller = Caller(Calls(places.parts))
                await prepare(caller, state)
                return {m.tool: await observe(caller, state, m) for m in catalog if _is_served(m)}


@pytest.fixture(scope="module")
def seen(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    """What two calls of every method that is served did, by tool."""
    return anyio.run(_watch, catalog, tmp_path_factory.mktemp("conduct"))


def _done(seen: dict[str, Seen]) -> list[tuple[Seen, Hints]]:
    return [(one, judge(one.method).hints) for one in seen.values() if one.done]


def test_every_method_that_is_served_is_really_done(seen: dict[str, Seen]) -> None:
    assert len(seen) == 125
    assert {tool: one.statuses[0] for tool, one in seen.items() if not one.done} == FINAL_REFUSALS
    assert [tool for tool in FINAL_REFUSALS if seen[tool].touched] == []


@pytest.mark.promise("reads-behave")
def test_what_is_marked_as_a_read_changes_nothing_called_once_or_twice(seen: dict[str, Seen]) -> None:
    reads = [(one, hints) for one, hints in _done(seen) if hints.read_only]

    assert len(reads) == READS
    assert {one.statuses for one, _ in reads} == {(200, 200)}
    assert [one.method.tool for one, hints in reads if broken(hints, one)] == []


@pytest.mark.promise("repeats-behave")
def test_what_is_marked_idempotent_changes_nothing_the_second_time(seen: dict[str, Seen]) -> None:
    repeatable = [(one, hints) for one, hints in _done(seen) if hints.idempotent and not hints.read_only]

    assert len(repeatable) == REPEATABLE
    assert [one.method.tool for one, _ in repeatable if not one.changed] == []
    assert [one.method.tool for one, hints in repeatable if broken(hints, one)] == []


@pytest.mark.promise("additions-behave")
def test_what_is_marked_non_destructive_leaves_every_value_as_it_was(seen: dict[str, Seen]) -> None:
    adding = [(one, hints) for one, hints in _done(seen) if not hints.destructive and not hints.read_only]

    assert len(adding) == ADDING
    assert [one.method.tool for one, _ in adding if not one.changed] == []
    assert [one.method.tool for one, hints in adding if broken(hints, one)] == []
    assert {path for one, _ in adding for path in one.lost} == COUNTERS


def test_what_is_marked_destructive_really_takes_something_away(seen: dict[str, Seen]) -> None:
    destructive = [one for one, hints in _done(seen) if hints.destructive]

    assert len(destructive) == DESTRUCTIVE
    assert [one.method.tool for one in destructive if not set(one.lost) - COUNTERS] == SPENDS


@pytest.mark.parametrize(
    ("tool", "lie"),
    [
        ("users_create", "read_only"),
        ("users_update_name", "read_only"),
        ("tables_db_increment_row_column", "read_only"),
        ("tables_db_delete_row", "read_only"),
        ("tables_db_create_row", "idempotent"),
        ("users_create_session", "idempotent"),
        ("tables_db_decrement_row_column", "idempotent"),
        ("users_update_name", "destructive"),
        ("tables_db_upsert_row", "destructive"),
        ("tables_db_update_rows", "destructive"),
        ("tables_db_update_ip_column", "destructive"),
        ("tables_db_increment_row_column", "destructive"),
        ("storage_delete_file", "destructive"),
    ],
)
def test_a_hint_that_lies_is_caught(seen: dict[str, Seen], tool: str, lie: str) -> None:
    true = judge(seen[tool].method).hints
    flipped = replace(true, **{lie: lie != "destructive"})

    assert flipped != true
    assert (broken(true, seen[tool]), broken(flipped, seen[tool])) == ([], [lie])


def test_every_write_is_caught_if_it_calls_itself_a_read_or_harmless(seen: dict[str, Seen]) -> None:
    writes = [(one, hints) for one, hints in _done(seen) if not hints.read_only]
    destructive = [(one, hints) for one, hints in writes if hints.destructive and one.method.tool not in SPENDS]

    assert len(writes) == ADDING + DESTRUCTIVE
    assert [one for one, hints in writes if broken(replace(hints, read_only=True), one) != ["read_only"]] == []
    assert [
        one for one, hints in destructive if broken(replace(hints, destructive=False), one) != ["destructive"]
    ] == []
