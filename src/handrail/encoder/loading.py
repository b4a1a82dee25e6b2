"""The encoder of the package's own data."""

from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from handrail.encoder.contract import MAX_TOKENS, Encoder, Vectors
from handrail.encoder.threads import one_thread
from handrail.encoder.tokenizer import WordPieces
from handrail.errors import UnavailableError

if TYPE_CHECKING:
    from handrail.encoder.network import Network

__all__ = ["EncoderDataError", "load_encoder"]

_WEIGHTS: Final = "all-minilm-l6-v2-int8.safetensors"
_PIECES: Final = "vocab.txt"
_BATCH_TOKENS: Final = 512  # with their filling; larger batches gain nothing on a CPU and cost memory


class EncoderDataError(UnavailableError):
    """The weights are missing or broken. `data` holds `file`."""

    type = "encoder_data_invalid"


@cache
def load_encoder(folder: Path | None = None) -> Encoder:
    """The encoder. Takes 0.1 to 0.3 s and 45 MB, numpy among them: call it where it is needed, in a thread.

    It never changes, so all who ask get the same one.

    Args:
        folder: where its weights and its vocabulary are; those of the package by default.

    Raises:
        EncoderDataError: they are missing or broken.
    """
    with one_thread():
        # numpy is not imported before somebody needs it
        from handrail.encoder.network import Network  # noqa: PLC0415
        from handrail.encoder.tensor_file import TensorFileError, read_tensors  # noqa: PLC0415
    folder = folder or Path(str(resources.files("handrail.encoder").joinpath("data")))
    try:
        pieces = WordPieces((folder / _PIECES).read_text(encoding="utf-8").removesuffix("\n").split("\n"))
        network = Network(read_tensors(folder / _WEIGHTS))
    except (OSError, TensorFileError, KeyError, ValueError) as error:
        raise EncoderDataError(
            f"The encoder's data cannot be used: {error}.", next_step="Install Handrail again.", file=str(folder)
        ) from error
    return _PackagedEncoder(pieces, network)


class _PackagedEncoder:
    def __init__(self, pieces: WordPieces, network: "Network") -> None:
        self._pieces = pieces
        self._network = network

    def encode(self, texts: Sequence[str]) -> Vectors:
        import numpy as np  # noqa: PLC0415  (loaded with the network)

        from handrail.encoder.contract import DIMENSIONS  # noqa: PLC0415  (beside its user)

        numbers = [self._pieces.numbers(text, MAX_TOKENS) for text in texts]
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        for batch in _batches(numbers):
            vectors[batch] = self._network.vectors([numbers[place] for place in batch])
        return vectors


def _batches(numbers: Sequence[Sequence[int]]) -> list[list[int]]:
    """The places of the texts in batches of about equal length, so that little is computed for filling."""
    batches: list[list[int]] = []
    for place in sorted(range(len(numbers)), key=lambda place: len(numbers[place])):
        if not batches or (len(batches[-1]) + 1) * len(numbers[place]) > _BATCH_TOKENS:
            batches.append([])
        batches[-1].append(place)
    return batches
