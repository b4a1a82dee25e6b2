"""Finding the database and the table that a path names."""

from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.routing import Call
from handrail.sandbox.state import Database, Table

__all__ = ["find_database", "find_table"]


def find_database(call: Call) -> Database:
    """The database of the path.

    Raises:
        ApiError: database_not_found.
    """
    database_id = call.ids["databaseId"]
    if database_id not in call.state.databases:
        raise ApiError(Fail.DATABASE_NOT_FOUND, database_id)
    return call.state.databases[database_id]


def find_table(call: Call) -> Table:
    """The table of the path.

    Raises:
        ApiError: database_not_found, table_not_found.
    """
    tables, table_id = find_database(call).tables, call.ids["tableId"]
    if table_id not in tables:
        raise ApiError(Fail.TABLE_NOT_FOUND, table_id)
    return tables[table_id]
