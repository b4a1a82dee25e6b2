"""Databases, tables, columns and indexes."""

import httpx2
import pytest

from handrail.json_types import Json, JsonObject
from handrail.sandbox import SandboxState
from handrail.sandbox.columns import Shape

pytestmark = pytest.mark.unit

COLUMNS = "/tablesdb/d/tables/t/columns"
ROWS = "/tablesdb/d/tables/t/rows"
# One good and one bad value for each type, and what its creation needs beside the key.
VALUES: dict[Shape, tuple[JsonObject, Json, Json]] = {
    Shape.STRING: ({"size": 3}, "abc", "abcd"),
    Shape.VARCHAR: ({"size": 3}, "abc", 3),
    Shape.TEXT: ({}, "x" * 16_383, "x" * 16_384),
    Shape.MEDIUMTEXT: ({}, "abc", True),
    Shape.LONGTEXT: ({}, "abc", ["abc"]),
    Shape.INTEGER: ({"min": 0, "max": 9}, 9, 10),
    Shape.BIGINT: ({}, 2**63 - 1, 2**63),
    Shape.FLOAT: ({"min": 0.5}, 1, 0.4),
    Shape.BOOLEAN: ({}, False, 0),
    Shape.DATETIME: ({}, "2030-01-01T00:00:00.000+00:00", "tomorrow"),
    Shape.EMAIL: ({}, "a@example.com", "a@"),
    Shape.ENUM: ({"elements": ["a", "b"]}, "a", "c"),
    Shape.IP: ({}, "::1", "1.2.3"),
    Shape.URL: ({}, "https://example.com", "example"),
}


def refusal(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["type"]


@pytest.fixture
async def table(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    await client.post("/tablesdb", json={"databaseId": "d", "name": "DB"})
    await client.post("/tablesdb/d/tables", json={"tableId": "t", "name": "Table"})
    return client


async def add(client: httpx2.AsyncClient, shape: Shape, key: str, **more: Json) -> httpx2.Response:
    made = await client.post(f"{COLUMNS}/{shape}", json={"key": key, "required": False, **more})
    await client.get(f"{COLUMNS}/{key}")
    return made


@pytest.mark.parametrize("shape", list(Shape))
async def test_every_column_type_takes_its_values_and_no_others(table: httpx2.AsyncClient, shape: Shape) -> None:
    needed, good, bad = VALUES[shape]
    assert (await add(table, shape, "c", **needed)).status_code == 202
    made = await table.post(ROWS, json={"rowId": "r", "data": {"c": good}})
    assert (made.status_code, made.json()["c"]) == (201, good)
    refused = await table.post(ROWS, json={"rowId": "r2", "data": {"c": bad}})
    assert refusal(refused) == (400, "row_invalid_structure")
    default = await table.post(f"{COLUMNS}/{shape}", json={"key": "e", "required": False, **needed, "default": bad})
    assert refusal(default) == (400, "general_argument_invalid")


@pytest.mark.parametrize("shape", list(Shape))
async def test_every_column_type_can_be_changed_and_renamed(table: httpx2.AsyncClient, shape: Shape) -> None:
    needed, good, _ = VALUES[shape]
    await add(table, shape, "c", **needed)
    await table.post(ROWS, json={"rowId": "r", "data": {"c": good}})
    body: JsonObject = {"required": False, "default": good, "newKey": "renamed", **needed}
    changed = await table.patch(f"{COLUMNS}/{shape}/c", json=body)
    assert (changed.status_code, changed.json()["default"], changed.json()["key"]) == (200, good, "renamed")
    assert (await table.get(f"{COLUMNS}/renamed")).json() == changed.json()
    assert (await table.get(f"{ROWS}/r")).json()["renamed"] == good
    assert refusal(await table.get(f"{COLUMNS}/c")) == (404, "column_not_found")


@pytest.mark.parametrize("reads", [0, 1, 3])
async def test_a_column_is_processing_for_as_many_reads_as_set(
    state: SandboxState, table: httpx2.AsyncClient, reads: int
) -> None:
    state.processing_reads = reads
    made = await table.post(f"{COLUMNS}/boolean", json={"key": "c", "required": False})
    assert made.json()["status"] == "processing"
    row: JsonObject = {"rowId": "r", "data": {"c": True}}
    assert refusal(await table.post(ROWS, json=row)) == (400, "row_invalid_structure")
    seen = [(await table.get(f"{COLUMNS}/c")).json()["status"] for _ in range(reads + 2)]
    assert seen == ["processing"] * reads + ["available"] * 2
    assert (await table.post(ROWS, json=row)).status_code == 201


async def test_arrays_hold_many_values_and_no_default(table: httpx2.AsyncClient) -> None:
    await add(table, Shape.INTEGER, "c", array=True)
    assert (await table.post(ROWS, json={"rowId": "r", "data": {"c": [1, 2]}})).json()["c"] == [1, 2]
    for bad in (1, [1, "2"]):
        response = await table.post(ROWS, json={"rowId": "x", "data": {"c": bad}})
        assert refusal(response) == (400, "row_invalid_structure")
    response = await table.post(f"{COLUMNS}/integer", json={"key": "d", "required": False, "array": True, "default": 1})
    assert refusal(response) == (400, "column_default_unsupported")


async def test_a_column_that_goes_takes_its_values_with_it(table: httpx2.AsyncClient) -> None:
    await add(table, Shape.INTEGER, "a")
    await table.post(ROWS, json={"rowId": "r", "data": {"a": 1}})
    await add(table, Shape.INTEGER, "b", default=7)
    assert (await table.get(f"{ROWS}/r")).json()["b"] == 7
    assert (await table.delete(f"{COLUMNS}/a")).status_code == 204
    assert "a" not in (await table.get(f"{ROWS}/r")).json()
    assert [column["key"] for column in (await table.get(COLUMNS)).json()["columns"]] == ["b"]


@pytest.mark.parametrize(
    ("path", "body", "refused"),
    [
        (f"{COLUMNS}/string", {"key": "c", "required": False}, (400, "general_argument_invalid")),
        (f"{COLUMNS}/string", {"key": "c", "required": False, "size": 1.0}, (400, "general_argument_invalid")),
        (f"{COLUMNS}/varchar", {"key": "c", "required": False, "size": 16_382}, (400, "general_argument_invalid")),
        (f"{COLUMNS}/boolean", {"key": "c"}, (400, "general_argument_invalid")),
        (f"{COLUMNS}/boolean", {"key": "c", "required": "maybe"}, (400, "general_argument_invalid")),
        (f"{COLUMNS}/boolean", {"key": "$c", "required": True}, (400, "general_argument_invalid")),
        (f"{COLUMNS}/boolean", {"key": "c", "required": True, "default": True}, (400, "column_default_unsupported")),
        (f"{COLUMNS}/integer", {"key": "c", "required": False, "min": "0"}, (400, "general_argument_invalid")),
        ("/tablesdb", {"databaseId": "d", "name": "x"}, (409, "database_already_exists")),
        ("/tablesdb/d/tables", {"tableId": "t", "name": "x"}, (409, "table_already_exists")),
        ("/tablesdb/d/tables", {"tableId": "u", "name": ""}, (400, "general_argument_invalid")),
        ("/tablesdb/d/tables", {"tableId": "u", "name": "x", "columns": [{}]}, (501, "general_not_implemented")),
        ("/tablesdb/x/tables", {"tableId": "u", "name": "x"}, (404, "database_not_found")),
        ("/tablesdb/d/tables/x/columns/ip", {"key": "c", "required": True}, (404, "table_not_found")),
        (
            "/tablesdb/d/tables",
            {"tableId": "u", "name": "x", "permissions": ["own(any)"]},
            (400, "general_argument_invalid"),
        ),
    ],
)
async def test_what_does_not_fit_is_refused(
    table: httpx2.AsyncClient, path: str, body: JsonObject, refused: tuple[int, str]
) -> None:
    assert refusal(await table.post(path, json=body)) == refused


async def test_a_database_and_a_table_can_be_changed_and_deleted(
    state: SandboxState, table: httpx2.AsyncClient
) -> None:
    assert (await table.put("/tablesdb/d", json={"name": "New", "enabled": False})).json()["enabled"] is False
    body: JsonObject = {"name": "N", "rowSecurity": True, "permissions": ['read("any")']}
    changed = (await table.put("/tablesdb/d/tables/t", json=body)).json()
    assert (changed["name"], changed["rowSecurity"], changed["$permissions"]) == ("N", True, ['read("any")'])
    assert (await table.get("/tablesdb/d/tables")).json()["total"] == 1
    assert (await table.get("/tablesdb")).json()["databases"][0]["name"] == "New"
    assert (await table.delete("/tablesdb/d/tables/t")).status_code == 204
    assert refusal(await table.get("/tablesdb/d/tables/t")) == (404, "table_not_found")
    assert (await table.delete("/tablesdb/d")).status_code == 204
    assert state.databases == {}


async def test_an_index_needs_columns_that_are_there(table: httpx2.AsyncClient) -> None:
    indexes = "/tablesdb/d/tables/t/indexes"
    await add(table, Shape.INTEGER, "a")
    body: JsonObject = {"key": "i", "type": "key", "columns": ["a", "$createdAt"], "orders": ["asc"]}
    assert (await table.post(indexes, json=body)).json()["status"] == "processing"
    assert (await table.get(f"{indexes}/i")).json()["status"] == "available"
    assert refusal(await table.post(indexes, json=body)) == (409, "column_index_already_exists")
    assert refusal(await table.post(indexes, json={**body, "columns": ["x"]})) == (400, "column_unknown")
    assert refusal(await table.post(indexes, json={**body, "orders": ["up"]})) == (400, "general_argument_invalid")
    assert refusal(await table.post(indexes, json={**body, "type": "hash"})) == (400, "general_argument_invalid")
    assert (await table.get("/tablesdb/d/tables/t")).json()["indexes"][0]["key"] == "i"
    assert (await table.get(indexes)).json()["total"] == 1
    assert (await table.delete(f"{indexes}/i")).status_code == 204
    assert refusal(await table.get(f"{indexes}/i")) == (404, "column_index_not_found")
