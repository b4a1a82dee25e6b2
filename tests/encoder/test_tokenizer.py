"""WordPiece at its edges."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.encoder.tokenizer import WordPieces

pytestmark = pytest.mark.unit

_PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "cafe", "user", "s", "##s", ",", "表", "!", "a"]
_TOKENIZER = WordPieces(_PIECES)
_VOCABULARY = Path(__file__).parents[2] / "src/handrail/encoder/data/vocab.txt"


def _tokens(text: str, limit: int = 64) -> list[str]:
    return [_PIECES[number] for number in _TOKENIZER.numbers(text, limit)]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("", []),
        ("   \n\t ", []),
        ("unaffable", ["un", "##aff", "##able"]),
        ("UNAFFABLE", ["un", "##aff", "##able"]),
        ("users", ["user", "##s"]),
        ("user s", ["user", "s"]),
        ("user\u00a0s", ["user", "s"]),
        ("us\u200der", ["user"]),
        ("user\x00s", ["user", "##s"]),
        ("Café", ["cafe"]),
        ("Cafe\u0301", ["cafe"]),
        ("user,user!", ["user", ",", "user", "!"]),
        ("表表", ["表", "表"]),
        ("user表user", ["user", "表", "user"]),
        ("🎉", ["[UNK]"]),
        ("userx", ["[UNK]"]),
        ("a" * 101, ["[UNK]"]),
    ],
)
def test_a_text_is_cut_into_known_pieces(text: str, inside: list[str]) -> None:
    assert _tokens(text) == ["[CLS]", *inside, "[SEP]"]


def test_what_is_too_much_is_left_out_and_the_frame_kept() -> None:
    assert _tokens("user " * 10_000, 6) == ["[CLS]", "user", "user", "user", "user", "[SEP]"]


@given(text=st.text(max_size=200), limit=st.integers(2, 40))
def test_any_text_is_framed_and_within_the_limit(text: str, limit: int) -> None:
    tokens = _tokens(text, limit)

    assert (tokens[0], tokens[-1]) == ("[CLS]", "[SEP]")
    assert 2 <= len(tokens) <= limit


def test_the_vocabulary_is_the_published_one() -> None:
    pieces = _VOCABULARY.read_text(encoding="utf-8").removesuffix("\n").split("\n")

    assert (len(pieces), pieces[0], pieces[101]) == (30_522, "[PAD]", "[CLS]")
