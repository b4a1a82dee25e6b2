"""How near a request's meaning is to the texts of methods: the cosine of their vectors.

The vectors of the texts come with the package (`vectors.safetensors`, made by `scripts/make_search_vectors.py`), each
under a hash of its text. A text that is not there, of a newer SDK or a changed alias, is encoded when it is met.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from handrail.appwrite.search.texts import Kind, Text
from handrail.encoder import Encoder
from handrail.encoder.tensor_file import Tensors, read_tensors

__all__ = ["Meaning", "Nearest", "built_vectors", "text_key", "vectors_as_tensors"]

_FILE: Final = "vectors.safetensors"
_MOST: Final = 127
_ROWS_AT_ONCE: Final = 512
_ALL: Final = 0.2  # how much the mean of a method's texts counts beside the nearest one
_BY_KIND: Final = {Kind.SENTENCE: 0.95, Kind.NAME: 1.0, Kind.ALIAS: 1.0}  # a sentence is long, and near to much

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Nearest:
    """How near each method is to a request.

    Attributes:
        scores: by method; at most 1.
        cosines: by text.
        starts: by method, the place of its first text.
    """

    scores: Floats
    cosines: Floats
    starts: NDArray[np.intp]

    def text(self, method: int) -> int:
        """The place of the text of a method that is nearest."""
        start = int(self.starts[method])
        end = int(self.starts[method + 1]) if method + 1 < len(self.starts) else None
        return start + int(self.cosines[start:end].argmax())


class Meaning:
    """The vectors of the texts of methods. Making it encodes the texts that are new.

    Args:
        encoder: the one that the built vectors are of.
        texts: grouped by method, in the order of the methods; every method has one.
        built: vectors by key; those of the package by default.
    """

    def __init__(self, encoder: Encoder, texts: Sequence[Text], built: Tensors | None = None) -> None:
        self._encoder = encoder
        keys = np.array([text_key(text.text) for text in texts], np.int64)
        tensors = built_vectors() if built is None else built
        known, places = _find(tensors["keys"].astype(np.int64, copy=False), keys)
        self._rows = tensors["rows"].astype(np.int8, copy=False)[places]
        self._scales = tensors["scales"].astype(np.float32, copy=False)[places]
        missing = np.flatnonzero(~known).tolist()
        if missing:
            self._rows[missing], self._scales[missing] = _as_bytes(encoder.encode([texts[at].text for at in missing]))
        self._scales *= np.array([_BY_KIND[text.kind] for text in texts], np.float32)
        self._starts = np.flatnonzero(np.diff([text.method for text in texts], prepend=-1))
        self._means = self._mean_directions()

    def nearest(self, requests: Sequence[str]) -> list[Nearest]:
        """How near each method is to each of some requests."""
        vectors = self._encoder.encode(requests)
        cosines = np.empty((len(self._rows), len(requests)), np.float32)
        for at in range(0, len(self._rows), _ROWS_AT_ONCE):
            cosines[at : at + _ROWS_AT_ONCE] = self._rows[at : at + _ROWS_AT_ONCE].astype(np.float32) @ vectors.T
        cosines *= self._scales[:, None]
        return [
            self._by_method(column, self._means @ vector) for column, vector in zip(cosines.T, vectors, strict=True)
        ]

    def _mean_directions(self) -> Floats:
        sums: Floats = np.add.reduceat(self._rows * self._scales[:, None], self._starts)
        sums /= np.linalg.norm(sums, axis=1, keepdims=True)
        return sums

    def _by_method(self, cosines: Floats, means: Floats) -> Nearest:
        """A method is as near as its nearest text, and a little as all of them together: one odd text is not enough."""
        cosines = np.ascontiguousarray(cosines)
        nearest = np.maximum.reduceat(cosines, self._starts)
        return Nearest((1 - _ALL) * nearest + _ALL * means, cosines, self._starts)


def built_vectors() -> Tensors:
    """The vectors of the package: `keys` in ascending order, and the `rows` and `scales` of the texts under them."""
    return read_tensors(Path(str(resources.files("handrail.appwrite.search").joinpath(_FILE))))


def vectors_as_tensors(encoder: Encoder, texts: Sequence[str]) -> Tensors:
    """What `built_vectors` reads, for these texts."""
    by_key = {text_key(text): text for text in texts}
    keys = sorted(by_key)
    rows, scales = _as_bytes(encoder.encode([by_key[key] for key in keys]))
    return {"keys": np.array(keys, np.int64), "rows": rows, "scales": scales}


def text_key(text: str) -> int:
    """The number that a text's vector is kept under."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def _find(known: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Which of the wanted keys are known, and the place of each (some place, where it is not)."""
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return known[places] == wanted, places


def _as_bytes(vectors: Floats) -> tuple[NDArray[np.int8], Floats]:
    scales = np.maximum(np.abs(vectors).max(1, initial=0.0), np.finfo(np.float32).tiny) / _MOST
    return np.round(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32)
