"""Which calls are grave: for what they give, not for what their methods could take."""

from dataclasses import replace

import pytest

from handrail.approvals import grave_of
from handrail.appwrite.call_effects import effect_of_call, risks_used
from handrail.appwrite.catalog import Catalog
from handrail.json_types import JsonObject

_ROW: JsonObject = {"database_id": "shop", "table_id": "products", "row_id": "hammer", "data": {"price": 1}}


@pytest.mark.promise("plain-updates-are-plain")
@pytest.mark.parametrize(
    ("tool", "arguments", "grave"),
    [
        ("tables_db_update_row", _ROW, set()),
        ("tables_db_update_row", {**_ROW, "permissions": None}, set()),
        ("tables_db_update_row", {**_ROW, "permissions": []}, {"access"}),
        ("tables_db_update_row", {**_ROW, "permissions": ['read("any")']}, {"access"}),
        ("tables_db_create_row", {**_ROW, "permissions": ['read("any")']}, {"access"}),
        ("teams_create", {"team_id": "x", "name": "X"}, set()),
        ("users_update_status", {"user_id": "ada", "status": True}, {"access"}),
    ],
)
def test_a_call_is_grave_for_what_it_gives(catalog: Catalog, tool: str, arguments: JsonObject, grave: set[str]) -> None:
    method = catalog.get(tool)
    effect = effect_of_call(method, arguments)
    found = grave_of(replace(effect, risks=risks_used(method, effect, arguments)))
    assert found & {"access", "delete", "bulk", "irreversible"} >= grave
    assert ("access" in found) == ("access" in grave)
