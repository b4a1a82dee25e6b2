from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.appwrite.catalog import Catalog, Method, Place, ResponseKind, Sdk
from handrail.appwrite.plan import FilePart, MultipartBody, RequestPlan
from handrail.appwrite.planner import CHUNK_SIZE, UploadIdError, chunks, plan_request, with_upload_id
from handrail.json_types import JsonObject

if TYPE_CHECKING:
    from tests.appwrite.planner.conftest import Referee

Plain = Callable[[Method], JsonObject]

pytestmark = pytest.mark.unit

_SMALL: Final = 16
_SERVER_ID: Final = "id-from-the-server"
_UPLOADS: Final = {Sdk.SERVER: 4, Sdk.CONSOLE: 5}


def _with_file(method: Method, arguments: JsonObject, size: int) -> JsonObject:
    name = next(parameter.name for parameter in method.parameters if parameter.place is Place.FILE)
    return {**arguments, name: {"filename": "f.bin", "text": "x" * (size - 1) + "y" if size else ""}}


@pytest.mark.promise("plan-equals-sdk")
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 32, 33, 160])
@pytest.mark.parametrize("sdk", Sdk)
def test_the_chunks_of_every_upload_are_the_ones_that_the_sdk_sends(
    sdk: Sdk, size: int, catalogs: dict[Sdk, Catalog], referee: "Callable[[Sdk], Referee]", plain: Plain
) -> None:
    judge = referee(sdk)
    assert judge.client._chunk_size == CHUNK_SIZE
    judge.chunk(_SMALL)
    uploads = [method for method in catalogs[sdk] if method.upload]
    assert len(uploads) == _UPLOADS[sdk]
    for method in uploads:
        arguments = _with_file(method, plain(method), size)
        plan = replace(plan_request(method, arguments, config=judge.config), chunk_size=_SMALL)
        first, *rest = chunks(plan)
        ours = [first, *(with_upload_id(chunk, _SERVER_ID) for chunk in rest)]
        assert judge.call(method, arguments) == [judge.planned(chunk) for chunk in ours]
        assert len(ours) == max(1, -(-size // _SMALL))


def test_the_sdk_asks_whether_to_resume_and_we_do_not(
    catalogs: dict[Sdk, Catalog], referee: "Callable[[Sdk], Referee]", plain: Plain
) -> None:
    judge = referee(Sdk.SERVER)
    judge.chunk(_SMALL)
    method = catalogs[Sdk.SERVER].get("storage_create_file")
    arguments = _with_file(method, plain(method), 17)
    judge.call(method, arguments)
    assert judge.probes == ["/v1/storage/buckets/id-1/files/id-1"]
    plan = plan_request(method, arguments, config=judge.config)
    assert {chunk.http_method for chunk in chunks(replace(plan, chunk_size=_SMALL))} == {"POST"}


def test_an_upload_under_a_new_id_gets_its_id_from_the_first_answer(catalogs: dict[Sdk, Catalog], plain: Plain) -> None:
    """The server would refuse `unique()` in the header, where the SDK puts it."""
    method = catalogs[Sdk.SERVER].get("storage_create_file")
    plan = plan_request(method, {**_with_file(method, plain(method), 40), "file_id": "unique()"}, config={})
    first, second, third = chunks(replace(plan, chunk_size=_SMALL))
    assert "x-appwrite-id" not in dict(first.headers)
    for chunk in (second, third):
        assert "x-appwrite-id" not in dict(chunk.headers)
        assert dict(with_upload_id(chunk, _SERVER_ID).headers)["x-appwrite-id"] == _SERVER_ID


@pytest.mark.parametrize("upload_id", [None, ""])
def test_an_answer_without_an_id_leaves_the_chunks_as_they_are(upload_id: str | None) -> None:
    first, second = chunks(_plan(b"x" * 20, 16))
    assert with_upload_id(second, upload_id) is second
    assert dict(first.headers)["x-appwrite-id"] == "f"


@pytest.mark.parametrize("upload_id", ["a\r\nx-appwrite-key: k", "a b", "é", "\x00"])
def test_an_id_that_no_header_can_carry_is_not_sent(upload_id: str) -> None:
    with pytest.raises(UploadIdError) as caught:
        with_upload_id(_plan(b"", 16), upload_id)
    assert caught.value.data == {"id": upload_id}


def test_a_plan_without_a_file_is_sent_as_it_is(catalogs: dict[Sdk, Catalog]) -> None:
    plan = plan_request(catalogs[Sdk.SERVER].get("users_list"), {}, config={})
    assert chunks(plan) == (plan,)


@given(content=st.binary(max_size=200), chunk_size=st.integers(min_value=1, max_value=64))
def test_chunks_are_bounded_in_order_and_together_the_file(content: bytes, chunk_size: int) -> None:
    sent = chunks(_plan(content, chunk_size))
    files = [chunk.body.file for chunk in sent if isinstance(chunk.body, MultipartBody) and chunk.body.file]
    pieces = [file.content for file in files if isinstance(file.content, bytes)]
    ranges = [dict(chunk.headers).get("content-range") for chunk in sent]
    assert b"".join(pieces) == content
    assert all(len(piece) == chunk_size for piece in pieces[:-1])
    assert len(pieces[-1]) <= chunk_size
    starts = [index * chunk_size for index in range(len(pieces))]
    expected = [f"bytes {a}-{a + len(p) - 1}/{len(content)}" for a, p in zip(starts, pieces, strict=True)]
    assert ranges == (expected if len(content) > chunk_size else [None])
    assert all(chunks(chunk) == (chunk,) for chunk in sent)


def _plan(content: bytes, chunk_size: int) -> RequestPlan:
    return RequestPlan(
        http_method="POST",
        path="/storage/buckets/b/files",
        query=(),
        headers=(("content-type", "multipart/form-data"),),
        sends_project=True,
        body=MultipartBody((("fileId", "f"),), FilePart("file", "f.bin", content)),
        response=ResponseKind.JSON,
        chunk_size=chunk_size,
        upload_id="f",
    )
