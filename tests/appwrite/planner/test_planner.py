import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.appwrite.catalog import Catalog, Encoding, Method, Place, Sdk
from handrail.appwrite.encoding import MAX_DEPTH, flatten
from handrail.appwrite.plan import JsonBody, MultipartBody, RequestPlan
from handrail.appwrite.planner import plan_request
from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonObject

if TYPE_CHECKING:
    from tests.appwrite.planner.conftest import Referee

pytestmark = pytest.mark.unit

_ROW: JsonObject = {"database_id": "d", "table_id": "t", "row_id": "unique()", "data": {}}
_COLUMN: JsonObject = {"database_id": "d", "table_id": "t", "key": "k", "required": False}
_FILE: JsonObject = {"bucket_id": "b", "file_id": "f"}


@pytest.fixture
def plan(catalogs: dict[Sdk, Catalog]) -> Callable[[str, JsonObject], RequestPlan]:
    def planned(tool: str, arguments: JsonObject) -> RequestPlan:
        return plan_request(catalogs[Sdk.SERVER].get(tool), arguments, config={"project": "p"})

    return planned


Planned = Callable[[str, JsonObject], RequestPlan]


def test_a_body_keeps_values_and_their_types(plan: Planned) -> None:
    data: JsonObject = {"int": 1, "float": 1.0, "big": 2**60, "no": False, "null": None, "list": [1, None], "é": "漢"}
    body = plan("tables_db_create_row", {**_ROW, "data": data}).body
    assert isinstance(body, JsonBody)
    assert json.dumps(body.document) == json.dumps({"rowId": "unique()", "data": data})


def test_a_query_is_flattened(plan: Planned) -> None:
    arguments: JsonObject = {"queries": ["a", "b"], "search": "x y", "total": False}
    query = plan("users_list", arguments).query
    assert query == (("queries[0]", "a"), ("queries[1]", "b"), ("search", "x y"), ("total", "false"))


def test_an_optional_null_is_left_out_and_a_required_one_is_sent(plan: Planned) -> None:
    body = plan("tables_db_update_boolean_column", {**_COLUMN, "default": None, "new_key": None}).body
    assert body == JsonBody({"required": False, "default": None})


def test_a_file_goes_after_the_fields_with_its_name_and_bytes(plan: Planned) -> None:
    arguments: JsonObject = {"filename": "é.txt", "text": "漢"}
    body = plan("storage_create_file", {**_FILE, "file": arguments, "permissions": ["p", "q"]}).body
    assert isinstance(body, MultipartBody)
    assert body.fields == (("fileId", "f"), ("permissions[0]", "p"), ("permissions[1]", "q"))
    assert body.file is not None
    assert (body.file.name, body.file.filename, body.file.content) == ("file", "é.txt", "漢".encode())


def test_a_multipart_boolean_is_a_lower_case_word(plan: Planned, catalogs: dict[Sdk, Catalog]) -> None:
    method = catalogs[Sdk.SERVER].get("functions_create_deployment")
    encodings = {parameter.name: parameter.encoding for parameter in method.parameters}
    arguments: JsonObject = {"function_id": "f", "activate": True, "code": {"filename": "c", "base64": "AAE="}}
    body = plan(method.tool, arguments).body
    assert encodings["activate"] is Encoding.LOWER_BOOL
    assert isinstance(body, MultipartBody)
    assert body.fields == (("activate", "true"),)


def test_a_lower_case_boolean_is_text_in_a_json_body_too(catalogs: dict[Sdk, Catalog]) -> None:
    method = catalogs[Sdk.SERVER].get("users_update_status")
    arguments: JsonObject = {"user_id": "u", "status": True}
    assert plan_request(method, arguments, config={}).body == JsonBody({"status": True})
    lowered = tuple(replace(parameter, encoding=Encoding.LOWER_BOOL) for parameter in method.parameters)
    assert plan_request(replace(method, parameters=lowered), arguments, config={}).body == JsonBody({"status": "true"})


def test_a_null_inside_a_form_value_is_the_text_that_the_sdk_makes_of_it(
    catalogs: dict[Sdk, Catalog], referee: "Callable[[Sdk], Referee]", plain: Callable[[Method], JsonObject]
) -> None:
    judge, method = referee(Sdk.CONSOLE), catalogs[Sdk.CONSOLE].get("growth_create_conversation")
    nested: JsonObject = {"a": None, "b": [None, True, 1.0], "c": {}}
    arguments: JsonObject = {**plain(method), "attributes": nested, "attachment": None}
    planned = judge.planned(plan_request(method, arguments, config=judge.config))
    assert judge.call(method, arguments) == [planned]
    assert ("attributes[a]", "None") in planned.fields


@pytest.mark.parametrize(
    "file",
    [
        {"filename": "f"},
        {"filename": "f", "text": "a", "base64": "YQ=="},
        {"filename": "f", "text": "a", "path": "/etc/passwd"},
        {"filename": "", "text": "a"},
        {"filename": 'f"\r\nx: y', "text": "a"},
        {"filename": "f", "base64": "no base64!"},
        {"filename": "f", "base64": "YQ"},
        {"filename": "f", "base64": "é"},
        {"filename": "f", "text": "\ud800"},
        "/etc/passwd",
        [],
    ],
)
def test_a_file_in_another_form_is_refused(file: Json, plan: Planned) -> None:
    with pytest.raises(ArgumentError) as caught:
        plan("storage_create_file", {**_FILE, "file": file})
    assert caught.value.argument == "file"


@pytest.mark.parametrize("file_id", ["a b", "é", "a\r\nx-appwrite-key: k", "\ud800"])
def test_an_upload_id_that_no_header_can_carry_is_refused(file_id: str, plan: Planned) -> None:
    with pytest.raises(ArgumentError) as caught:
        plan("storage_create_file", {**_FILE, "file_id": file_id, "file": {"filename": "f", "text": ""}})
    assert caught.value.argument == "file_id"


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -float("inf"), "\ud800", {"\udc00": 1}, {"a": [[{"b": float("nan")}]]}]
)
def test_what_json_cannot_hold_is_refused_at_any_depth(value: Json, plan: Planned) -> None:
    with pytest.raises(ArgumentError) as caught:
        plan("tables_db_create_row", {**_ROW, "data": {"x": value}})
    assert caught.value.argument == "data"


def test_a_value_may_nest_deeply_but_not_without_end(plan: Planned) -> None:
    def nested(depth: int) -> Json:
        value: Json = 1
        for _ in range(depth):
            value = [value]
        return value

    assert plan("tables_db_create_row", {**_ROW, "data": {"x": nested(MAX_DEPTH - 1)}}).body is not None
    with pytest.raises(ArgumentError, match="nests deeper"):
        plan("tables_db_create_row", {**_ROW, "data": {"x": nested(5_000)}})


def test_an_unknown_name_is_refused_with_the_nearest_one(plan: Planned) -> None:
    with pytest.raises(ArgumentError) as caught:
        plan("users_get", {"userId": "u"})
    assert (caught.value.argument, caught.value.data["nearest"]) == ("userId", "user_id")


@pytest.mark.parametrize("arguments", [{}, {"database_id": "d", "table_id": None}, {**_COLUMN, "required": None}])
def test_a_missing_argument_is_refused(arguments: JsonObject, plan: Planned) -> None:
    with pytest.raises(ArgumentError) as caught:
        plan("tables_db_update_boolean_column", {**arguments})
    assert caught.value.data["problem"] == "missing"


def test_an_argument_outside_the_path_may_be_empty_only_where_the_sdk_lets_it(catalogs: dict[Sdk, Catalog]) -> None:
    """Today's SDKs refuse empty text in paths alone; the catalog would know if that changed."""
    method = catalogs[Sdk.SERVER].get("users_update_name")
    assert plan_request(method, {"user_id": "u", "name": ""}, config={}).body == JsonBody({"name": ""})
    strict = replace(method, parameters=tuple(replace(p, allow_empty=False) for p in method.parameters))
    with pytest.raises(ArgumentError) as caught:
        plan_request(strict, {"user_id": "u", "name": ""}, config={})
    assert caught.value.argument == "name"


@pytest.mark.parametrize("sdk", Sdk)
@pytest.mark.parametrize("value", ["", None])
def test_an_argument_is_required_and_may_be_empty_or_null_exactly_as_in_the_sdk(
    value: str | None,
    sdk: Sdk,
    catalogs: dict[Sdk, Catalog],
    referee: "Callable[[Sdk], Referee]",
    plain: Callable[[Method], JsonObject],
) -> None:
    """Path arguments of an enum type are left out: the SDK itself would send an empty one."""
    judge = referee(sdk)
    for method in catalogs[sdk]:
        for parameter in method.parameters:
            if parameter.required and not (parameter.place is Place.PATH and parameter.allow_empty):
                arguments: JsonObject = {**plain(method), parameter.name: value}
                if value is None or _takes_text(parameter.schema):
                    assert _planned(method, arguments) == bool(judge.call(method, arguments)), (method.tool, parameter)


def _takes_text(schema: JsonObject) -> bool:
    return schema.get("type") in ("string", ["string", "null"]) and "enum" not in schema


def _planned(method: Method, arguments: JsonObject) -> bool:
    try:
        plan_request(method, arguments, config={"project": "p"})
    except ArgumentError:
        return False
    return True


def test_of_two_leaves_with_one_name_the_later_value_is_sent_as_in_the_sdk() -> None:
    assert flatten({"a": {"b": 1, "c": 2}, "a[b]": 3}) == (("a[b]", "3"), ("a[c]", "2"))
    assert flatten({"a": {"b": 1, "c": 2}, "a[b]": None}) == (("a[c]", "2"),)


_LEAVES = st.none() | st.booleans() | st.integers() | st.text("ab[]0", max_size=3)
_TREES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner)
)


@given(st.dictionaries(st.text("ab", min_size=1, max_size=2), _TREES, max_size=3))
def test_flattening_keeps_every_leaf_under_one_name(values: JsonObject) -> None:
    def leaves(value: Json) -> list[str]:
        if isinstance(value, list | dict):
            return [leaf for item in (value.values() if isinstance(value, dict) else value) for leaf in leaves(item)]
        return [] if value is None else [str(value).lower() if isinstance(value, bool) else str(value)]

    flat = flatten(values)
    assert len({name for name, _ in flat}) == len(flat)
    assert [value for _, value in flat] == leaves(dict(values))
