"""A stand-in with a clock and ids of its own, a client for it, and the real API's description to check against."""

import copy
import itertools
import json
import lzma
import re
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
from openapi_core import OpenAPI
from openapi_core.testing import MockRequest, MockResponse

from handrail.json_types import Json, JsonObject
from handrail.sandbox import API_KEY, PROJECT_ID, SandboxState, create_app

DATA = Path(__file__).parent / "data"
BASE = "http://sandbox.test/v1"
_MODELS = "#/components/schemas"
_SLOT = re.compile(r"\{\w+\}")


def counted_ids() -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"{next(numbers):020x}"


def ticking_clock() -> Callable[[], datetime]:
    moments = itertools.count()
    return lambda: datetime(2030, 1, 1, tzinfo=UTC) + timedelta(milliseconds=next(moments))


@pytest.fixture
def state() -> SandboxState:
    return SandboxState(clock=ticking_clock(), new_id=counted_ids())


@pytest.fixture
async def client(state: SandboxState, contract: Callable[[httpx2.Response], None]) -> AsyncIterator[httpx2.AsyncClient]:
    """A client with the right key; every answer it gets is checked against the real API's description."""

    async def check(response: httpx2.Response) -> None:
        await response.aread()
        await response.request.aread()
        contract(response)

    headers = {"x-appwrite-project": PROJECT_ID, "x-appwrite-key": API_KEY}
    transport = httpx2.ASGITransport(app=create_app(state))
    async with httpx2.AsyncClient(
        transport=transport, base_url=BASE, headers=headers, event_hooks={"response": [check]}
    ) as opened:
        yield opened


@pytest.fixture(scope="session")
def error_codes() -> dict[str, int]:
    loaded: dict[str, int] = json.loads((DATA / "error-codes-1.9.6.json").read_text())
    return loaded


def _patch_description(document: JsonObject) -> None:
    """Mend what is wrong with the description itself.

    - `security` names schemes that the checks here do not play; `servers` are not ours.
    - `avatars/screenshots` has a default `[]` for an object: no validator takes the document.
    - an upsert of rows answers 200 (recorded), the description knows 201 only.
    - creating rows in bulk answers a list, the description knows one row only.
    - one column is described as ten kinds, the list of columns as eighteen.
    """
    document["servers"] = [{"url": BASE}]
    for path, method, operation in _operations(document):
        operation.pop("security", None)
        for parameter in _dicts(operation.get("parameters")):
            schema = parameter.get("schema")
            if isinstance(schema, dict) and schema.get("type") == "object" and schema.get("default") == []:
                schema["default"] = {}
        if method == "put" and path.startswith("/tablesdb/") and "rows" in path:
            responses = operation["responses"]
            assert isinstance(responses, dict)
            responses["200"] = responses["201"]
        if method == "post" and path.endswith("/tables/{tableId}/rows"):
            _set_answer(operation, "201", {"anyOf": [{"$ref": f"{_MODELS}/row"}, {"$ref": f"{_MODELS}/rowList"}]})
        if method == "get" and path.endswith("/columns/{key}"):
            _set_answer(operation, "200", _column_models(document))
    _tell_models_apart(document)


def _set_answer(operation: JsonObject, status: str, schema: Json) -> None:
    operation["responses"] = {status: {"description": "", "content": {"application/json": {"schema": schema}}}}


def _column_models(document: JsonObject) -> Json:
    node: Json = document
    for name in ("components", "schemas", "columnList", "properties", "columns", "items"):
        assert isinstance(node, dict)
        node = node[name]
    return copy.deepcopy(node)


def _tell_models_apart(node: Json) -> None:
    """Spell discriminators out by their `x-mapping`: e-mail, enum, ip and url columns all have the type `string`.

    `oneOf` becomes `anyOf` where several models fit the same answer, as for the hash options of a user.
    """
    if isinstance(node, list):
        for item in node:
            _tell_models_apart(item)
    if not isinstance(node, dict):
        return
    if "oneOf" in node:
        node["anyOf"] = node.pop("oneOf")
    discriminator = node.pop("discriminator", None)
    if isinstance(discriminator, dict) and isinstance(discriminator.get("x-mapping"), dict):
        mapping = discriminator["x-mapping"]
        assert isinstance(mapping, dict)
        node["anyOf"] = [_exactly(model, marks) for model, marks in mapping.items()]
    for item in node.values():
        _tell_models_apart(item)


def _exactly(model: str, marks: Json) -> Json:
    assert isinstance(marks, dict)
    words: JsonObject = {name: {"type": "string", "enum": [word]} for name, word in marks.items()}
    return {"allOf": [{"$ref": model}, {"type": "object", "properties": words, "required": list(marks)}]}


def _dicts(node: Json) -> list[JsonObject]:
    return [item for item in node if isinstance(item, dict)] if isinstance(node, list) else []


def _operations(document: JsonObject) -> Iterator[tuple[str, str, JsonObject]]:
    paths = document["paths"]
    assert isinstance(paths, dict)
    for path, methods in paths.items():
        assert isinstance(methods, dict)
        for method, operation in methods.items():
            if isinstance(operation, dict) and "operationId" in operation:
                yield path, method, operation


@pytest.fixture(scope="session")
def document() -> JsonObject:
    loaded: JsonObject = json.loads(lzma.decompress((DATA / "open-api3-1.9.6-server.json.xz").read_bytes()))
    _patch_description(loaded)
    return loaded


@pytest.fixture(scope="session")
def operations(document: JsonObject) -> Callable[[str, str], bool]:
    """Whether the real server API has an operation: its method in small letters, its path after `/v1`."""
    known = {(method, _SLOT.sub("{}", path)) for path, method, _ in _operations(document)}
    return lambda method, path: (method, _SLOT.sub("{}", path)) in known


@pytest.fixture(scope="session")
def description(document: JsonObject) -> OpenAPI:
    return OpenAPI.from_dict(document)


@pytest.fixture(scope="session")
def contract(description: OpenAPI, error_codes: dict[str, int]) -> Callable[[httpx2.Response], None]:
    """A check of one exchange: a good one meets the description, a refused one is an error of Appwrite's catalogue."""

    def check(response: httpx2.Response) -> None:
        if response.status_code >= 400:
            _check_error(response, error_codes)
            return
        request = _as_described(response.request)
        description.validate_request(request)
        content_type = response.headers.get("content-type", "").partition(";")[0]
        if content_type == "application/json" or response.status_code == 204:
            answer = MockResponse(response.content, response.status_code, content_type=content_type)
            description.validate_response(request, answer)

    return check


def _as_described(request: httpx2.Request) -> MockRequest:
    url = urlsplit(str(request.url))
    args: dict[str, list[str]] = {}
    for name, value in parse_qsl(url.query):
        args.setdefault(name.partition("[")[0], []).append(value)
    return MockRequest(
        "http://sandbox.test",
        request.method.lower(),
        url.path,
        args=args,
        headers=dict(request.headers),
        data=request.content or None,
        content_type=request.headers.get("content-type", "application/json"),
    )


def _check_error(response: httpx2.Response, error_codes: dict[str, int]) -> None:
    if not response.headers["content-type"].startswith("application/json"):
        assert response.status_code == 404
        assert response.text.startswith("<!DOCTYPE html>")
        return
    body = response.json()
    assert set(body) == {"message", "code", "type", "version"}
    assert body["code"] == response.status_code
    if response.status_code != 501:
        assert error_codes[body["type"]] == response.status_code
