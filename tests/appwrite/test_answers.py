"""From what came back to what became of the call."""

import json

import pytest

from handrail.appwrite.answers import read_answer
from handrail.appwrite.catalog.model import Method, ResponseKind
from handrail.appwrite.evidence import judge
from handrail.appwrite.outcome import CallResult, Outcome
from handrail.appwrite.transport import Answer, Cut
from handrail.json_types import Json
from tests.appwrite.samples import READ, WRITE, method

pytestmark = pytest.mark.unit

JSON = {"content-type": "application/json; charset=UTF-8"}
HTML = {"content-type": "text/html"}


def _read(called: Method, status: int, content: bytes = b"", headers: dict[str, str] = JSON) -> CallResult:
    return read_answer(called, judge(called), Answer(status, headers, content))


@pytest.mark.parametrize("called", [READ, WRITE])
@pytest.mark.parametrize("document", [{"n": 1, "f": 1.0, "big": 2**70, "deep": [[[]]]}, {}])
def test_a_json_answer_is_done_and_untouched(called: Method, document: Json) -> None:
    result = _read(called, 200, json.dumps(document).encode())

    assert (result.outcome, result.error) == (Outcome.DONE, None)
    assert json.dumps(result.result) == json.dumps(document)


def test_a_write_that_was_accepted_with_nothing_is_done() -> None:
    assert _read(WRITE, 204, headers={}).as_json() == {
        "tool": "things_update_thing",
        "outcome": "done",
        "status": 204,
        "result": None,
        "error": None,
        "project": None,
        "journal_id": None,
        "next_page": None,
    }


@pytest.mark.parametrize(
    ("status", "content", "headers", "kind"),
    [
        (200, b"", JSON, "answer_empty"),
        (204, b"", {}, "answer_empty"),
        (200, b"<html>login</html>", HTML, "answer_unexpected"),
        (200, b"{not json", JSON, "answer_unexpected"),
        (200, b"\xff\xfe", {}, "answer_unexpected"),
        (200, b"[]", JSON, "answer_unexpected"),
        (200, b'"maintenance"', JSON, "answer_unexpected"),
        (200, b'{"x":NaN}', JSON, "answer_unexpected"),
        (200, b'{"x":1e999}', JSON, "answer_unexpected"),
        (200, b"[" * 200_000, JSON, "answer_unexpected"),
        (200, b'{"x":' + b"[" * 150 + b"]" * 150 + b"}", JSON, "answer_unexpected"),
    ],
)
def test_a_read_that_brings_nothing_usable_has_failed_with_a_next_step(
    status: int, content: bytes, headers: dict[str, str], kind: str
) -> None:
    result = _read(READ, status, content, headers)

    assert result.outcome is Outcome.FAILED
    assert result.error is not None
    assert result.error["type"] == kind
    assert result.error["next"]


@pytest.mark.promise("lost-write-is-unknown")
@pytest.mark.parametrize(
    ("status", "content", "headers", "cut"),
    [
        (200, b"<html>login</html>", HTML, None),
        (201, b'{"$id', JSON, Cut.CONNECTION),
        (201, b"", JSON, Cut.TIME),
        (200, b"x", JSON, Cut.SIZE),
        (200, b"{not json", JSON, None),
        (502, b"<html>bad gateway</html>", HTML, None),
        (504, b"", {}, None),
        (504, b'{"message":"Endpoint request timed out"}', JSON, None),
        (500, b"<html>oops</html>", HTML, None),
        (524, b"<html>a timeout</html>", HTML, None),
        (408, b"", {}, None),
        (303, b"", {"location": "/elsewhere"}, None),
        (200, b'"maintenance"', JSON, None),
        (200, b"[]", JSON, None),
        (200, b"null", JSON, None),
        (200, b'{"x":NaN}', JSON, None),
        (201, b"[" * 200_000, JSON, None),
        (200, b'{"message":"No.","code":401,"type":"user_unauthorized","version":"1.9.6"}', JSON, None),
    ],
)
def test_a_write_whose_answer_is_lost_is_unknown(
    status: int, content: bytes, headers: dict[str, str], cut: Cut | None
) -> None:
    result = read_answer(WRITE, judge(WRITE), Answer(status, headers, content, cut))

    assert result.outcome is Outcome.UNKNOWN
    assert result.error is not None
    assert "before you repeat it" in str(result.error["next"])


@pytest.mark.promise("lost-write-is-unknown")
@pytest.mark.parametrize(("content", "headers"), [(b"<html>welcome</html>", HTML), (b'"ok"', JSON), (b"ok", {})])
def test_a_delete_that_is_answered_by_something_else_is_unknown(content: bytes, headers: dict[str, str]) -> None:
    result = _read(method("delete_thing", "DELETE", returns=""), 200, content, headers)

    assert result.outcome is Outcome.UNKNOWN


def _error_body(kind: str, message: str = "No.", code: int = 400) -> bytes:
    return json.dumps({"message": message, "code": code, "type": kind, "version": "1.9.6"}).encode()


@pytest.mark.parametrize("called", [READ, WRITE])
@pytest.mark.parametrize(
    ("status", "kind", "step"),
    [
        (401, "user_unauthorized", "APPWRITE_API_KEY"),
        (401, "general_unauthorized_scope", "scope"),
        (404, "project_not_found", "APPWRITE_PROJECT_ID"),
        (404, "row_not_found", "List"),
        (409, "row_already_exists", "exists"),
        (400, "general_query_invalid", "JSON text"),
        (400, "row_invalid_structure", "mend"),
        (500, "general_unknown", "Appwrite's own logs"),
    ],
)
def test_an_error_keeps_the_words_of_appwrite_and_says_what_to_do(
    called: Method, status: int, kind: str, step: str
) -> None:
    result = _read(called, status, _error_body(kind, code=status))

    assert (result.outcome, result.status) == (Outcome.FAILED, status)
    assert result.error is not None
    assert (result.error["type"], result.error["code"], result.error["message"]) == (kind, status, "No.")
    assert step in str(result.error["next"])


def test_a_rate_limit_says_how_long_to_wait() -> None:
    result = _read(READ, 429, _error_body("general_rate_limit_exceeded"), {**JSON, "retry-after": "7"})

    assert result.error is not None
    assert result.error["next"] == "Wait 7 s, then call again."


def test_the_rate_limit_that_an_answer_tells_is_kept() -> None:
    headers = {**JSON, "x-ratelimit-limit": "60", "x-ratelimit-remaining": "59", "x-ratelimit-reset": "1796000000"}

    assert _read(READ, 200, b"{}", headers).as_json()["rate_limit"] == {
        "limit": 60,
        "remaining": 59,
        "reset": 1796000000,
    }
    assert "rate_limit" not in _read(READ, 200, b"{}").as_json()


def test_a_page_where_a_route_was_expected_means_that_the_server_lacks_it() -> None:
    result = _read(READ, 404, b"<!DOCTYPE html>", HTML)

    assert result.error is not None
    assert result.error["type"] == "route_missing"
    assert "/v1" in str(result.error["next"])


def test_a_redirect_is_an_error_that_names_where_it_led() -> None:
    result = _read(READ, 301, headers={"location": "https://other.test/v1?token=s3cret"})

    assert result.error is not None
    assert result.error["type"] == "redirected"
    assert "https://other.test/v1" in str(result.error["message"])
    assert "s3cret" not in str(result.error)


def test_a_redirect_is_the_answer_where_the_sdk_wants_the_location() -> None:
    called = method("create_session", "GET", response=ResponseKind.LOCATION)

    result = _read(called, 301, headers={"location": "https://provider.test/?state=1"})

    assert (result.outcome, result.result) == (Outcome.DONE, "https://provider.test/?state=1")


@pytest.mark.parametrize(
    ("content", "kind", "shown"),
    [
        (b"hello", "text/plain", {"text": "hello"}),
        (b"<p>", "text/html; charset=utf-8", {"text": "<p>"}),
        (b"\xff", "text/plain", {"base64": "/w=="}),
        (b"\x89PNG", "image/png", {"base64": "iVBORw=="}),
    ],
)
def test_a_file_comes_as_text_or_as_base64(content: bytes, kind: str, shown: dict[str, str]) -> None:
    result = _read(method("get_file_download", returns=""), 200, content, {"content-type": kind})

    assert result.as_json()["result"] == {"content_type": kind.partition(";")[0], "size": len(content), **shown}


def test_a_content_type_that_is_none_is_not_repeated() -> None:
    result = _read(method("get_file_download", returns=""), 200, b"\xff", {"content-type": "image/<b>; x"})

    assert result.file is not None
    assert result.file.content_type == "application/octet-stream"


def test_a_text_answer_is_text() -> None:
    assert _read(method(returns="", response=ResponseKind.TEXT), 200, b"{}", JSON).result == "{}"
