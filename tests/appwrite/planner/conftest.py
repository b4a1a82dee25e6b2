"""The SDK as the referee: its real methods on its real client, with what they send caught before the network."""

import importlib
import json
import pkgutil
import re
import typing
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from pydantic import ValidationError

from handrail.appwrite.catalog import Catalog, Method, Parameter, Place, ResponseKind, Sdk, find_sdk
from handrail.appwrite.catalog.reader import read_sdk
from handrail.appwrite.files import file_part
from handrail.appwrite.plan import JsonBody, MultipartBody, RequestPlan
from handrail.json_types import Json, JsonMapping, JsonObject

ENDPOINT: Final = "https://appwrite.test/v1"
PROJECT: Final = "proj-1"
SERVER_ID: Final = "id-from-the-server"
PACKAGES: Final = {Sdk.SERVER: "appwrite", Sdk.CONSOLE: "appwrite_console"}

# Who calls, and what depends on the connection. An empty content type is the SDK's way to send none.
_NOT_COMPARED: Final = frozenset({
    "user-agent", "x-sdk-name", "x-sdk-platform", "x-sdk-language", "x-sdk-version", "content-length",
})  # fmt: skip
_PART: Final = re.compile(rb'form-data; name="(?P<name>[^"]*)"(?:; filename="(?P<filename>[^"]*)")?\r\n\r\n')


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it reads on the wire. Pairs are sorted: their order means nothing to the server."""

    http_method: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: tuple[tuple[str, str], ...]
    follows_redirects: bool
    json: str | None = None
    fields: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str, bytes], ...] = ()


@dataclass(slots=True)
class Referee:
    """Calls the methods of one SDK. `probes` are the paths that it asked whether an upload can be resumed."""

    sdk: Sdk
    client: Any  # the SDK ships without types
    probes: list[str] = field(default_factory=list)
    _caught: list[tuple[requests.PreparedRequest, bool]] = field(default_factory=list)
    _uploading: bool = False

    def chunk(self, size: int) -> None:
        """Cut uploads into chunks of that many bytes."""
        self.client._chunk_size = size

    def call(self, method: Method, arguments: JsonMapping) -> list[Sent]:
        """What the SDK sends for these arguments, its chunks in order; empty where it refuses them."""
        self._caught.clear()
        self._uploading = method.upload is not None
        function, hints = _function(self.sdk, method.service, method.name)
        given = {name: _as_users_give(value, hints[name]) for name, value in arguments.items()}
        refusal = importlib.import_module(f"{PACKAGES[self.sdk]}.exception").AppwriteException
        service = _service(self.sdk, method.service)(self.client)
        # The answer is a minimal one: the SDK may fail to make its model of it, after the request has gone out.
        with suppress(refusal, ValidationError), warnings.catch_warnings(record=True):
            function(service, **given)
        return sorted((_read(request, follows) for request, follows in self._caught), key=_offset)

    @property
    def config(self) -> dict[str, str]:
        """The settings that its client has."""
        return {"project": PROJECT}

    def services(self) -> list[str]:
        """The modules of the SDK's services."""
        package = importlib.import_module(f"{PACKAGES[self.sdk]}.services")
        return [module.name for module in pkgutil.iter_modules(package.__path__)]

    def methods_of(self, service: str) -> list[str]:
        """The public methods that a service has at run time."""
        members = vars(_service(self.sdk, service)).items()
        return [name for name, member in members if callable(member) and not name.startswith("_")]

    def planned(self, plan: RequestPlan) -> Sent:
        """A plan as it will read on the wire."""
        body = plan.body if isinstance(plan.body, MultipartBody) else None
        file = body.file if body else None
        project = (("x-appwrite-project", PROJECT),) if plan.sends_project else ()
        return Sent(
            http_method=plan.http_method,
            path=urlsplit(ENDPOINT).path + plan.path,
            query=tuple(sorted(plan.query)),
            headers=tuple(sorted((*plan.headers, *project))),
            follows_redirects=plan.response is not ResponseKind.LOCATION,
            json=_canonical(plan.body.document) if isinstance(plan.body, JsonBody) else None,
            fields=tuple(sorted(body.fields)) if body else (),
            files=((file.name, file.filename, file.content),) if file and isinstance(file.content, bytes) else (),
        )

    def request(
        self,
        *,
        method: str,
        url: str,
        allow_redirects: bool,
        verify: bool,
        **rest: Any,  # noqa: ANN401  (as in requests)
    ) -> requests.Response:
        """Stands in for `requests.request`."""
        assert verify
        if self._uploading and method == "get":
            self.probes.append(urlsplit(url).path)
            return _answer(404)
        self._caught.append((requests.Request(method=method.upper(), url=url, **rest).prepare(), allow_redirects))
        return _answer(200)


@pytest.fixture(scope="session")
def catalogs() -> dict[Sdk, Catalog]:
    """Both SDKs, read from their source."""
    return {sdk: Catalog.of(sdk, find_sdk(sdk).version, read_sdk(find_sdk(sdk))) for sdk in Sdk}


@pytest.fixture(scope="session")
def plain() -> Callable[[Method], JsonObject]:
    """Gives arguments that a method accepts, every one of them."""

    def arguments(method: Method) -> JsonObject:
        return {parameter.name: _plain_value(parameter) for parameter in method.parameters}

    return arguments


@pytest.fixture
def referee(monkeypatch: pytest.MonkeyPatch) -> Callable[[Sdk], Referee]:
    """Gives the referee of an SDK. Nothing that it sends leaves the process."""

    def make(sdk: Sdk) -> Referee:
        client = importlib.import_module(f"{PACKAGES[sdk]}.client").Client()
        client.set_endpoint(ENDPOINT).set_project(PROJECT)
        made = Referee(sdk, client)
        monkeypatch.setattr(requests, "request", made.request)
        return made

    return make


def _plain_value(parameter: Parameter) -> Json:
    values, kind = parameter.schema.get("enum"), parameter.schema.get("type")
    if parameter.place is Place.FILE:
        return {"filename": "f.bin", "text": ""}
    if isinstance(values, list):
        return values[0]
    plain: JsonObject = {"string": "id-1", "number": 1, "boolean": True, "array": ["p", "q"], "object": {}}
    value = plain[str(kind[0] if isinstance(kind, list) else kind)]
    items = parameter.schema.get("items")
    return [_plain_item(items)] if isinstance(value, list) and isinstance(items, dict) else value


def _plain_item(schema: JsonObject) -> Json:
    values = schema.get("enum")
    return values[0] if isinstance(values, list) else "p"


def _service(sdk: Sdk, service: str) -> Any:  # noqa: ANN401  (the SDK ships without types)
    """The class of a service: the only one that its module defines itself, besides type variables."""
    module = importlib.import_module(f"{PACKAGES[sdk]}.services.{service}")
    return next(
        thing for thing in vars(module).values() if isinstance(thing, type) and thing.__module__ == module.__name__
    )


@cache
def _function(sdk: Sdk, service: str, name: str) -> tuple[Callable[..., object], dict[str, Any]]:
    function = getattr(_service(sdk, service), name)
    return function, typing.get_type_hints(function)


def _as_users_give(value: Json, hint: Any) -> object:  # noqa: ANN401  (a type hint has no type)
    """A JSON value as a user of the SDK gives it: enum members and input files are objects there."""
    members = [member for member in typing.get_args(hint) if member is not NoneType]
    if value is None:
        return None
    if typing.get_origin(hint) is typing.Union:
        return _as_users_give(value, members[0])
    if isinstance(value, list):
        return [_as_users_give(item, members[0] if members else object) for item in value]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    if getattr(hint, "__name__", "") == "InputFile":
        part = file_part("file", "file", value)
        return hint.from_bytes(part.content, part.filename)
    return value


def _read(request: requests.PreparedRequest, follows: bool) -> Sent:  # noqa: FBT001  (read from the record of one call)
    url = urlsplit(str(request.url))
    headers = {name.lower(): str(value) for name, value in request.headers.items() if value}
    kind, _, boundary = headers.get("content-type", "").partition("; boundary=")
    if kind:
        headers["content-type"] = kind
    fields, files = _parts(request.body, boundary) if boundary else ((), ())
    return Sent(
        http_method=str(request.method),
        path=url.path,
        query=tuple(sorted(parse_qsl(url.query, keep_blank_values=True, strict_parsing=bool(url.query)))),
        headers=tuple(sorted((name, value) for name, value in headers.items() if name not in _NOT_COMPARED)),
        follows_redirects=follows,
        json=_canonical(json.loads(request.body)) if request.body and not boundary else None,
        fields=fields,
        files=files,
    )


def _parts(body: object, boundary: str) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str, bytes], ...]]:
    content = body.encode() if isinstance(body, str) else body
    assert isinstance(content, bytes)
    fields, files = [], []
    for piece in (b"\r\n" + content).split(f"\r\n--{boundary}".encode())[1:-1]:
        head = _PART.search(piece)
        assert head is not None
        name, value = head["name"].decode(), piece[head.end() :]
        if head["filename"] is None:
            fields.append((name, value.decode()))
        else:
            files.append((name, head["filename"].decode(), value))
    return tuple(sorted(fields)), tuple(sorted(files))


def _canonical(document: object) -> str:
    """A JSON document as text that differs where a value or its type does."""
    return json.dumps(document, sort_keys=True)


def _offset(sent: Sent) -> int:
    content_range = dict(sent.headers).get("content-range", "bytes 0-")
    return int(content_range.removeprefix("bytes ").split("-")[0])


def _answer(status: int) -> requests.Response:
    response = requests.Response()
    response.status_code = status
    response.headers["Content-Type"] = "application/json"
    response._content = json.dumps({"$id": SERVER_ID, "message": "no such upload"}).encode()
    return response
