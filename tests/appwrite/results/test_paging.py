"""Large documents in pages."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.appwrite.results.fencing import fence
from handrail.appwrite.results.paging import document_text, pages_of
from handrail.appwrite.results.picking import pick
from handrail.errors import ArgumentError
from handrail.json_types import Json
from handrail.runs.view import PAGE_CHARACTERS

pytestmark = pytest.mark.unit

LONG = st.integers(1_000, 9_000).map(lambda length: "é" * length)
ITEMS = st.lists(
    st.fixed_dictionaries({"$id": st.text("abc", max_size=5), "v": LONG | st.text(max_size=100) | st.integers()}),
    min_size=2,
    max_size=30,
)


@pytest.mark.promise("answers-are-bounded")
@given(ITEMS, st.dictionaries(st.sampled_from(["total", "next", "sum"]), st.integers()), st.booleans())
def test_the_pages_of_a_list_are_its_items_whole_and_in_order(
    items: list[Json],
    beside: dict[str, Json],
    bare: bool,  # noqa: FBT001  (drawn)
) -> None:
    document: Json = items if bare else {**beside, "rows": items, "end": "x"}
    pages = pages_of(document)

    if pages.form == "text" or pages.count == 1:
        return
    read: list[Json] = []
    for number in range(1, pages.count + 1):
        page = pages.page(number)
        assert len(document_text(page)) <= PAGE_CHARACTERS
        if isinstance(page, dict) and isinstance(document, dict):
            assert list(page) == list(document)
            page = page["rows"]
        assert isinstance(page, list)
        read += page
    assert len(read) == len(items)
    for shown, item in zip(read, items, strict=True):
        if shown != item:
            assert isinstance(shown, dict)
            mark = shown["not_shown"]
            assert isinstance(mark, dict)
            assert pick(document, str(mark["pick"])) == item


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9000) | st.lists(st.integers(), max_size=3), max_size=6))
def test_the_pages_of_anything_else_are_its_text(document: dict[str, Json]) -> None:
    pages = pages_of(document)

    if pages.count == 1:
        assert pages.page(1) == document
    else:
        assert "".join(str(pages.page(number)) for number in range(1, pages.count + 1)) == pages.text.text
        assert json.loads(pages.text.text) == document


@given(st.text(min_size=1, max_size=50), st.integers(200, 1000))
def test_the_pages_of_a_file_are_its_text(piece: str, times: int) -> None:
    text = fence(piece) * times
    document: Json = {"content_type": "text/plain", "size": len(text), "text": text}
    pages = pages_of(document)

    if pages.count == 1:
        return
    whole = ""
    for number in range(1, pages.count + 1):
        page = pages.page(number)
        assert isinstance(page, dict)
        assert len(document_text(page)) <= PAGE_CHARACTERS + 64
        whole += str(page["text"])
    assert whole == text


def test_one_item_that_is_too_long_names_the_pick_that_gets_it() -> None:
    document: Json = {"total": 3, "rows": [{"$id": "a"}, {"$id": "b", "text": "x" * 10_000}, {"$id": "c"}]}

    assert pages_of(document).page(1) == {
        "total": 3,
        "rows": [{"$id": "a"}, {"$id": "b", "not_shown": {"size": 10_021, "pick": "rows[1]"}}, {"$id": "c"}],
    }
    picked = pages_of(["y" * 10_000, 1], picked="rows[*].text")
    assert picked.page(1) == [{"not_shown": {"size": 10_002, "pick": "rows[*].text | [0]"}}, 1]
    assert pages_of(["y" * 10_000, 1], picked="x" * 510).page(1) == [{"not_shown": {"size": 10_002, "pick": None}}, 1]


@pytest.mark.parametrize("number", [0, -1, 3, 10**9])
def test_a_page_that_is_not_there_is_refused(number: int) -> None:
    with pytest.raises(ArgumentError) as raised:
        pages_of({"t": "x" * 9_000}).page(number)

    assert raised.value.data["pages"] == 2
