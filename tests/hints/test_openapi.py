"""Operations from OpenAPI documents, and what their vendors declare."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hints import Effect, Operation, effect_of
from handrail.hints.declared import declared_in
from handrail.hints.openapi import DocumentError, operations_of
from handrail.hints.sentences import first_sentence, said_verb

pytestmark = pytest.mark.unit

AWS: Final = Path(__file__).parent / "data" / "aws-sample.json"
# Operations of the sample that AWS declares nothing about, and that a person has read: they are reads.
READS_WITHOUT_TRAIT: Final = frozenset(
    {
        "get_profile_object_type",
        "get_upgrade_history",
        "list_backup_jobs",
        "list_composition_relationships",
        "list_configuration_profiles",
        "list_contact_flow_aliases",
        "list_groups",
        "list_integrations",
        "list_security_control_definitions",
        "list_tags",
        "list_tags_for_resource",
        "list_test_cases",
        "list_users",
    }
)


def _document(**paths: object) -> dict[str, object]:
    return {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {f"/{k}": v for k, v in paths.items()}}


def _one(operation: dict[str, object], method: str = "get", **more: object) -> Operation:
    (only,) = operations_of({**_document(users={method: operation}), **more})
    return only


def _aws() -> list[Operation]:
    return operations_of(json.loads(AWS.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("operation_id", "name"),
    [
        ("listUsers", "list_users"),
        ("ListUsers", "list_users"),
        ("list_users", "list_users"),
        ("list-users", "list_users"),
        ("users.list", "list_users"),
        ("drive.files.list", "list_drive_files"),
        ("users/list-followers", "list_followers_users"),
        ("VirtualMachines_CreateOrUpdate", "create_or_update_virtual_machines"),
        ("UsersController_findAll_v1", "find_all_users_controller_v_1"),
        ("getHTTPStatus", "get_http_status"),
        ("tables_db_list_rows", "tables_db_list_rows"),
        ("estimation.deleteOrganization", "delete_organization_estimation"),
        ("getAndDeleteUser", "get_and_delete_user"),
    ],
)
def test_a_name_is_split_into_words_with_the_verb_first(operation_id: str, name: str) -> None:
    assert _one({"operationId": operation_id}).name == name


@pytest.mark.parametrize(
    ("operation_id", "tags", "name"),
    [
        ("accountGet", ["account"], "get_account"),
        ("tablesDBListRows", ["other", "tablesDB"], "list_rows_tables_db"),
        ("accountListSessions", ["users"], "account_list_sessions"),
        ("account", ["account"], "account"),
        ("getAccount", ["get"], "get_account"),
        ("accountingGet", ["account"], "accounting_get"),
    ],
)
def test_an_operations_own_tag_before_its_verb_is_no_part_of_the_verb(
    operation_id: str, tags: list[str], name: str
) -> None:
    assert _one({"operationId": operation_id, "tags": tags}).name == name


def test_a_verb_in_mid_name_stays_there() -> None:
    assert _one({"operationId": "thing_get_and_drop"}).name == "thing_get_and_drop"


@pytest.mark.parametrize("operation", [{"summary": "Lists all users."}, {"description": "List users\n\nof a team."}])
def test_without_an_operation_id_the_verb_is_that_of_the_summary(operation: dict[str, object]) -> None:
    found = _one(operation)

    assert (found.name, effect_of(found).is_read) == ("list_users", True)


@pytest.mark.parametrize("method", ["get", "put", "post", "delete", "patch"])
def test_an_http_method_alone_promises_nothing(method: str) -> None:
    found = _one({"operationId": "!!!", "summary": "The user's thing"}, method)
    hints = effect_of(found).hints

    assert found.name == f"http_{method}_users"
    assert (hints.read_only, hints.destructive, hints.idempotent) == (False, True, False)


def test_parameters_of_path_operation_and_body_are_found_through_references() -> None:
    page = {"name": "limit", "in": "query"}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}}
    user = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"email": {}}}]}
    components = {
        "parameters": {"Page": page, "a/b": {"$ref": "#/components/parameters/Page"}},
        "requestBodies": {"User": body},
        "schemas": {"User": user, "Base": {"properties": {"name": {}, "limit": {}}}},
    }
    item = {
        "parameters": [{"name": "team", "in": "path"}, {"name": "X-Trace", "in": "header"}],
        "post": {
            "operationId": "createUser",
            "parameters": [{"$ref": "#/components/parameters/a~1b"}],
            "requestBody": {"$ref": "#/components/requestBodies/User"},
        },
    }

    (found,) = operations_of({**_document(users=item), "components": components})

    assert (found.http_method, found.path) == ("POST", "/users")
    assert sorted(found.parameters) == ["X-Trace", "email", "limit", "name", "team"]


def test_a_path_item_may_be_a_reference() -> None:
    document = _document(users={"$ref": "#/x-items/0"}) | {"x-items": [{"get": {"operationId": "listUsers"}}]}

    assert [found.name for found in operations_of(document)] == ["list_users"]


def test_schemas_that_hold_each_other_are_walked_once() -> None:
    schemas = {
        "A": {"properties": {"a": {}}, "allOf": [{"$ref": "#/components/schemas/B"}]},
        "B": {"properties": {"b": {}}, "oneOf": [{"$ref": "#/components/schemas/A"}, True]},
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}

    found = _one({"operationId": "createA", "requestBody": body}, "post", components={"schemas": schemas})

    assert sorted(found.parameters) == ["a", "b"]


def test_the_order_of_the_document_is_kept_and_other_fields_are_no_operations() -> None:
    document = _document(b={"summary": "x", "get": {"operationId": "getB"}, "x-get": {}}, a={"get": {}})

    assert [found.path for found in operations_of(document)] == ["/b", "/a"]
    assert operations_of({"openapi": "3.1.0", "webhooks": {}}) == []


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ([], "#"),
        ({}, "#"),
        ({"swagger": "2.0", "paths": {}}, "#"),
        ({"openapi": "4.0.0"}, "#/openapi"),
        ({"openapi": 3.1}, "#/openapi"),
        ({"openapi": "3.1.0", "paths": []}, "#/paths"),
        ({"openapi": "3.1.0", "paths": {1: {}}}, "#/paths"),
        (_document(users=7), "#/paths/~1users"),
        (_document(users={"get": []}), "#/paths/~1users/get"),
        (_document(users={"get": {"operationId": 7}}), "#/paths/~1users/get/operationId"),
        (_document(users={"get": {"tags": [7]}}), "#/paths/~1users/get/tags/0"),
        (_document(users={"get": {"summary": {}}}), "#/paths/~1users/get/summary"),
        (_document(users={"get": {"parameters": {}}}), "#/paths/~1users/get/parameters"),
        (_document(users={"get": {"parameters": [{}]}}), "#/paths/~1users/get/parameters/0"),
        (_document(users={"get": {"parameters": [7]}}), "#/paths/~1users/get/parameters/0"),
        (_document(users={"$ref": "#/paths/~1users"}), "#/paths/~1users"),
        (_document(users={"$ref": "#/nowhere"}), "#/paths/~1users/$ref"),
        (_document(users={"$ref": "#/paths/~1users/$ref/0"}), "#/paths/~1users/$ref"),
        (_document(users={"$ref": "other.json"}), "#/paths/~1users/$ref"),
        (_document(users={"$ref": 7}), "#/paths/~1users/$ref"),
    ],
)
def test_a_bad_document_is_refused_with_the_place(document: object, where: str) -> None:
    with pytest.raises(DocumentError) as caught:
        operations_of(document)

    assert (caught.value.where, bool(caught.value.next_step)) == (where, True)


def test_a_body_of_too_many_schemas_is_refused() -> None:
    body: dict[str, object] = {"content": {"application/json": {"schema": {"allOf": [{"properties": {}}] * 2_000}}}}

    with pytest.raises(DocumentError, match="more than 1000 schemas"):
        _one({"requestBody": body}, "post")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["#/paths", "#", "3.0.1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["get", "post", "$ref", "parameters", "name", "requestBody", "content", "schema", "allOf"])
        | st.text(max_size=5),
        inner,
        max_size=4,
    ),
    max_leaves=25,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["/a", "/b/{c}", "x-d"]), _JSON, max_size=3))
def test_any_document_gives_operations_or_the_typed_error(paths: dict[str, object]) -> None:
    found: list[Operation] = []
    with contextlib.suppress(DocumentError):
        found = operations_of({"openapi": "3.0.3", "paths": paths})

    assert all(operation.name and operation.http_method for operation in found)


@pytest.mark.parametrize(
    ("extensions", "declared"),
    [
        ({}, {}),
        ({"x-readOnly": True}, {"read_only": True}),
        ({"x-read-only": False}, {"read_only": False}),
        ({"x-readOnlyHint": True, "x-idempotentHint": True}, {"read_only": True, "idempotent": True}),
        ({"readOnlyHint": True, "destructiveHint": False}, {"read_only": True, "destructive": False}),
        ({"x-read-only": "true"}, {}),
        ({"x-read-only": 1}, {}),
        ({"readOnly": True}, {}),
        ({"x-mcp-annotations": {"destructiveHint": True}}, {"destructive": True}),
        ({"x-mcp": {"annotations": {"readOnlyHint": True, "title": "T"}}}, {"read_only": True}),
        ({"x-frontmcp": {"annotations": {"idempotentHint": False}}}, {"idempotent": False}),
        ({"x-mcp": True}, {}),
        ({"x-speakeasy-mcp": {"scopes": ["read"]}}, {}),
        ({"smithy.api#readonly": {}}, {"read_only": True}),
        ({"x-smithy.api#idempotent": True}, {"idempotent": True}),
        ({"smithy.api#readonly": False}, {}),
        ({"x-ms-docs-operation-type": "function"}, {"read_only": True}),
        ({"x-ms-docs-operation-type": "action"}, {"read_only": False}),
        ({"x-ms-docs-operation-type": "operation"}, {}),
        ({"x-kubernetes-action": "list"}, {"read_only": True}),
        ({"x-kubernetes-action": "connect"}, {"read_only": False}),
        ({"x-kubernetes-action": "deletecollection"}, {"read_only": False, "destructive": True}),
        ({"x-kubernetes-action": ["list"]}, {}),
        ({"x-openai-isConsequential": False}, {}),
        ({"x-appwrite": {"scope": "users.read"}}, {}),
        ({"security": [{"oauth": ["drive.readonly"]}]}, {}),
    ],
)
def test_what_a_vendor_declares_is_read_in_its_own_words(
    extensions: dict[str, object], declared: dict[str, bool]
) -> None:
    assert dict(_one({"operationId": "x", **extensions}).declared) == declared


def test_a_vendors_word_against_a_read_is_heard() -> None:
    extension = {"x-kubernetes-action": "connect"}

    assert effect_of(_one({"operationId": "getNamespacedPodExec"})).is_read
    assert not effect_of(_one({"operationId": "getNamespacedPodExec", **extension})).is_read


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("hint", "careful"), [("readOnlyHint", False), ("destructiveHint", True), ("idempotentHint", False)]
)
def test_of_two_statements_that_disagree_the_careful_one_stands(order: int, hint: str, *, careful: bool) -> None:
    two = [("x-mcp", {"annotations": {hint: True}}), ("x-mcp-annotations", {hint: False})][::order]

    assert [*declared_in(dict(two)).values()] == [careful]


@pytest.mark.parametrize(
    ("text", "verb"),
    [("Lists all.", "list"), ("Searches it", "search"), ("Copies it", "copy"), ("A list", ""), ("", ""), ("—", "")],
)
def test_a_text_says_a_verb_only_at_its_beginning(text: str, verb: str) -> None:
    assert said_verb(text) == verb


def test_a_first_sentence_is_one_line_of_bounded_length() -> None:
    assert first_sentence("  Lists\nall users. And more.") == "Lists all users."
    assert len(first_sentence("x" * 9_999)) == 500


def _effects(*, declared: bool) -> list[tuple[Operation, Effect]]:
    return [(op, effect_of(op if declared else replace(op, declared={}))) for op in _aws()]


@pytest.mark.promise("no-false-reads-elsewhere")
def test_on_foreign_ground_no_operation_is_falsely_a_read() -> None:
    seen = [(op, effect) for declared in (False, True) for op, effect in _effects(declared=declared)]
    false = {op.name for op, effect in seen if effect.is_read and not op.declared.get("read_only")}

    assert len(seen) > 600
    assert false - READS_WITHOUT_TRAIT == set()


@pytest.mark.promise("declared-reads-are-found")
def test_on_foreign_ground_few_declared_reads_are_missed() -> None:
    reads = [effect for op, effect in _effects(declared=True) if op.declared.get("read_only")]
    missed = sum(not effect.is_read for effect in reads)

    assert len(reads) > 80
    assert missed <= len(reads) * 0.05


def test_without_what_is_declared_many_of_those_reads_are_missed() -> None:
    bare = [effect for op, effect in _effects(declared=False) if op.declared.get("read_only")]

    assert sum(not effect.is_read for effect in bare) > len(bare) * 0.2


def test_reading_is_quick_for_a_large_document() -> None:
    many = _document(**{f"users{n}": {"get": {"operationId": f"getUsers{n}"}} for n in range(5_000)})

    assert len(operations_of(many)) == 5_000
