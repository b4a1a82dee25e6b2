"""Buckets, files in one piece and in chunks; functions and their secrets."""

import itertools

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.json_types import JsonObject
from handrail.sandbox import API_KEY, PROJECT_ID, SandboxState
from handrail.sandbox.dispatch import Request, dispatch
from handrail.sandbox.storage import CHUNK_BYTES

pytestmark = pytest.mark.unit

FILES = "/storage/buckets/b/files"


def refusal(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["type"]


@pytest.fixture
async def bucket(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    await client.post("/storage/buckets", json={"bucketId": "b", "name": "Bucket"})
    return client


async def upload(client: httpx2.AsyncClient, content: bytes, name: str = "f.txt", **headers: str) -> httpx2.Response:
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    return await client.post(FILES, data={"fileId": "f"}, files={"file": (name, content)}, headers=sent)


@pytest.mark.parametrize(
    ("content", "mime"),
    [
        (b"hello", "text/plain"),
        (b"\x00\x01", "application/octet-stream"),
        (b"\xff\xfe", "application/octet-stream"),
        (b"\x89PNG\r\n\x1a\nrest", "image/png"),
    ],
)
async def test_a_file_comes_back_byte_for_byte(bucket: httpx2.AsyncClient, content: bytes, mime: str) -> None:
    made = await upload(bucket, content)
    assert (made.status_code, made.json()["mimeType"], made.json()["sizeOriginal"]) == (201, mime, len(content))
    for way, disposition in (("download", "attachment"), ("view", "inline")):
        response = await bucket.get(f"{FILES}/f/{way}")
        assert (response.content, response.headers["content-type"]) == (content, mime)
        assert response.headers["content-disposition"] == f'{disposition}; filename="f.txt"'
    assert refusal(await upload(bucket, content)) == (409, "storage_file_already_exists")


async def test_a_part_of_a_file_can_be_asked_for(bucket: httpx2.AsyncClient) -> None:
    await upload(bucket, b"hello world")
    response = await bucket.get(f"{FILES}/f/download", headers={"range": "bytes=6-"})
    assert (response.status_code, response.content) == (206, b"world")
    assert response.headers["content-range"] == "bytes 6-10/11"
    beyond = await bucket.get(f"{FILES}/f/download", headers={"range": "bytes=11-"})
    assert refusal(beyond) == (416, "storage_invalid_range")


@pytest.mark.parametrize("order", list(itertools.permutations((1, 2))))
async def test_chunks_after_the_first_come_in_any_order_and_twice(
    bucket: httpx2.AsyncClient, order: tuple[int, ...]
) -> None:
    whole = b"a" * CHUNK_BYTES + b"b" * CHUNK_BYTES + b"c" * 7
    for count, place in enumerate((0, 0, *order), start=0):
        piece = whole[place * CHUNK_BYTES : (place + 1) * CHUNK_BYTES]
        span = f"bytes {place * CHUNK_BYTES}-{place * CHUNK_BYTES + len(piece) - 1}/{len(whole)}"
        made = await upload(bucket, piece, "big.bin", content_range=span, x_appwrite_id="f")
        assert (made.status_code, made.json()["chunksUploaded"], made.json()["chunksTotal"]) == (201, max(count, 1), 3)
        if count < 3:
            assert refusal(await bucket.get(f"{FILES}/f/download")) == (404, "storage_file_not_found")
    assert (await bucket.get(f"{FILES}/f/download")).content == whole
    assert (await bucket.get(f"{FILES}/f")).json()["signature"]


@pytest.mark.parametrize(
    ("headers", "word"),
    [
        ({"content_range": "bytes 0-4/3"}, "storage_invalid_content_range"),
        ({"content_range": "bytes 4-0/5"}, "storage_invalid_content_range"),
        ({"content_range": "bytes 1-5/6"}, "storage_invalid_content_range"),
        ({"content_range": "bytes 0-4/9"}, "storage_invalid_content_range"),
        ({"content_range": "all of it"}, "storage_invalid_content_range"),
        ({"content_range": "bytes 0-4/5", "x_appwrite_id": "unique()"}, "storage_invalid_appwrite_id"),
        ({"content_range": "bytes 0-4/5", "x_appwrite_id": "../x"}, "general_argument_invalid"),
    ],
)
async def test_a_chunk_that_does_not_fit_is_refused(
    state: SandboxState, bucket: httpx2.AsyncClient, headers: dict[str, str], word: str
) -> None:
    assert refusal(await upload(bucket, b"hello", **headers)) == (400, word)
    assert state.buckets["b"].files == {}


async def test_a_bucket_bounds_what_it_takes(bucket: httpx2.AsyncClient) -> None:
    body: JsonObject = {"name": "B", "maximumFileSize": 4, "allowedFileExtensions": ["txt"], "permissions": []}
    assert (await bucket.put("/storage/buckets/b", json=body)).json()["maximumFileSize"] == 4
    assert refusal(await upload(bucket, b"hello")) == (400, "storage_invalid_file_size")
    assert refusal(await upload(bucket, b"hi", "f.exe")) == (400, "storage_file_type_unsupported")
    assert refusal(await upload(bucket, b"")) == (400, "storage_file_empty")
    assert refusal(await bucket.post(FILES, json={"fileId": "f"})) == (400, "storage_file_empty")
    assert (await upload(bucket, b"hi")).status_code == 201
    taken = await bucket.post("/storage/buckets", json={"bucketId": "b", "name": "B"})
    assert refusal(taken) == (409, "storage_bucket_already_exists")


async def test_a_file_can_be_renamed_and_deleted(bucket: httpx2.AsyncClient) -> None:
    await upload(bucket, b"hello")
    changed = await bucket.put(f"{FILES}/f", json={"name": "new.txt", "permissions": ['read("any")']})
    assert (changed.json()["name"], changed.json()["$permissions"]) == ("new.txt", ['read("any")'])
    assert (await bucket.get(FILES)).json()["files"][0]["name"] == "new.txt"
    assert (await bucket.delete(f"{FILES}/f")).status_code == 204
    assert refusal(await bucket.get(f"{FILES}/f")) == (404, "storage_file_not_found")
    assert (await bucket.delete("/storage/buckets/b")).status_code == 204
    assert refusal(await bucket.get(FILES)) == (404, "storage_bucket_not_found")


@settings(max_examples=20, deadline=None)
@given(content=st.binary(min_size=1, max_size=200), filename=st.text(alphabet="ab.é ", min_size=1, max_size=8))
def test_any_content_survives_the_form(content: bytes, filename: str) -> None:
    state = SandboxState.seeded()
    headers = {"x-appwrite-project": PROJECT_ID, "x-appwrite-key": API_KEY}
    url = "http://sandbox.test/v1/storage/buckets/docs/files"
    sent = httpx2.Request("POST", url, data={"fileId": "f"}, files={"file": (filename, content)})
    headers["content-type"] = sent.headers["content-type"]
    dispatch(state, Request("POST", "/v1/storage/buckets/docs/files", "", headers, sent.read()))
    assert state.buckets["docs"].files["f"].content() == content


@pytest.fixture
async def function(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    await client.post("/functions", json={"functionId": "fn", "name": "Fn", "runtime": "node-22"})
    return client


async def test_a_secret_variable_is_kept_and_never_shown(state: SandboxState, function: httpx2.AsyncClient) -> None:
    path = "/functions/fn/variables"
    texts = [
        (await function.post(path, json={"variableId": "v", "key": "K", "value": "canary-1"})).text,
        (await function.put(f"{path}/v", json={"value": "canary-2"})).text,
        (await function.get(path)).text,
        (await function.get(f"{path}/v")).text,
        (await function.get("/functions")).text,
        (await function.put("/functions/fn", json={"name": "Fn", "timeout": 30, "enabled": False})).text,
    ]
    assert "canary" not in "".join(texts)
    assert state.functions["fn"].variables["v"]["value"] == "canary-2"
    plain = await function.post(path, json={"variableId": "w", "key": "L", "value": "shown", "secret": False})
    assert plain.json()["value"] == "shown"
    opened = await function.put(f"{path}/v", json={"secret": False})
    assert refusal(opened) == (400, "variable_cannot_unset_secret")
    again = await function.post(path, json={"variableId": "x", "key": "K", "value": "x"})
    assert refusal(again) == (409, "variable_already_exists")
    assert (await function.delete(f"{path}/v")).status_code == 204
    assert refusal(await function.get(f"{path}/v")) == (404, "variable_not_found")


async def test_a_function_has_settings_and_nothing_to_run(function: httpx2.AsyncClient) -> None:
    changed = (await function.put("/functions/fn", json={"name": "New", "timeout": 30, "execute": ["any"]})).json()
    assert (changed["name"], changed["timeout"], changed["execute"]) == ("New", 30, ["any"])
    assert refusal(await function.post("/functions/fn/executions", json={})) == (404, "deployment_not_found")
    assert (await function.get("/functions/fn/executions")).json() == {"total": 0, "executions": []}
    assert refusal(await function.get("/functions/fn/executions/e")) == (404, "execution_not_found")
    missing = await function.post("/functions", json={"functionId": "x", "name": "X", "runtime": "node-1"})
    assert refusal(missing) == (404, "function_runtime_unsupported")
    taken = await function.post("/functions", json={"functionId": "fn", "name": "X", "runtime": "node-22"})
    assert refusal(taken) == (409, "function_already_exists")
    unnamed = await function.post("/functions", json={"functionId": "y", "name": "Y"})
    assert refusal(unnamed) == (400, "general_argument_invalid")
    assert (await function.delete("/functions/fn")).status_code == 204
    assert refusal(await function.get("/functions/fn")) == (404, "function_not_found")


@pytest.mark.parametrize("path", ["/health/db", "/health/cache", "/health/time", "/locale/continents"])
async def test_the_server_tells_about_itself(client: httpx2.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 200
