"""Lines into messages, and messages into lines."""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from handrail.json_types import Json
from handrail.protocol.stdio.framing import LineSplitter, LongLine
from handrail.protocol.stdio.messages import Refusal, as_line, read_line

pytestmark = pytest.mark.unit

LIMIT: Final = 10_000
JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def refusal(line: bytes | LongLine) -> JSONRPCError:
    """The answer to a line that is no message."""
    read = read_line(line, LIMIT)
    assert isinstance(read, Refusal), read
    return read.answer


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"nonsense",
        b'{"a":1}{"b":2}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff\xfe"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\x00"}}',
        b"\x00",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e400}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[-1e999]}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":Infinity}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"9" * 5_000 + b"}}",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 4_000 + b"]" * 4_000 + b"}}",
        b'{"a":' * 1_000 + b"1" + b"}" * 1_000,
        "\ufeff{}".encode(),
    ],
    ids=lambda line: repr(line[:70]),
)
def test_what_is_no_json_is_a_parse_error_without_an_id(line: bytes) -> None:
    answer = refusal(line)

    assert answer.id is None
    assert answer.error.code == -32700
    assert json.loads(as_line(answer))["id"] is None


@pytest.mark.parametrize(
    ("line", "request_id", "code"),
    [
        (b"[]", None, -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
        (b"1", None, -32600),
        (b"null", None, -32600),
        (b'"ping"', None, -32600),
        (b"{}", None, -32600),
        (b'{"id":1}', 1, -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 1, -32600),
        (b'{"id":"a","method":"ping"}', "a", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', 1, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 1, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', 1, -32602),
        (b'{"jsonrpc":"2.0","id":1}', 1, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":5,"result":{}}', 1, -32600),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_json_that_is_no_message_is_refused_with_the_id_where_there_is_one(
    line: bytes, request_id: str | int | None, code: int
) -> None:
    answer = refusal(line)

    assert (answer.id, answer.error.code) == (request_id, code)


@pytest.mark.parametrize("line", [b"", b"  ", b"\r", b"\t \r"])
def test_a_blank_line_is_nothing(line: bytes) -> None:
    assert read_line(line, LIMIT) is None


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', JSONRPCRequest),
        (b'{"jsonrpc":"2.0","id":"\xc3\xbc","method":"ping","params":{"_meta":{"x/y":null}}}\r', JSONRPCRequest),
        (b'{"jsonrpc":"2.0","method":"notifications/initialized"}', JSONRPCNotification),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', JSONRPCResponse),
        (b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}', JSONRPCError),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","vendor":1}', JSONRPCRequest),
    ],
)
def test_a_message_is_read_as_what_it_is(line: bytes, kind: type) -> None:
    assert isinstance(read_line(line, LIMIT), kind)


PARAMS = '{"name":"echo","arguments":{"id":5,"x":"%s"}}' % ('\\"{id\\":9}' * 2_000)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":%s}', 7),
        ('{"jsonrpc":"2.0","method":"tools/call","params":%s,"id":"abc"}', "abc"),
        ('{"method":"tools/call","params":%s,"jsonrpc":"2.0","id":-7}', -7),
        ('{ "id" : "seven" , "method":"tools/call","params":%s}', "seven"),
        ('{"method":"tools/call","params":%s}', None),
        ('{"method":"tools/call","params":%s,"id":null}', None),
        ('{"method":"tools/call","params":%s,"id":1.5}', None),
    ],
)
@pytest.mark.promise("message-size-bounded")
def test_a_message_that_is_too_long_is_refused_with_its_own_id(message: str, expected: str | int | None) -> None:
    line = (message % PARAMS).encode()
    (long_line,) = LineSplitter(LIMIT).feed(line + b"\n")

    answer = refusal(long_line)

    assert answer.id == expected
    assert answer.error.code == -32600
    assert answer.error.data["limit"] == LIMIT


@given(st.binary(max_size=200))
def test_no_line_makes_the_reader_fail(line: bytes) -> None:
    read_line(line, LIMIT)


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_no_long_line_makes_the_reader_fail(head: bytes, tail: bytes) -> None:
    assert refusal(LongLine(head, tail)).error.code == -32600


@given(st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]), JSON))
def test_every_document_is_a_message_or_gets_one_answer(document: dict[str, Json]) -> None:
    read = read_line(json.dumps(document).encode(), LIMIT)

    if isinstance(read, Refusal):
        assert json.loads(as_line(read.answer))["jsonrpc"] == "2.0"
    else:
        assert read is not None


@given(JSON)
def test_a_message_is_one_line_that_says_the_same(value: Json) -> None:
    line = as_line(JSONRPCResponse(jsonrpc="2.0", id=1, result={"value": value, "null": None}))

    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert json.loads(line) == {"jsonrpc": "2.0", "id": 1, "result": {"value": value, "null": None}}


def test_an_answer_that_cannot_be_said_becomes_an_error_with_its_id() -> None:
    line = as_line(JSONRPCResponse(jsonrpc="2.0", id=3, result={"value": "\ud800"}))

    assert json.loads(line) == {
        "jsonrpc": "2.0",
        "id": 3,
        "error": {"code": -32603, "message": "The answer cannot be said in JSON"},
    }
