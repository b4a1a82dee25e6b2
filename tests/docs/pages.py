"""A small documentation of a made-up product, and an encoder that needs no weights."""

import re
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from handrail.docs.page import Page
from handrail.docs.sections import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["PAGES", "WordEncoder", "no_labels", "write_pages"]

PAGES = {
    "guide/boats.md": "---\ntitle: Boats\ndescription: How to rent a rowing boat.\n---\nBoats lie at the pier.\n\n"
    "# Rent {% #rent-one %}\n\nCall `boats.createRental()` and row away. See [keys](/guide/keys).\n",
    "guide/keys.md": "---\ntitle: Keys\ndescription: Every lock has a key.\n---\nA key opens a shed.\n\n"
    "# Lost keys\n\nAsk the warden for another one. Weather is told at [weather](/guide/weather).\n",
    "guide/weather.md": "---\ntitle: Weather\ndescription: Storms and sunshine.\n---\nIn a storm stay ashore.\n\n"
    "# Warnings\n\nThe siren howls three times: siren, siren, howls, howls. [Keys](/guide/keys)\n",
    "README.md": "# The lake\n\nRead about [boats](/guide/boats) and [keys](/guide/keys).\n",
}
"""Files by their names."""

_WORD = re.compile(r"\w+")


class WordEncoder:
    """Texts that share words are near; each word has a direction of its own."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: "Sequence[str]") -> "NDArray[np.float32]":
        self.texts += texts
        return np.stack([self._one(text) for text in texts])

    def _one(self, text: str) -> "NDArray[np.float32]":
        total = np.full(384, 1e-3, np.float32)
        for word in _WORD.findall(text.lower()):
            seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
            total += np.random.default_rng(seed).standard_normal(384, np.float32)
        return (total / np.linalg.norm(total)).astype(np.float32)


def no_labels(_page: Page, sections: "Sequence[Section]") -> list[tuple[str, ...]]:
    return [() for _ in sections]


def write_pages(folder: Path, pages: dict[str, str] | None = None) -> Path:
    for name, text in (PAGES if pages is None else pages).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
