"""The digest changes exactly when data change, and the seed is what it says."""

from datetime import timedelta

import httpx2
import pytest

from handrail.json_types import JsonObject
from handrail.sandbox import Fault, FaultKind, SandboxState

pytestmark = pytest.mark.unit

ROWS = "/tablesdb/shop/tables/products/rows"
READS = (
    "/users",
    "/users/ada",
    "/users/ada/prefs",
    "/teams/staff/memberships",
    "/tablesdb/shop/tables",
    "/tablesdb/shop/tables/products/columns",
    ROWS,
    "/storage/buckets/docs/files/welcome/download",
    "/functions/greet/variables",
    "/health",
    "/locale",
)
WRITES: tuple[tuple[str, str, JsonObject], ...] = (
    ("PATCH", "/users/ada/name", {"name": "Ada L."}),
    ("PUT", "/users/ada/labels", {"labels": ["vip"]}),
    ("POST", "/users/ada/sessions", {}),
    ("DELETE", "/users/grace", {}),
    ("PUT", "/teams/staff/prefs", {"prefs": {"a": 1}}),
    ("PATCH", f"{ROWS}/saw", {"data": {"stock": 4}}),
    ("PATCH", f"{ROWS}/saw/stock/increment", {}),
    ("DELETE", f"{ROWS}/saw", {}),
    ("POST", "/tablesdb/shop/tables/products/columns/ip", {"key": "host", "required": False}),
    ("PUT", "/storage/buckets/docs/files/welcome", {"name": "hello.txt"}),
    ("DELETE", "/storage/buckets/docs", {}),
    ("PUT", "/functions/greet/variables/tone", {"value": "stern"}),
)
REFUSED: tuple[tuple[str, str, JsonObject], ...] = (
    ("POST", "/users", {"userId": "ada"}),
    ("PATCH", f"{ROWS}/saw", {"data": {"stock": "many"}}),
    ("PATCH", ROWS, {"data": {"stock": -1}}),
    ("PUT", ROWS, {"rows": [{"$id": "new", "name": "New", "price": 1}, {"$id": "bad", "price": 1}]}),
    ("POST", ROWS, {"rows": [{"$id": "new", "name": "New", "price": 1}, {"$id": "saw", "name": "S", "price": 1}]}),
    ("PUT", "/storage/buckets/docs", {"name": "D", "compression": "lzma"}),
    ("PUT", "/functions/greet", {"name": "G", "timeout": 0}),
    ("DELETE", "/teams/nobody", {}),
)


@pytest.fixture
def state() -> SandboxState:
    return SandboxState.seeded()


@pytest.mark.parametrize("path", READS)
async def test_a_read_leaves_the_digest(state: SandboxState, client: httpx2.AsyncClient, path: str) -> None:
    before = state.digest()
    assert (await client.get(path)).status_code == 200
    assert state.digest() == before


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
async def test_a_write_changes_the_digest_even_without_stamps(
    state: SandboxState, client: httpx2.AsyncClient, method: str, path: str, body: JsonObject
) -> None:
    before = state.digest(stamps=False)
    assert (await client.request(method, path, json=body)).status_code < 300
    assert state.digest(stamps=False) != before


@pytest.mark.parametrize(("method", "path", "body"), REFUSED)
async def test_a_refused_write_leaves_the_digest(
    state: SandboxState, client: httpx2.AsyncClient, method: str, path: str, body: JsonObject
) -> None:
    before = state.digest()
    assert (await client.request(method, path, json=body)).status_code >= 400
    assert state.digest() == before


async def test_a_write_of_the_same_value_changes_the_stamps_only(
    state: SandboxState, client: httpx2.AsyncClient
) -> None:
    with_stamps, without = state.digest(), state.digest(stamps=False)
    later = state.clock() + timedelta(days=1)
    state.clock = lambda: later
    await client.patch("/users/ada/name", json={"name": "Ada"})
    assert state.digest(stamps=False) == without
    assert state.digest() != with_stamps


async def test_the_seed_is_something_to_look_at(state: SandboxState, client: httpx2.AsyncClient) -> None:
    assert list(state.users) == ["ada", "grace"]
    assert (await client.get(ROWS)).json()["total"] == 8
    columns = (await client.get("/tablesdb/shop/tables/products/columns")).json()["columns"]
    assert {column["status"] for column in columns} == {"available"}
    assert (await client.get("/storage/buckets/docs/files/welcome/view")).text.startswith("Welcome")
    assert (await client.get("/teams/staff")).json()["total"] == 1


def test_the_seed_is_no_request(state: SandboxState) -> None:
    assert list(state.requests) == []


def test_a_fault_waits_for_its_request_and_is_used_up() -> None:
    faults = SandboxState().faults
    faults.add(Fault(FaultKind.HTML, times=2, method="post", path="/users"))
    assert faults.take("GET", "/users") is None
    assert faults.take("POST", "/teams") is None
    assert [faults.take("POST", "/users/x") is not None for _ in range(3)] == [True, True, False]


def test_a_fault_during_a_block_ends_with_it() -> None:
    faults = SandboxState().faults
    with faults.during(Fault(FaultKind.HANG)):
        assert faults.take("GET", "/a")
        assert faults.take("GET", "/b")
    assert faults.take("GET", "/c") is None


def test_a_request_may_ask_for_a_fault_only_where_that_is_enabled() -> None:
    faults = SandboxState().faults
    assert faults.take("GET", "/users", "hang") is None
    faults.header_enabled = True
    assert faults.take("GET", "/users", "nonsense") is None
    taken = faults.take("GET", "/users", "hang")
    assert taken is not None
    assert taken.kind is FaultKind.HANG
