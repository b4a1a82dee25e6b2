"""What an encoder is for those who use one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DIMENSIONS", "MAX_TOKENS", "Encoder", "Vectors"]

DIMENSIONS: Final = 384
"""Numbers in a vector."""

MAX_TOKENS: Final = 256
"""Word pieces of a text that count, its two frame tokens among them; what follows is left out."""

Vectors: TypeAlias = "NDArray[np.float32]"
"""Rows of `DIMENSIONS` numbers, each row of length 1: the dot product of two is the cosine of their angle."""


class Encoder(Protocol):
    """Turns texts into vectors. Safe to use from many threads; the same texts give the same bits on one machine."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One vector for each text, in their order; shape `(len(texts), DIMENSIONS)`.

        Any text is taken, an empty one too. Only the first `MAX_TOKENS` word pieces count.
        """
        ...
