"""Short texts as vectors whose nearness is nearness of meaning, without a network and without a key.

    texts -> WordPiece (`tokenizer`) -> six layers of all-MiniLM-L6-v2 in numpy (`network`) -> unit vectors

The weights are package data (`data/PROVENANCE.md` says where they come from). Nothing is read and numpy is not imported
before `load_encoder`. The room knows nothing of what its texts are about.
"""

from handrail.encoder.contract import DIMENSIONS, MAX_TOKENS, Encoder, Vectors
from handrail.encoder.loading import EncoderDataError, load_encoder

__all__ = ["DIMENSIONS", "MAX_TOKENS", "Encoder", "EncoderDataError", "Vectors", "load_encoder"]
