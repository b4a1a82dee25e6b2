"""Rows: one by one, in bulk, counted up and down, found by queries."""

import json

import httpx2
import pytest

from handrail.json_types import Json, JsonObject
from handrail.sandbox import SandboxState

pytestmark = pytest.mark.unit

ROWS = "/tablesdb/shop/tables/products/rows"


@pytest.fixture
def state() -> SandboxState:
    return SandboxState.seeded()


def refusal(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["type"]


def query(method: str, attribute: str | None = None, *values: Json) -> str:
    named: JsonObject = {} if attribute is None else {"attribute": attribute}
    return json.dumps({"method": method, **named, "values": list(values)})


def ids(response: httpx2.Response) -> list[str]:
    return [row["$id"] for row in response.json()["rows"]]


async def test_a_row_is_made_with_defaults_and_its_place_in_the_order(client: httpx2.AsyncClient) -> None:
    body: JsonObject = {"rowId": "rake", "data": {"name": "Rake", "price": 8}, "permissions": ['read("user:ada")']}
    row = (await client.post(ROWS, json=body)).json()
    assert (row["stock"], row["on_sale"], row["category"], row["$sequence"]) == (0, False, None, "9")
    assert row["$permissions"] == ['read("user:ada")']
    assert (await client.get(f"{ROWS}/rake")).json() == row
    assert refusal(await client.post(ROWS, json=body)) == (409, "row_already_exists")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({"price": 1}, 'Missing required attribute "name"'),
        ({"name": "x", "price": 1, "colour": "red"}, 'Unknown attribute: "colour"'),
        ({"name": 3, "price": 1}, 'Attribute "name" has invalid'),
        ({"name": "x", "price": "1"}, 'Attribute "price" has invalid'),
        ({"name": "x", "price": -1}, 'Attribute "price" has invalid'),
        ({"name": "x", "price": 1, "stock": 1.5}, 'Attribute "stock" has invalid'),
        ({"name": None, "price": 1}, 'Missing required attribute "name"'),
    ],
)
async def test_a_row_that_does_not_fit_its_columns_is_refused(
    client: httpx2.AsyncClient, data: JsonObject, reason: str
) -> None:
    response = await client.post(ROWS, json={"rowId": "x", "data": data})
    assert refusal(response) == (400, "row_invalid_structure")
    assert reason in response.json()["message"]


async def test_an_update_changes_only_what_it_names(client: httpx2.AsyncClient) -> None:
    before = (await client.get(f"{ROWS}/saw")).json()
    row = (await client.patch(f"{ROWS}/saw", json={"data": {"stock": 99}})).json()
    assert {**before, "stock": 99, "$updatedAt": row["$updatedAt"]} == row
    assert refusal(await client.patch(f"{ROWS}/saw", json={"data": {"name": None}})) == (400, "row_invalid_structure")
    assert refusal(await client.patch(f"{ROWS}/none", json={"data": {"stock": 1}})) == (404, "row_not_found")
    permitted = (await client.patch(f"{ROWS}/saw", json={"permissions": ['read("any")']})).json()
    assert permitted["$permissions"] == ['read("any")']


async def test_an_upsert_makes_or_changes(client: httpx2.AsyncClient) -> None:
    made = await client.put(f"{ROWS}/rake", json={"data": {"name": "Rake", "price": 8}})
    assert (made.status_code, made.json()["$sequence"]) == (200, "9")
    changed = await client.put(f"{ROWS}/rake", json={"data": {"price": 9}})
    assert (changed.json()["price"], changed.json()["name"]) == (9, "Rake")
    assert refusal(await client.put(f"{ROWS}/hoe", json={"data": {"price": 9}})) == (400, "row_invalid_structure")


async def test_bulk_writes_do_all_or_nothing(state: SandboxState, client: httpx2.AsyncClient) -> None:
    good: JsonObject = {"$id": "rake", "name": "Rake", "price": 8}
    bad: JsonObject = {"$id": "hoe", "price": 8}
    before = state.digest()
    for method in ("POST", "PUT"):
        response = await client.request(method, ROWS, json={"rows": [good, bad]})
        assert refusal(response) == (400, "row_invalid_structure")
    twice = await client.post(ROWS, json={"rows": [good, good]})
    assert refusal(twice) == (409, "row_already_exists")
    assert state.digest() == before
    assert ids(await client.post(ROWS, json={"rows": [good]})) == ["rake"]
    saw: JsonObject = {"$id": "saw", "stock": 1}
    assert ids(await client.put(ROWS, json={"rows": [saw, {**good, "$id": "hoe"}]})) == ["saw", "hoe"]


@pytest.mark.parametrize("rows", ["x", [1], [{}] * 101, [{"name": "no id"}]])
async def test_a_bulk_that_is_none_is_refused(client: httpx2.AsyncClient, rows: object) -> None:
    assert refusal(await client.post(ROWS, json={"rows": rows})) == (400, "general_argument_invalid")


async def test_bulk_changes_reach_every_match_and_nothing_else(state: SandboxState, client: httpx2.AsyncClient) -> None:
    tools = query("equal", "category", "tools")
    changed = await client.patch(ROWS, json={"data": {"stock": 1}, "queries": [tools]})
    assert ids(changed) == ["hammer", "saw", "drill"]
    assert (await client.get(f"{ROWS}/spade")).json()["stock"] == 7
    limited = await client.request("DELETE", ROWS, json={"queries": [tools, query("limit", None, 1)]})
    assert ids(limited) == ["hammer"]
    await client.post(ROWS, json={"rows": [{"$id": f"r{n}", "name": "x", "price": n} for n in range(30)]})
    everything = await client.request("DELETE", ROWS, json={})
    assert everything.json()["total"] == 37  # without queries all rows go, as in the real one
    assert state.databases["shop"].tables["products"].rows == {}


async def test_a_number_is_counted_up_and_down_within_bounds(client: httpx2.AsyncClient) -> None:
    assert (await client.patch(f"{ROWS}/saw/stock/increment", json={})).json()["stock"] == 6
    assert (await client.patch(f"{ROWS}/saw/stock/decrement", json={"value": 2, "min": 4})).json()["stock"] == 4
    below = await client.patch(f"{ROWS}/saw/stock/decrement", json={"min": 4})
    assert refusal(below) == (400, "column_value_invalid")
    above = await client.patch(f"{ROWS}/saw/stock/increment", json={"value": 5, "max": 8})
    assert refusal(above) == (400, "column_value_invalid")
    outside = await client.patch(f"{ROWS}/saw/stock/decrement", json={"value": 5})
    assert refusal(outside) == (400, "row_invalid_structure")
    assert refusal(await client.patch(f"{ROWS}/saw/name/increment", json={})) == (400, "attribute_type_invalid")
    assert refusal(await client.patch(f"{ROWS}/saw/colour/increment", json={})) == (404, "column_not_found")
    assert (await client.get(f"{ROWS}/saw")).json()["stock"] == 4


async def test_queries_narrow_order_and_page_the_rows(client: httpx2.AsyncClient) -> None:
    asked = {
        "queries[0]": query("greaterThan", "price", 20),
        "queries[1]": query("orderDesc", "price"),
        "queries[2]": query("limit", None, 2),
        "queries[3]": query("cursorAfter", None, "drill"),
        "queries[4]": query("select", None, "name"),
    }
    response = await client.get(ROWS, params=asked)
    assert (response.json()["total"], ids(response)) == (6, ["kettle", "spade"])
    assert set(response.json()["rows"][0]) >= {"name", "$id"}
    assert "price" not in response.json()["rows"][0]
    one = await client.get(f"{ROWS}/saw", params={"queries[0]": query("select", None, "price")})
    assert (one.json()["price"], "name" in one.json()) == (24.5, False)


@pytest.mark.parametrize("text", ["{", query("nope"), query("equal", "colour", "x"), query("equal", "price", "x")])
async def test_a_bad_query_is_refused_everywhere(client: httpx2.AsyncClient, text: str) -> None:
    for response in (
        await client.get(ROWS, params={"queries[0]": text}),
        await client.request("DELETE", ROWS, json={"queries": [text]}),
        await client.patch(ROWS, json={"data": {"stock": 1}, "queries": [text]}),
    ):
        assert refusal(response) == (400, "general_query_invalid")
    assert (await client.get(ROWS)).json()["total"] == 8


async def test_transactions_are_lacked_and_say_so(client: httpx2.AsyncClient) -> None:
    body: JsonObject = {"data": {"stock": 1}, "transactionId": "tx"}
    assert refusal(await client.patch(f"{ROWS}/saw", json=body)) == (501, "general_not_implemented")
