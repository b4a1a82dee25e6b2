"""Texts become vectors: those of the published weights, whoever asks and however many at once."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.encoder import DIMENSIONS, MAX_TOKENS, Encoder, EncoderDataError, load_encoder
from handrail.encoder.tokenizer import WordPieces

pytestmark = pytest.mark.unit

_DATA = Path(__file__).parents[2] / "src/handrail/encoder/data"
_LONG = "one two three " * 1000


class _Row(TypedDict):
    text: str
    pieces: list[int]
    vector: list[float]


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    return load_encoder()


@pytest.fixture(scope="session")
def pieces() -> WordPieces:
    return WordPieces((_DATA / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n"))


def _reference() -> list[_Row]:
    """What the exact weights and the tokenizer that they came with give (`scripts/make_encoder_reference.py`)."""
    rows: list[_Row] = json.loads(Path(__file__).with_name("reference.json").read_text(encoding="utf-8"))
    return rows


@pytest.mark.parametrize("row", _reference(), ids=lambda row: str(row["text"])[:20])
def test_a_text_has_the_pieces_and_nearly_the_vector_of_the_exact_weights(
    encoder: Encoder, pieces: WordPieces, row: _Row
) -> None:
    exact = np.array(row["vector"])
    (vector,) = encoder.encode([row["text"]])

    assert pieces.numbers(row["text"], MAX_TOKENS) == row["pieces"]
    assert float(vector @ exact / np.linalg.norm(exact)) > 0.996


def test_the_published_similarities_come_out(encoder: Encoder) -> None:
    """Those of the model's own page."""
    vectors = encoder.encode(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])

    cosines = vectors @ vectors.T
    assert cosines[0, 1] == pytest.approx(0.6660, abs=0.005)
    assert cosines[0, 2] == pytest.approx(0.1046, abs=0.005)
    assert cosines[1, 2] == pytest.approx(0.1411, abs=0.005)


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(st.text(max_size=80), max_size=6))
def test_any_texts_give_a_unit_vector_each_that_does_not_depend_on_the_others(texts: list[str]) -> None:
    encoder = load_encoder()

    vectors = encoder.encode(texts)

    assert vectors.shape == (len(texts), DIMENSIONS)
    assert vectors.dtype == np.dtype(np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.allclose(encoder.encode([text])[0], vector, atol=1e-4)


def test_texts_of_all_lengths_keep_their_order_in_one_call(encoder: Encoder) -> None:
    texts = ["a user", _LONG, "", "delete the oldest backup of the shop", "a user"]

    vectors = encoder.encode(texts)

    assert np.allclose(vectors[0], vectors[4], atol=1e-5)
    assert np.allclose(vectors[1], encoder.encode([_LONG[: len(_LONG) // 2]])[0], atol=1e-4)


def test_the_same_texts_give_the_same_bits(encoder: Encoder) -> None:
    texts = ["list users", "a rather longer text than the other one", "🎉"]

    assert encoder.encode(texts).tobytes() == encoder.encode(texts).tobytes()


def test_many_threads_may_encode_at_once(encoder: Encoder) -> None:
    texts = [f"text number {number}" for number in range(32)]
    one_by_one = [encoder.encode([text]).tobytes() for text in texts]

    with ThreadPoolExecutor(8) as threads:
        at_once = [*threads.map(lambda text: encoder.encode([text]).tobytes(), texts)]

    assert at_once == one_by_one


def test_all_who_load_it_get_the_same_one() -> None:
    assert load_encoder() is load_encoder()


@pytest.mark.parametrize("content", [None, b"", b"\x00" * 7, b"\xff" * 64, b"\x08\x00\x00\x00\x00\x00\x00\x00{broken"])
def test_data_that_is_missing_or_broken_is_a_clear_error(tmp_path: Path, content: bytes | None) -> None:
    (tmp_path / "vocab.txt").write_bytes((_DATA / "vocab.txt").read_bytes())
    if content is not None:
        (tmp_path / "all-minilm-l6-v2-int8.safetensors").write_bytes(content)

    with pytest.raises(EncoderDataError) as caught:
        load_encoder(tmp_path)

    assert caught.value.next_step == "Install Handrail again."


def test_importing_the_room_imports_no_numpy() -> None:
    code = "import sys, handrail.encoder, handrail.appwrite; sys.exit('numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=30).returncode == 0
