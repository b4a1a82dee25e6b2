"""Six layers of a BERT encoder, the mean of its tokens, length 1.

Sizes in comments: n texts, t tokens of the longest one, h heads, w = `DIMENSIONS`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from handrail.encoder.contract import DIMENSIONS, Vectors
from handrail.encoder.tensor_file import Tensors

__all__ = ["LAYERS", "Network"]

LAYERS: Final = 6
_HEADS: Final = 12
_HEAD: Final = DIMENSIONS // _HEADS
_EPSILON: Final = np.float32(1e-12)
_FAR_AWAY: Final = np.float32(-1e9)  # what a token gets that is only there to fill the batch

Floats: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Linear:
    """`x @ weight + bias`, whose weight stays as bytes and is spread out for each use.

    That takes a third of the memory, and for short texts half of the time, since it is memory that they wait for.
    """

    weight: NDArray[np.int8]  # (in, out)
    scale: Floats
    bias: Floats

    @classmethod
    def of(cls, tensors: Tensors, name: str) -> "_Linear":
        weight = tensors[name].astype(np.int8, copy=False)
        scale, bias = (tensors[f"{name}.{part}"].astype(np.float32) for part in ("scale", "bias"))
        return cls(weight, scale, bias)

    def __call__(self, x: Floats, scratch: Floats) -> Floats:
        spread = scratch[: self.weight.size].reshape(self.weight.shape)
        np.copyto(spread, self.weight)
        y = x @ spread
        y *= self.scale
        y += self.bias
        return y


@dataclass(frozen=True, slots=True)
class _Norm:
    weight: Floats
    bias: Floats

    @classmethod
    def of(cls, tensors: Tensors, name: str) -> "_Norm":
        return cls(tensors[f"{name}.weight"].astype(np.float32), tensors[f"{name}.bias"].astype(np.float32))

    def __call__(self, x: Floats) -> Floats:
        x = x - x.mean(-1, keepdims=True)
        variance = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(DIMENSIONS)
        x *= self.weight / np.sqrt(variance + _EPSILON)
        x += self.bias
        return x


@dataclass(frozen=True, slots=True)
class _Layer:
    attend: _Linear  # queries, keys and values at once
    attended: _Linear
    attended_norm: _Norm
    widen: _Linear
    narrow: _Linear
    norm: _Norm

    @classmethod
    def of(cls, tensors: Tensors, number: int) -> "_Layer":
        name = f"layer.{number}"
        return cls(
            _Linear.of(tensors, f"{name}.attend"),
            _Linear.of(tensors, f"{name}.attended"),
            _Norm.of(tensors, f"{name}.attended_norm"),
            _Linear.of(tensors, f"{name}.widen"),
            _Linear.of(tensors, f"{name}.narrow"),
            _Norm.of(tensors, f"{name}.norm"),
        )

    def __call__(self, x: Floats, mask: Floats, scratch: Floats) -> Floats:
        x = self.attended_norm(x + self.attended(_attention(self.attend(x, scratch), mask), scratch))
        return self.norm(x + self.narrow(_gelu(self.widen(x, scratch)), scratch))

    @property
    def largest(self) -> int:
        return max(linear.weight.size for linear in (self.attend, self.attended, self.widen, self.narrow))


class Network:
    """The model. It changes nothing of itself: any number of threads may use it.

    Args:
        tensors: as `scripts/make_encoder.py` writes them.
    """

    def __init__(self, tensors: Tensors) -> None:
        self._words = tensors["words"]
        self._scales = tensors["words.scale"]
        self._places = tensors["places"].astype(np.float32)
        self._norm = _Norm.of(tensors, "norm")
        self._layers = [_Layer.of(tensors, number) for number in range(LAYERS)]
        self._largest = max(layer.largest for layer in self._layers)

    def vectors(self, batch: Sequence[Sequence[int]]) -> Vectors:
        """One vector for each text of a batch, which is computed as a whole.

        Args:
            batch: the numbers of each text's pieces; none is empty.
        """
        lengths = np.array([len(numbers) for numbers in batch])
        longest = int(lengths.max())
        numbers = np.array([[*text, *[0] * (longest - len(text))] for text in batch])
        there = (np.arange(longest) < lengths[:, None]).astype(np.float32)  # (n, t)
        x = self._words[numbers].astype(np.float32) * self._scales[numbers][..., None]
        x = self._norm(x + self._places[:longest])
        mask = ((1 - there) * _FAR_AWAY)[:, None, None, :]
        scratch = np.empty(self._largest, np.float32)
        for layer in self._layers:
            x = layer(x, mask, scratch)
        summed = np.einsum("nt,ntw->nw", there, x)
        return np.asarray(summed / np.linalg.norm(summed, axis=-1, keepdims=True), dtype=np.float32)


def _attention(joined: Floats, mask: Floats) -> Floats:
    texts, tokens, _ = joined.shape
    queries, keys, values = joined.reshape(texts, tokens, 3, _HEADS, _HEAD).transpose(2, 0, 3, 1, 4)  # (n, h, t, w/h)
    weights = queries @ keys.swapaxes(-1, -2)  # (n, h, t, t)
    weights *= np.float32(_HEAD**-0.5)
    weights += mask
    weights -= weights.max(-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(-1, keepdims=True)
    heads = weights @ values
    return np.ascontiguousarray(heads.swapaxes(1, 2)).reshape(texts, tokens, DIMENSIONS)


def _gelu(x: Floats) -> Floats:
    """`x * P(X <= x)` for a normal X; the error function by Abramowitz and Stegun 7.1.26 (off by 1.5e-7 at most)."""
    size = np.abs(x)
    size *= np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * size)
    series = np.full_like(t, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series *= t
        series += np.float32(factor)
    series *= t
    size *= -size
    np.exp(size, out=size)
    series *= size  # erfc(|x| / sqrt 2)
    return x * np.where(x >= 0, 1 - 0.5 * series, 0.5 * series)
