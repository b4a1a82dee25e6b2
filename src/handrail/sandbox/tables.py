"""The tablesdb service, first half: databases, tables and indexes."""

from http import HTTPStatus

from handrail.json_types import Json, JsonObject
from handrail.sandbox.columns import is_available, seen_columns
from handrail.sandbox.errors import ApiError, Fail, argument_invalid
from handrail.sandbox.filters import Kind
from handrail.sandbox.finding import find_database, find_table
from handrail.sandbox.routing import NO_CONTENT, Answer, Call, Route, listing, text_fields
from handrail.sandbox.state import Database, Table

__all__ = ["ROUTES"]

_DB_READ = ("databases.read",)
_DB_WRITE = ("databases.write",)
_READ = ("tables.read", "collections.read")
_WRITE = ("tables.write", "collections.write")
_INDEX_READ = (*_READ, "indexes.read")
_INDEX_WRITE = (*_WRITE, "indexes.write")
_FIELDS = text_fields("name") | {"enabled": Kind.FLAG, "rowSecurity": Kind.FLAG}
_INDEX_FIELDS = text_fields("key", "type", "status")
_INDEX_TYPES = ("key", "fulltext", "unique", "spatial")
_SYSTEM_COLUMNS = frozenset({"$id", "$createdAt", "$updatedAt", "$sequence"})
_ORDERS = frozenset({"asc", "desc"})
_BYTES_MAX = 65535
_BYTES_EMPTY = 1067
_BYTES_COLUMN = 7


def _create_database(call: Call) -> Answer:
    state, params = call.state, call.params
    database_id, name = params.new_id("databaseId", state.new_id), params.text("name")
    enabled = params.flag_or("enabled", default=True)
    if database_id in state.databases:
        raise ApiError(Fail.DATABASE_EXISTS, database_id)
    now = state.stamp()
    doc: JsonObject = {
        "$id": database_id,
        "name": name,
        "$createdAt": now,
        "$updatedAt": now,
        "enabled": enabled,
        "type": "tablesdb",
    }
    state.databases[database_id] = Database(doc)
    return Answer(doc, HTTPStatus.CREATED)


def _list_databases(call: Call) -> Answer:
    docs = (database.doc for database in call.state.databases.values())
    return listing(call, "databases", docs, _FIELDS, "Database")


def _get_database(call: Call) -> Answer:
    return Answer(find_database(call).doc)


def _update_database(call: Call) -> Answer:
    doc, params = find_database(call).doc, call.params
    doc["name"] = params.text_or("name", str(doc["name"]))
    doc["enabled"] = params.flag_or("enabled", default=doc["enabled"] is True)
    doc["$updatedAt"] = call.state.stamp()
    return Answer(doc)


def _delete_database(call: Call) -> Answer:
    find_database(call)
    del call.state.databases[call.ids["databaseId"]]
    return NO_CONTENT


def _create_table(call: Call) -> Answer:
    state, params, database = call.state, call.params, find_database(call)
    table_id, name = params.new_id("tableId", state.new_id), params.text("name")
    if "columns" in params or "indexes" in params:
        raise ApiError(Fail.NOT_IMPLEMENTED, "tables made with their columns: make the columns one by one")
    if table_id in database.tables:
        raise ApiError(Fail.TABLE_EXISTS, table_id)
    now = state.stamp()
    table = Table(
        {
            "$id": table_id,
            "$createdAt": now,
            "$updatedAt": now,
            "$permissions": params.permissions() or [],
            "databaseId": database.doc["$id"],
            "name": name,
            "enabled": params.flag_or("enabled", default=True),
            "rowSecurity": params.flag_or("rowSecurity", default=False),
        }
    )
    database.tables[table_id] = table
    return Answer(_shown(table), HTTPStatus.CREATED)


def _shown(table: Table) -> JsonObject:
    columns = list[Json](seen_columns(table))
    return {
        **table.doc,
        "columns": columns,
        "indexes": list[Json](table.indexes.values()),
        "bytesMax": _BYTES_MAX,
        "bytesUsed": _BYTES_EMPTY + _BYTES_COLUMN * len(columns),
    }


def _list_tables(call: Call) -> Answer:
    docs = [_shown(table) for table in find_database(call).tables.values()]
    return listing(call, "tables", docs, _FIELDS, "Table")


def _get_table(call: Call) -> Answer:
    return Answer(_shown(find_table(call)))


def _update_table(call: Call) -> Answer:
    table, params = find_table(call), call.params
    doc, permissions = table.doc, params.permissions()
    doc["name"] = params.text_or("name", str(doc["name"]))
    doc["enabled"] = params.flag_or("enabled", default=doc["enabled"] is True)
    doc["rowSecurity"] = params.flag_or("rowSecurity", default=doc["rowSecurity"] is True)
    if permissions is not None:
        doc["$permissions"] = permissions
    doc["$updatedAt"] = call.state.stamp()
    return Answer(_shown(table))


def _delete_table(call: Call) -> Answer:
    find_table(call)
    del find_database(call).tables[call.ids["tableId"]]
    return NO_CONTENT


def _create_index(call: Call) -> Answer:
    state, params, table = call.state, call.params, find_table(call)
    key, kind = params.key("key"), params.one_of("type", _INDEX_TYPES, "")
    columns, orders = params.texts("columns"), params.texts_or("orders")
    if not set(orders) <= _ORDERS:
        raise argument_invalid("orders", "Value must a valid array and Value must be one of (asc, desc)")
    if not columns:
        raise ApiError(Fail.INDEX_INVALID, "No attributes provided for index")
    for name in columns:
        if name not in _SYSTEM_COLUMNS and not is_available(table, name):
            raise ApiError(Fail.COLUMN_UNKNOWN, name)
    if key in table.indexes:
        raise ApiError(Fail.INDEX_EXISTS, key)
    now = state.stamp()
    table.indexes[key] = {
        "$id": state.new_id(),
        "$createdAt": now,
        "$updatedAt": now,
        "key": key,
        "type": kind,
        "status": "available",
        "error": "",
        "columns": list[Json](columns),
        "lengths": [],
        "orders": list[Json](orders),
    }
    return Answer({**table.indexes[key], "status": "processing"}, HTTPStatus.ACCEPTED)


def _list_indexes(call: Call) -> Answer:
    return listing(call, "indexes", find_table(call).indexes.values(), _INDEX_FIELDS, "Index")


def _index(call: Call) -> tuple[Table, str]:
    table, key = find_table(call), call.ids["key"]
    if key not in table.indexes:
        raise ApiError(Fail.INDEX_NOT_FOUND, key)
    return table, key


def _get_index(call: Call) -> Answer:
    table, key = _index(call)
    return Answer(table.indexes[key])


def _delete_index(call: Call) -> Answer:
    table, key = _index(call)
    del table.indexes[key]
    return NO_CONTENT


_TABLES = "/tablesdb/{databaseId}/tables"
_INDEXES = f"{_TABLES}/{{tableId}}/indexes"
ROUTES = (
    Route("POST", "/tablesdb", _DB_WRITE, _create_database),
    Route("GET", "/tablesdb", _DB_READ, _list_databases),
    Route("GET", "/tablesdb/{databaseId}", _DB_READ, _get_database),
    Route("PUT", "/tablesdb/{databaseId}", _DB_WRITE, _update_database),
    Route("DELETE", "/tablesdb/{databaseId}", _DB_WRITE, _delete_database),
    Route("POST", _TABLES, _WRITE, _create_table),
    Route("GET", _TABLES, _READ, _list_tables),
    Route("GET", f"{_TABLES}/{{tableId}}", _READ, _get_table),
    Route("PUT", f"{_TABLES}/{{tableId}}", _WRITE, _update_table),
    Route("DELETE", f"{_TABLES}/{{tableId}}", _WRITE, _delete_table),
    Route("POST", _INDEXES, _INDEX_WRITE, _create_index),
    Route("GET", _INDEXES, _INDEX_READ, _list_indexes),
    Route("GET", f"{_INDEXES}/{{key}}", _INDEX_READ, _get_index),
    Route("DELETE", f"{_INDEXES}/{{key}}", _INDEX_WRITE, _delete_index),
)
