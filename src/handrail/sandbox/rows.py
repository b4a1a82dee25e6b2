"""The tablesdb service, last part: rows, one by one and in bulk, and what a row must look like."""

from dataclasses import replace
from http import HTTPStatus

from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.sandbox.columns import column_kind, is_available, objection
from handrail.sandbox.errors import ApiError, Fail, argument_invalid
from handrail.sandbox.filters import Kind
from handrail.sandbox.finding import find_table
from handrail.sandbox.params import Params
from handrail.sandbox.queries import check, parse, run
from handrail.sandbox.routing import NO_CONTENT, Answer, Call, Route, listing, text_fields
from handrail.sandbox.state import Table

__all__ = ["ROUTES"]

_READ = ("rows.read", "documents.read")
_WRITE = ("rows.write", "documents.write")
_MAX_BULK = 100
_GIVEN_IN_ROW = ("$id", "$permissions")
_KEPT_BY_SERVER = frozenset({"$sequence", "$createdAt", "$updatedAt", "$databaseId", "$tableId"})


def _schema(table: Table) -> dict[str, Kind]:
    known = {key: column_kind(column) for key, column in table.columns.items() if is_available(table, key)}
    return {**text_fields(), **known}


def _no_transaction(call: Call) -> None:
    if "transactionId" in call.params:
        raise ApiError(Fail.NOT_IMPLEMENTED, "transactions")


def _table(call: Call) -> Table:
    _no_transaction(call)
    return find_table(call)


def _check(table: Table, data: JsonMapping, *, whole: bool) -> None:
    """Refuse data that do not fit the columns; `whole` rows must hold every required column.

    Raises:
        ApiError: row_invalid_structure.
    """
    available = {key: column for key, column in table.columns.items() if is_available(table, key)}
    for key, column in available.items():
        missing = column["required"] is True and (data.get(key) is None if whole else key in data and data[key] is None)
        if missing:
            raise _invalid(f'Missing required attribute "{key}"')
    for key, value in data.items():
        if key not in available:
            raise _invalid(f'Unknown attribute: "{key}"')
        wrong = objection(available[key], value)
        if wrong is not None:
            raise _invalid(f'Attribute "{key}" has invalid format. {wrong}')


def _invalid(reason: str) -> ApiError:
    return ApiError(Fail.ROW_INVALID, f"Invalid document structure: {reason}")


def _filled(table: Table, data: JsonMapping) -> JsonObject:
    """A whole row's data: every column, the default where nothing is given."""
    return {key: data.get(key, column["default"]) for key, column in table.columns.items() if is_available(table, key)}


def _fresh(call: Call, table: Table, row_id: str, data: JsonMapping, permissions: list[Json] | None) -> JsonObject:
    """A new row, not yet in the table."""
    _check(table, data, whole=True)
    now = call.state.stamp()
    return {
        **_filled(table, data),
        "$id": row_id,
        "$permissions": permissions or [],
        "$createdAt": now,
        "$updatedAt": now,
        "$databaseId": call.ids["databaseId"],
        "$tableId": call.ids["tableId"],
    }


def _store(table: Table, row: JsonObject) -> JsonObject:
    table.sequence += 1
    stored = {**row, "$sequence": str(table.sequence)}
    table.rows[str(row["$id"])] = stored
    return stored


def _changed(
    call: Call, table: Table, row: JsonObject, data: JsonMapping, permissions: list[Json] | None
) -> JsonObject:
    """A row with some columns changed, not yet in the table."""
    _check(table, data, whole=False)
    kept = row["$permissions"] if permissions is None else permissions
    return {**row, **data, "$permissions": kept, "$updatedAt": call.state.stamp()}


def _bulk(call: Call) -> list[tuple[str, JsonObject, list[Json] | None]]:
    """The rows of a bulk request: id, data, permissions.

    Raises:
        ApiError: general_argument_invalid for what is no row, or too many.
    """
    given = call.params.raw("rows")
    if not isinstance(given, list) or len(given) > _MAX_BULK or not all(isinstance(row, dict) for row in given):
        raise argument_invalid(
            "rows", f"Value must a valid array no longer than {_MAX_BULK} items and Value must be a valid object"
        )
    return [_split(call, row) for row in given if isinstance(row, dict)]


def _split(call: Call, row: JsonObject) -> tuple[str, JsonObject, list[Json] | None]:
    params = Params(row)
    row_id = params.new_id("$id", call.state.new_id)
    data = {key: value for key, value in row.items() if key not in _GIVEN_IN_ROW and key not in _KEPT_BY_SERVER}
    return row_id, data, params.permissions("$permissions")


def _bulk_answer(rows: list[JsonObject], status: int = HTTPStatus.OK) -> Answer:
    return Answer({"total": len(rows), "rows": list[Json](rows)}, status)


def _create(call: Call) -> Answer:
    table = _table(call)
    if call.params.raw("rows") is not None:
        return _create_bulk(call, table)
    data = call.params.mapping("data") if "data" in call.params else {}
    if not data:
        raise ApiError(Fail.ROW_MISSING_DATA)
    row_id = call.params.new_id("rowId", call.state.new_id)
    row = _fresh(call, table, row_id, data, call.params.permissions())
    if row_id in table.rows:
        raise ApiError(Fail.ROW_EXISTS, row_id)
    return Answer(_store(table, row), HTTPStatus.CREATED)


def _create_bulk(call: Call, table: Table) -> Answer:
    given = _bulk(call)
    if not given:
        raise ApiError(Fail.ROW_MISSING_DATA)
    fresh: dict[str, JsonObject] = {}
    for row_id, data, permissions in given:
        if row_id in table.rows or row_id in fresh:
            raise ApiError(Fail.ROW_EXISTS, row_id)
        fresh[row_id] = _fresh(call, table, row_id, data, permissions)
    return _bulk_answer([_store(table, row) for row in fresh.values()], HTTPStatus.CREATED)


def _upserted(call: Call, table: Table, row_id: str, data: JsonObject, permissions: list[Json] | None) -> JsonObject:
    row = table.rows.get(row_id)
    if row is None:
        return _fresh(call, table, row_id, data, permissions)
    return _changed(call, table, row, data, permissions)


def _keep(table: Table, row: JsonObject) -> JsonObject:
    if "$sequence" not in row:
        return _store(table, row)
    table.rows[str(row["$id"])] = row
    return row


def _payload(call: Call) -> tuple[JsonObject, list[Json] | None]:
    data = call.params.mapping("data") if "data" in call.params else {}
    permissions = call.params.permissions()
    if not data and permissions is None:
        raise ApiError(Fail.ROW_MISSING_PAYLOAD)
    return data, permissions


def _upsert(call: Call) -> Answer:
    table, (data, permissions) = _table(call), _payload(call)
    return Answer(_keep(table, _upserted(call, table, call.ids["rowId"], data, permissions)))


def _upsert_bulk(call: Call) -> Answer:
    table = _table(call)
    rows = [_upserted(call, table, *given) for given in _bulk(call)]
    return _bulk_answer([_keep(table, row) for row in rows])


def _row(call: Call, table: Table) -> JsonObject:
    row_id = call.ids["rowId"]
    if row_id not in table.rows:
        raise ApiError(Fail.ROW_NOT_FOUND, row_id)
    return table.rows[row_id]


def _get(call: Call) -> Answer:
    table = _table(call)
    row, plan = _row(call, table), parse(call.params.texts_or("queries"))
    check(plan, _schema(table))
    return Answer(run(plan, [row], "Row").docs[0] if plan.select else row)


def _list(call: Call) -> Answer:
    table = _table(call)
    return listing(call, "rows", table.rows.values(), _schema(table), "Row")


def _update(call: Call) -> Answer:
    table, (data, permissions) = _table(call), _payload(call)
    return Answer(_keep(table, _changed(call, table, _row(call, table), data, permissions)))


def _chosen(call: Call, table: Table) -> list[JsonObject]:
    """The rows that the queries of a bulk request mean; without a limit that is every match."""
    plan = parse(call.params.texts_or("queries"))
    check(plan, _schema(table))
    return list(run(replace(plan, select=()), table.rows.values(), "Row", default_limit=len(table.rows)).docs)


def _update_bulk(call: Call) -> Answer:
    table, (data, permissions) = _table(call), _payload(call)
    rows = [_changed(call, table, row, data, permissions) for row in _chosen(call, table)]
    return _bulk_answer([_keep(table, row) for row in rows])


def _delete(call: Call) -> Answer:
    table = _table(call)
    del table.rows[str(_row(call, table)["$id"])]
    return NO_CONTENT


def _delete_bulk(call: Call) -> Answer:
    table = _table(call)
    rows = _chosen(call, table)
    for row in rows:
        del table.rows[str(row["$id"])]
    return _bulk_answer(rows)


def _step(call: Call, sign: int) -> Answer:
    table, column = _table(call), call.ids["column"]
    if column not in table.columns:
        raise ApiError(Fail.COLUMN_NOT_FOUND, column)
    if column_kind(table.columns[column]) is not Kind.NUMBER:
        raise ApiError(Fail.COLUMN_NOT_NUMERIC, column)
    row, step = _row(call, table), call.params.number_or("value", 1)
    found = row[column]
    value = (found if isinstance(found, int | float) else 0) + sign * step
    _check_bound(call, value, sign)
    return Answer(_keep(table, _changed(call, table, row, {column: value}, None)))


def _check_bound(call: Call, value: float, sign: int) -> None:
    bound = "max" if sign > 0 else "min"
    if bound in call.params and sign * value > sign * call.params.number_or(bound, 0):
        raise ApiError(Fail.COLUMN_VALUE, f"Attribute value exceeds {bound}imum limit: {call.params.raw(bound)}")


def _increment(call: Call) -> Answer:
    return _step(call, 1)


def _decrement(call: Call) -> Answer:
    return _step(call, -1)


_ROWS = "/tablesdb/{databaseId}/tables/{tableId}/rows"
_ROW = f"{_ROWS}/{{rowId}}"
ROUTES = (
    Route("POST", _ROWS, _WRITE, _create),
    Route("GET", _ROWS, _READ, _list),
    Route("PUT", _ROWS, _WRITE, _upsert_bulk),
    Route("PATCH", _ROWS, _WRITE, _update_bulk),
    Route("DELETE", _ROWS, _WRITE, _delete_bulk),
    Route("GET", _ROW, _READ, _get),
    Route("PUT", _ROW, _WRITE, _upsert),
    Route("PATCH", _ROW, _WRITE, _update),
    Route("DELETE", _ROW, _WRITE, _delete),
    Route("PATCH", f"{_ROW}/{{column}}/increment", _WRITE, _increment),
    Route("PATCH", f"{_ROW}/{{column}}/decrement", _WRITE, _decrement),
)
