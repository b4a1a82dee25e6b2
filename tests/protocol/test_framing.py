"""Bytes into lines."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.protocol.stdio.framing import LineSplitter, LongLine

pytestmark = pytest.mark.unit


def split(data: bytes, max_bytes: int, cuts: list[int] | None = None) -> list[bytes | LongLine]:
    """All lines of some data that comes in pieces."""
    splitter = LineSplitter(max_bytes)
    ends = sorted({0, len(data), *(cut for cut in cuts or [] if cut <= len(data))})
    lines = [line for begin, end in pairwise(ends) for line in splitter.feed(data[begin:end])]
    return [*lines, *splitter.finish()]


@given(
    lines=st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=8),
    last=st.sampled_from([b"", b"\n"]),
    cuts=st.lists(st.integers(0, 300)),
    max_bytes=st.integers(1, 40),
)
def test_lines_are_the_same_however_the_bytes_come(
    lines: list[bytes], last: bytes, cuts: list[int], max_bytes: int
) -> None:
    data = b"\n".join(lines) + (last if lines else b"")

    found = split(data, max_bytes, cuts)

    expected = lines if last or not lines or lines[-1] else lines[:-1]
    assert len(found) == len(expected)
    for line, wanted in zip(found, expected, strict=True):
        if len(wanted) <= max_bytes:
            assert line == wanted
        else:
            assert isinstance(line, LongLine)
            assert wanted.startswith(line.head)
            assert wanted.endswith(line.tail)


def test_a_line_of_exactly_the_limit_is_kept() -> None:
    assert split(b"12345\n123456\n12345", 5) == [b"12345", LongLine(b"123456", b"123456"), b"12345"]


@pytest.mark.promise("message-size-bounded")
def test_memory_is_bounded_however_long_a_line_is() -> None:
    splitter = LineSplitter(10_000)
    chunk = b"x" * 65_536

    largest = 0
    for _ in range(200):
        assert not list(splitter.feed(chunk))
        largest = max(largest, len(splitter._line))

    (line,) = splitter.feed(b"end\nnext")
    assert isinstance(line, LongLine)
    assert line.tail.endswith(b"xend")
    assert largest < 10_000 + len(chunk)
    assert list(splitter.finish()) == [b"next"]
