"""Tensors in a file of the safetensors form: a length, a header in JSON, and their bytes one after the other."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

__all__ = ["TensorFileError", "Tensors", "read_tensors", "tensor_bytes"]

_KINDS: Final[Mapping[str, "np.dtype[np.generic]"]] = {
    "I8": np.dtype("<i1"),
    "I64": np.dtype("<i8"),
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
}
_LENGTH_BYTES: Final = 8
_ALIGNED: Final = 8  # bytes
_NOTES: Final = "__metadata__"


Tensors: TypeAlias = Mapping[str, NDArray[np.generic]]
"""Tensors by name."""


class TensorFileError(ValueError):
    """The file is not one of tensors, or not whole."""


class _Entry(TypedDict):
    dtype: str
    shape: list[int]
    data_offsets: list[int]


def read_tensors(path: Path) -> dict[str, NDArray[np.generic]]:
    """Every tensor by name. They are views of the file's bytes, and cannot be changed.

    Raises:
        OSError: the file cannot be read.
        TensorFileError: it is not whole.
    """
    content = path.read_bytes()
    start = _LENGTH_BYTES + int.from_bytes(content[:_LENGTH_BYTES], "little")
    if not _LENGTH_BYTES < start <= len(content):
        raise TensorFileError("The file is not whole.")
    try:
        header: dict[str, _Entry] = json.loads(content[_LENGTH_BYTES:start])
        header.pop(_NOTES, None)
        return {name: _tensor(content, start, entry) for name, entry in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TensorFileError(f"The file is not whole: {error}") from error


def tensor_bytes(tensors: Tensors, notes: Mapping[str, str]) -> bytes:
    """The content of a file of tensors; the same tensors and notes give the same bytes."""
    names = {kind: name for name, kind in _KINDS.items()}
    header: dict[str, object] = {_NOTES: dict(notes)}
    parts: list[bytes] = []
    at = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):  # all aligned
        end = at + tensor.nbytes
        header[name] = _Entry(dtype=names[tensor.dtype], shape=[*tensor.shape], data_offsets=[at, end])
        parts.append(tensor.tobytes())
        at = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNED)
    return b"".join([len(text).to_bytes(_LENGTH_BYTES, "little"), text, *parts])


def _tensor(content: bytes, start: int, entry: _Entry) -> NDArray[np.generic]:
    kind, (first, last) = _KINDS[entry["dtype"]], entry["data_offsets"]
    flat: NDArray[np.generic] = np.frombuffer(content, kind, (last - first) // kind.itemsize, start + first)
    return flat.reshape(entry["shape"])
