"""Whatever arrives, the stand-in answers or refuses in Appwrite's words; it never falls over."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.json_types import Json, JsonObject
from handrail.sandbox import API_KEY, PROJECT_ID, SandboxState
from handrail.sandbox.dispatch import ROUTES, Request, dispatch
from handrail.sandbox.errors import ApiError
from handrail.sandbox.multipart import boundary_of, read_parts
from handrail.sandbox.routing import Answer

pytestmark = pytest.mark.unit

SEEDED_IDS = {
    "userId": "ada",
    "teamId": "staff",
    "databaseId": "shop",
    "tableId": "products",
    "rowId": "hammer",
    "column": "stock",
    "key": "price",
    "bucketId": "docs",
    "fileId": "welcome",
    "functionId": "greet",
    "variableId": "tone",
}
FIELDS = (
    "userId",
    "teamId",
    "databaseId",
    "tableId",
    "rowId",
    "rows",
    "data",
    "permissions",
    "key",
    "size",
    "required",
    "default",
    "min",
    "max",
    "array",
    "elements",
    "name",
    "email",
    "phone",
    "password",
    "prefs",
    "labels",
    "queries",
    "value",
    "secret",
    "roles",
    "columns",
    "type",
    "enabled",
    "timeout",
    "newKey",
    "total",
    "search",
    "number",
    "bucketId",
    "functionId",
    "runtime",
    "variableId",
    "maximumFileSize",
)

words = st.sampled_from(
    [*SEEDED_IDS.values(), "unique()", "", "x", "a@b.co", "+491", 'read("any")', "node-22", "[", "%"]
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | words | st.text(max_size=5)
values: st.SearchStrategy[Json] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=6
)
bodies = st.dictionaries(st.sampled_from(FIELDS), values, max_size=6)
ids = st.sampled_from(["a/b", "..", "", "x" * 37, "_x", "é", "%2F", "ok-1", "a.b"])


def headers(content_type: str = "application/json") -> dict[str, str]:
    return {"x-appwrite-project": PROJECT_ID, "x-appwrite-key": API_KEY, "content-type": content_type}


def answered(state: SandboxState, request: Request) -> None:
    try:
        answer = dispatch(state, request)
    except ApiError as error:
        answer = Answer(error.body(), error.fail.code)
    assert answer.status < 600
    assert answer.content is not None or json.dumps(answer.body)
    assert len(state.digest()) == 64


@settings(max_examples=200, deadline=None)
@given(route=st.sampled_from(ROUTES), body=bodies, data=st.data())
def test_any_body_on_any_route_is_answered_or_refused(route: object, body: JsonObject, data: st.DataObject) -> None:
    chosen = next(known for known in ROUTES if known is route)
    path = chosen.template
    for name, seeded in SEEDED_IDS.items():
        path = path.replace(f"{{{name}}}", data.draw(st.just(seeded) | ids))
    query = "&".join(f"{name}={value}" for name, value in body.items())
    request = Request(chosen.method, f"/v1{path}", query, headers(), json.dumps(body).encode())
    answered(SandboxState.seeded(), request)


@settings(max_examples=100, deadline=None)
@given(body=st.binary(max_size=200), span=st.text(alphabet="bytes 0123456789-/", max_size=20), chunk_id=ids)
def test_any_upload_is_answered_or_refused(body: bytes, span: str, chunk_id: str) -> None:
    sent = headers("multipart/form-data; boundary=b") | {"content-range": span, "x-appwrite-id": chunk_id}
    form = b'--b\r\nContent-Disposition: form-data; name="fileId"\r\n\r\nf\r\n'
    form += b'--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n' + body + b"\r\n--b--\r\n"
    for content in (body, form):
        request = Request("POST", "/v1/storage/buckets/docs/files", "", sent, content)
        answered(SandboxState.seeded(), request)


@given(content=st.binary(max_size=300), boundary=st.text(alphabet="abcdef0123456789", min_size=16, max_size=32))
def test_a_form_gives_back_the_bytes_that_were_put_in(content: bytes, boundary: str) -> None:
    mark = boundary.encode()
    if b"\r\n--" + mark in b"\r\n" + content:
        return
    form = b"--" + mark + b'\r\nContent-Disposition: form-data; name="file"; filename="a b.bin"\r\n\r\n'
    parts = read_parts(form + content + b"\r\n--" + mark + b"--\r\n", boundary)
    assert [(part.name, part.filename, part.content) for part in parts] == [("file", "a b.bin", content)]


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        ("multipart/form-data; boundary=abc", "abc"),
        ('Multipart/Form-Data; charset=utf-8; boundary="a-b"', "a-b"),
        ("application/json", None),
        ("multipart/form-data", None),
    ],
)
def test_a_boundary_is_found_in_multipart_types_only(content_type: str, boundary: str | None) -> None:
    assert boundary_of(content_type) == boundary
