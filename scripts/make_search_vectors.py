"""Makes the vectors that the tool search comes with: of every text of every method of the installed SDKs.

Run by hand when an SDK, an alias or the encoder changed: `python scripts/make_search_vectors.py`. The same texts give
the same rows. `--check` only says how many texts have no vector yet; those are encoded by every server that meets them.
"""

import sys
from pathlib import Path
from typing import Final

from handrail.appwrite.catalog import load_catalogs
from handrail.appwrite.search.aliases import aliases_of, read_aliases
from handrail.appwrite.search.texts import texts_of
from handrail.encoder import load_encoder

_FILE: Final = Path(__file__).parents[1] / "src/handrail/appwrite/search/vectors.safetensors"


def main() -> int:
    """Make them, or check them."""
    encoder = load_encoder()
    from handrail.appwrite.search.meaning import built_vectors, text_key, vectors_as_tensors  # noqa: PLC0415
    from handrail.encoder.tensor_file import tensor_bytes  # noqa: PLC0415  (numpy, on the encoder's terms)

    methods = [*load_catalogs(None)]
    texts = [text.text for text in texts_of(methods, aliases_of(methods, read_aliases()))]
    if sys.argv[1:] == ["--check"]:
        missing = {text_key(text) for text in texts} - {*built_vectors()["keys"].tolist()}
        print(f"{len(missing)} of {len(texts)} texts have no vector")
        return 1 if missing else 0
    content = tensor_bytes(vectors_as_tensors(encoder, texts), {"encoder": "all-MiniLM-L6-v2, int8"})
    _FILE.write_bytes(content)
    print(f"{len(texts)} texts, {len(content):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
