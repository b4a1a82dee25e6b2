import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.appwrite.catalog.wording import clean, first_sentence, for_json, read_docstring, title_of

pytestmark = pytest.mark.unit


@given(st.text(st.characters()))
def test_clean_text_holds_nothing_that_cannot_be_seen(text: str) -> None:
    cleaned = clean(text)
    assert all(
        unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} or char == "\n" for char in cleaned
    )
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\u202egnp.exe\u202c", "agnp.exe"),
        ("a\u200b\u200d\u2060\ufeff\u00ad\u034fb", "ab"),
        ("hi\U000e0041\U000e0042\ufe0f\U000e0100", "hi"),
        ("a\x1b[31mb\x00\x7f\x9bc", "a[31mbc"),
        ("a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne"),
        ("a\u00a0b\tc\u3000d", "a b c d"),
        ("  é漢字🙂 ", "é漢字🙂"),
        ("\u2800\u3164\u115fx", "x"),
    ],
)
def test_what_is_invisible_goes_and_what_is_seen_stays(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Get a row. By its ID.", "Get a row."),
        ("Get a row", "Get a row"),
        ("Get it, e.g. a row, i.e. one. More.", "Get it, e.g. a row, i.e. one."),
        ("Get `a.b` of\na row! Now.", "Get `a.b` of a row!"),
        ("Since 1.8.0 it works. More.", "Since 1.8.0 it works."),
        ("One paragraph\n\nAnother one.", "One paragraph"),
        ("", ""),
    ],
)
def test_the_first_sentence(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("create_row", "Create row"),
        ("get", "Get"),
        ("create_o_auth2_token", "Create OAuth2 token"),
        ("update_o_auth2_git_hub", "Update OAuth2 git hub"),
        ("list_mfa_factors", "List MFA factors"),
        ("create_big_int_column", "Create BigInt column"),
    ],
)
def test_a_title_reads_like_words(name: str, title: str) -> None:
    assert title_of(name) == title


def test_a_docstring_is_split_into_its_description_and_its_arguments() -> None:
    text = (
        "Make a thing.\n\nSecond paragraph.\n\n.. deprecated::1.8.0\n    Use another.\nParameters\n----------\n"
        "name : str\n    The name.\n    note : this line belongs to it\n\nsize : float\n    Size.\n"
        "Returns\n-------\nThing\n    It.\n"
    )
    read = read_docstring(text, {"name", "size"})
    assert read.description == "Make a thing.\n\nSecond paragraph."
    assert read.parameters == {"name": "The name.\nnote : this line belongs to it", "size": "Size."}


def test_a_docstring_without_sections_is_all_description() -> None:
    assert (
        read_docstring("Returns nothing.\nReturns\nnothing", set()).description == "Returns nothing.\nReturns\nnothing"
    )


def test_a_description_tells_a_caller_of_json_what_to_send() -> None:
    theirs = "Choose a custom ID or generate a random ID with `ID.unique()`."

    assert for_json(theirs) == "Choose a custom ID or generate a random ID with `unique()`."
    assert '{"method":"equal"' in for_json(
        "Array of query strings generated using the Query class provided by the SDK. Maximum of 100."
    )
