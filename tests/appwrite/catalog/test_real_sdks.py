"""What the catalog says of the installed SDKs, as a whole."""

import re
import unicodedata
from collections.abc import Iterator

import pytest
from jsonschema import Draft202012Validator

from handrail.appwrite.catalog import Catalog, Encoding, Method, ResponseKind, Sdk, compare, find_sdk
from handrail.appwrite.catalog.codec import from_record, to_record
from handrail.json_types import Json

pytestmark = pytest.mark.unit


@pytest.fixture(params=Sdk, ids=[sdk.value for sdk in Sdk])
def catalog(request: pytest.FixtureRequest, catalogs: dict[Sdk, Catalog]) -> Catalog:
    sdk: Sdk = request.param
    return catalogs[sdk]


def test_every_tool_is_named_after_its_service_and_method_and_fits_a_host(catalog: Catalog) -> None:
    for method in catalog:
        assert method.tool == f"{method.service}_{method.name}"
        assert re.fullmatch(r"[a-z0-9_]{1,64}", method.tool)
        assert method.sdk is catalog.sdk
    assert len(set(catalog.names())) == len(catalog) == sum(catalog.services().values())


def test_every_schema_is_valid_and_refuses_unknown_names(catalog: Catalog) -> None:
    for method in catalog:
        schema = method.input_schema()
        Draft202012Validator.check_schema(schema)
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)


def test_every_method_and_every_argument_is_described(catalog: Catalog) -> None:
    for method in catalog:
        assert method.summary
        assert method.description.replace("\n", " ").startswith(method.summary[:20])
        assert "\n" not in method.summary
        assert all(parameter.schema.get("description") for parameter in method.parameters), method.tool


@pytest.mark.promise("no-invisible-text")
def test_no_text_holds_what_cannot_be_seen(catalog: Catalog) -> None:
    for method in catalog:
        texts = [
            method.title,
            method.summary,
            method.description,
            method.deprecation.reason if method.deprecation else "",
        ]
        for text in [*texts, *_strings(method.input_schema())]:
            hidden = [char for char in text if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co"} and char != "\n"]
            assert not hidden, method.tool


def test_local_arguments_and_their_words_are_left_out(catalog: Catalog) -> None:
    for method in catalog:
        text = str(method.input_schema())
        assert "on_progress" not in text
        assert "model_type" not in text


def test_every_deprecated_method_names_an_existing_replacement(catalog: Catalog) -> None:
    deprecations = [method.deprecation for method in catalog if method.deprecation]
    assert len(deprecations) == 79
    assert all(deprecation.replacement in catalog for deprecation in deprecations)


def test_a_method_comes_back_from_its_record_unchanged(catalog: Catalog) -> None:
    for method in catalog:
        assert from_record(to_record(method)) == method


def test_every_method_sends_a_body_or_a_query_and_the_response_format(catalog: Catalog) -> None:
    for method in catalog:
        headers = dict(method.headers)
        assert headers["x-appwrite-response-format"] == "2.5.0"
        assert ("content-type" in headers) == (method.http_method != "GET")
        assert (headers.get("content-type") == "multipart/form-data") == (method.upload is not None)
        assert "x-appwrite-project" not in headers
        assert not any(name.startswith("x-sdk-") and name != "x-sdk-graphql" for name in headers)


def test_known_methods_read_as_they_are(catalogs: dict[Sdk, Catalog]) -> None:
    server = catalogs[Sdk.SERVER]
    upload = server.get("storage_create_file")
    assert upload.upload is not None
    assert (upload.upload.file_parameter, upload.upload.id_parameter) == ("file", "file_id")
    deployment = server.get("functions_create_deployment")
    assert [p.name for p in deployment.parameters if p.encoding is Encoding.LOWER_BOOL] == ["activate"]
    assert server.get("account_create_o_auth2_token").response is ResponseKind.LOCATION
    assert server.get("oauth2_authorize").config_holes == (("project", "project_id"),)
    assert server.get("databases_list_documents").deprecation is not None
    assert server.get("tables_db_list_rows").returns == "RowList"
    assert server.get("graphql_query").sends_project
    assert dict(server.get("graphql_query").headers)["x-sdk-graphql"] == "true"


def test_a_required_argument_that_may_be_null_is_both(catalogs: dict[Sdk, Catalog]) -> None:
    default = _parameter_named(catalogs[Sdk.SERVER].get("tables_db_update_boolean_column"), "default")
    assert default["type"] == ["boolean", "null"]


def test_the_union_holds_every_tool_once_and_the_server_sdk_comes_first(catalogs: dict[Sdk, Catalog]) -> None:
    server, console = catalogs[Sdk.SERVER], catalogs[Sdk.CONSOLE]
    both = server.joined(console)
    comparison = compare(server, console)
    shared = {*comparison.same, *comparison.differing}
    assert shared == {*server.names()} & {*console.names()}
    assert {*both.names()} == {*server.names()} | {*console.names()}
    assert all(method.sdk is (Sdk.SERVER if method.tool in server else Sdk.CONSOLE) for method in both)
    assert both.versions == {sdk: find_sdk(sdk).version for sdk in Sdk}
    assert (both.sdk, both.version) == (Sdk.SERVER, server.version)


def test_a_tool_of_both_sdks_is_the_same_request_in_both(catalogs: dict[Sdk, Catalog]) -> None:
    """They may differ in their words and in what an argument accepts; were it more, the union would need two names."""
    differing = compare(catalogs[Sdk.SERVER], catalogs[Sdk.CONSOLE]).differing
    assert {field for fields in differing.values() for field in fields} <= {"description", "summary", "parameters"}


def _parameter_named(method: Method, name: str) -> dict[str, Json]:
    return next(parameter.schema for parameter in method.parameters if parameter.name == name)


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
