"""Cuts a page into sections that are small enough to be an answer, and into the windows that are encoded."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from handrail.docs.blocks import Block, BlockKind, blocks_of
from handrail.docs.page import Page

__all__ = ["MOST_SECTION_BYTES", "Section", "sections_of"]

MOST_SECTION_BYTES: Final = 1500
"""The largest text of a section, in UTF-8."""

_WINDOW_WORDS: Final = 90
_DEEPEST: Final = 3  # headings below this level do not begin a section of their own
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_MARKS: Final = re.compile(r"[*`|#>]+|(?<!\w)_+|_+(?!\w)|-{3,}")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page.

    Attributes:
        headings: the headings above it, the page's title not among them.
        anchor: of the nearest heading; empty at the top of the page.
        text: Markdown, at most `MOST_SECTION_BYTES`.
        windows: the prose in pieces of about ninety words, for the encoder; at least one.
        source: all of it, also the code that `text` leaves away because it says the same in another language.
    """

    headings: tuple[str, ...]
    anchor: str
    text: str
    windows: tuple[str, ...]
    source: str = field(repr=False)


def sections_of(page: Page) -> list[Section]:
    """The sections of a page in their order. A page with nothing to read has none."""
    trail: list[tuple[int, str, str]] = []
    found: list[Section] = []
    for heading, blocks in _under_headings(blocks_of(page.body)):
        if heading is not None:
            trail = [
                *(above for above in trail if above[0] < heading.level),
                (heading.level, heading.text, heading.note),
            ]
        headings = tuple(text for _, text, _ in trail if text != page.title)
        anchor = trail[-1][2] if trail else ""
        for part in _parts(blocks):
            text = _joined(part)
            if text.strip():
                found.append(Section(headings, anchor, text, _windows(page, headings, part), _source(part)))
    return found


def _under_headings(blocks: Sequence[Block]) -> Iterator[tuple[Block | None, list[Block]]]:
    heading: Block | None = None
    below: list[Block] = []
    for block in blocks:
        if block.kind is BlockKind.HEADING and block.level <= _DEEPEST:
            yield heading, below
            heading, below = block, []
        else:
            below.append(block)
    yield heading, below


def _parts(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Neighbouring blocks together, as many as have room."""
    part: list[Block] = []
    size = 0
    for block in (piece for whole in blocks for piece in whole.pieces(MOST_SECTION_BYTES - 2)):
        more = len(block.shown.encode()) + 2
        if part and size + more > MOST_SECTION_BYTES:
            yield part
            part, size = [], 0
        part.append(block)
        size += more
    if part:
        yield part


def _joined(part: Sequence[Block]) -> str:
    return "\n\n".join(block.shown for block in part if block.shown)


def _source(part: Sequence[Block]) -> str:
    return "\n".join(f"{block.shown}\n{block.hidden}" if block.hidden else block.shown for block in part)


def _windows(page: Page, headings: Sequence[str], part: Sequence[Block]) -> tuple[str, ...]:
    """Title, headings and a piece of the prose; what is only code is said by them alone."""
    prose = " ".join(block.shown for block in part if block.kind is not BlockKind.CODE)
    words = _MARKS.sub(" ", _LINK.sub(r"\1", prose)).split()
    head = ". ".join(dict.fromkeys([page.title, *headings]))
    pieces = [" ".join(words[at : at + _WINDOW_WORDS]) for at in range(0, len(words), _WINDOW_WORDS)] or [""]
    return tuple(f"{head}. {piece}".strip() for piece, _ in groupby(pieces))
