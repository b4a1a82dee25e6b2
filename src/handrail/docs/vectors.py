"""Vectors in a byte a number, and how near each is to a query. The one module of the room that needs numpy."""

from typing import TYPE_CHECKING, Final

import numpy as np

from handrail.docs.layout import PackedVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VectorTable", "pack", "pack_row", "unpack_row"]

_LARGEST: Final = 127
_AT_ONCE: Final = 1024  # rows that are made to floats at once: memory stays small


class VectorTable:
    """Vectors of length 1, and which thing each belongs to. Only read; safe to use from many threads.

    Args:
        packed: as they are kept.
        owners: how many things there are that may own one.

    Raises:
        ValueError: the bytes do not fit each other.
    """

    def __init__(self, packed: PackedVectors, owners: int) -> None:
        self._owners = np.frombuffer(packed.owners, np.int32)
        rows = len(self._owners)
        self._numbers = np.frombuffer(packed.numbers, np.int8).reshape(rows, -1) if rows else np.empty((0, 0), np.int8)
        self._scales = np.frombuffer(packed.scales, np.float32)
        self._count = owners
        if len(self._scales) != rows or (rows and not 0 <= self._owners.min() <= self._owners.max() < owners):
            raise ValueError("the vectors do not fit their owners")

    def nearest(self, query: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """For each owner the cosine of the vector of its own that is nearest to the query; -1 where it has none.

        Raises:
            ValueError: the query has another number of dimensions.
        """
        best = np.full(self._count, -1.0, np.float32)
        for at in range(0, len(self._owners), _AT_ONCE):
            some = slice(at, at + _AT_ONCE)
            cosines = (self._numbers[some].astype(np.float32) @ query) * self._scales[some]
            np.maximum.at(best, self._owners[some], cosines)
        return best


def pack_row(vector: "NDArray[np.float32]") -> bytes:
    """One vector as bytes: its scale (float32), then its numbers (int8)."""
    scale = np.float32(max(float(np.abs(vector).max()), 1e-12) / _LARGEST)
    return scale.tobytes() + np.round(vector / scale).astype(np.int8).tobytes()


def unpack_row(row: bytes) -> "NDArray[np.float32]":
    """The vector of a row that `pack_row` made, nearly."""
    return np.frombuffer(row[4:], np.int8).astype(np.float32) * np.frombuffer(row[:4], np.float32)


def pack(rows: list[tuple[int, bytes]]) -> PackedVectors:
    """Rows of `pack_row`, each with the number of its owner."""
    return PackedVectors(
        numbers=b"".join(row[4:] for _, row in rows),
        scales=b"".join(row[:4] for _, row in rows),
        owners=np.array([owner for owner, _ in rows], np.int32).tobytes(),
    )
