"""Tensors on disk."""

from pathlib import Path

import numpy as np
import pytest

from handrail.encoder.tensor_file import TensorFileError, Tensors, read_tensors, tensor_bytes

pytestmark = pytest.mark.unit

_TENSORS: Tensors = {
    "keys": np.array([-1, 2**60], np.int64),
    "rows": np.arange(-3, 3, dtype=np.int8).reshape(2, 3),
    "scales": np.array([0.5, 1.5], np.float32),
    "half": np.array([0.25], np.float16),
}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tensors"
    path.write_bytes(tensor_bytes(_TENSORS, {"source": "here"}))

    read = read_tensors(path)

    assert read.keys() == _TENSORS.keys()
    for name, tensor in _TENSORS.items():
        assert read[name].dtype == tensor.dtype
        assert np.array_equal(read[name], tensor)


def test_the_same_tensors_give_the_same_bytes() -> None:
    assert tensor_bytes(_TENSORS, {}) == tensor_bytes(dict(reversed([*_TENSORS.items()])), {})


@pytest.mark.parametrize("kept", [0, 5, 8, 40, -1])
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "tensors"
    path.write_bytes(tensor_bytes(_TENSORS, {})[:kept])

    with pytest.raises(TensorFileError):
        read_tensors(path)
