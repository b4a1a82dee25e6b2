"""The blocks of a Markdown text: headings, paragraphs, code. Markdoc's tags are read away, their titles kept."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

__all__ = ["Block", "BlockKind", "blocks_of"]

_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^\s`{]*)[^`]*")
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*")
_TAG: Final = re.compile(r"\{%-?\s*(/?)\s*([\w-]*)(.*?)-?%\}")
_ID: Final = re.compile(r"#([\w-]+)")
_TITLE: Final = re.compile(r"""\btitle=(?:"([^"]*)"|'([^']*)')""")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_IMAGE_ALONE: Final = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_NOT_IN_ANCHOR: Final = re.compile(r"[^\w\- ]")
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")


# Beside a sample in the language of an SDK these are no other language's form of it.
_OWN_SAMPLES: Final = frozenset(
    {"", "sh", "bash", "shell", "json", "html", "css", "text", "yaml", "sql", "toml", "env"}
)


class BlockKind(Enum):
    """What a block is."""

    HEADING = auto()
    PROSE = auto()
    CODE = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a text that is not cut without need.

    Attributes:
        kind: what it is.
        shown: as it is shown; of a heading, its words.
        level: of a heading, from 1.
        note: of a heading its anchor, of code its language.
        hidden: the same code in other languages.
    """

    kind: BlockKind
    shown: str
    level: int = 0
    note: str = ""
    hidden: str = ""

    @property
    def text(self) -> str:
        """The same as `shown`."""
        return self.shown

    def pieces(self, most: int) -> Iterator["Block"]:
        """The block in pieces of at most so many bytes of UTF-8, cut between lines where that is possible."""
        if len(self.shown.encode()) <= most:
            yield self
            return
        fenced = self.kind is BlockKind.CODE
        lines = self.shown.split("\n")
        first, last = (lines[0], lines[-1]) if fenced else ("", "")
        room = most - len(first.encode()) - len(last.encode()) - 2
        hidden = self.hidden
        for piece in _filled(lines[1:-1] if fenced else lines, max(room, 4)):
            text = f"{first}\n{piece}\n{last}" if fenced else piece
            yield Block(self.kind, text, self.level, self.note, hidden)
            hidden = ""


def blocks_of(markdown: str) -> list[Block]:
    """The blocks of a text in their order."""
    return list(_one_language(_blocks(_COMMENT.sub("", markdown).split("\n"))))


def _blocks(lines: list[str]) -> Iterator[Block]:
    prose: list[str] = []
    at = 0
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at])
        if fence:
            yield from _prose(prose)
            prose = []
            end = _end_of_code(lines, at, fence[1])
            yield Block(BlockKind.CODE, _code(lines[at + 1 : end], fence[2]), note=fence[2])
            at = end + 1
            continue
        line = _without_tags(lines[at])
        heading = _HEADING.fullmatch(line)
        if heading or not line.strip():
            yield from _prose(prose)
            prose = []
        if heading:
            yield _heading(heading, lines[at])
        elif line.strip():
            prose.append(line)
        at += 1
    yield from _prose(prose)


def _end_of_code(lines: list[str], begin: int, fence: str) -> int:
    """Where the closing fence is: as long as the opening one, or the end of the text."""
    for at in range(begin + 1, len(lines)):
        line = lines[at].strip()
        if line.startswith(fence) and not line.strip(fence[0]):
            return at
    return len(lines)


def _code(lines: list[str], language: str) -> str:
    return "\n".join([f"```{language}", *(line.rstrip() for line in lines), "```"])


def _prose(lines: list[str]) -> Iterator[Block]:
    text = "\n".join(lines).strip("\n")
    if text.strip() and not _IMAGE_ALONE.fullmatch(text.strip()):
        yield Block(BlockKind.PROSE, text)


def _heading(found: re.Match[str], line: str) -> Block:
    words = _LINK.sub(r"\1", found[2]).replace("`", "").replace("*", "").strip()
    tag = _TAG.search(line)
    given = _ID.search(tag[3]) or _ID.fullmatch(tag[2]) if tag else None
    anchor = given[1] if given else _NOT_IN_ANCHOR.sub("", words.lower()).strip().replace(" ", "-")
    return Block(BlockKind.HEADING, words, len(found[1]), anchor)


def _without_tags(line: str) -> str:
    """The line without Markdoc's tags; the title of one, such as of a tab or a notice, stays as a line in bold."""
    return _TAG.sub(_kept, line).rstrip() if "{%" in line else line.rstrip()


def _kept(tag: re.Match[str]) -> str:
    title = _TITLE.search(tag[3]) if not tag[1] else None
    words = (title[1] or title[2] or "") if title else ""
    return f"**{words}**" if words else ""


def _one_language(blocks: Iterator[Block]) -> Iterator[Block]:
    """Of neighbouring blocks of code that say the same in one language each, the first; the others go with it."""
    held: Block | None = None
    seen: set[str] = set()
    for block in blocks:
        if held is not None and _is_same_sample(held, block) and block.note not in seen:
            seen.add(block.note)
            held = Block(held.kind, held.shown, note=held.note, hidden=f"{held.hidden}\n{block.shown}")
            continue
        if held is not None:
            yield held
        held, seen = block, {block.note}
    if held is not None:
        yield held


def _is_same_sample(first: Block, next_one: Block) -> bool:
    """Whether code follows a sample in the language of an SDK and is one as well."""
    return (
        first.kind is BlockKind.CODE
        and next_one.kind is BlockKind.CODE
        and first.note.startswith(("client-", "server-"))
        and next_one.note not in _OWN_SAMPLES
    )


def _filled(lines: list[str], most: int) -> Iterator[str]:
    """Lines together, as many as have room; one that has none is cut between characters."""
    held: list[str] = []
    size = 0
    for line in (piece for whole in lines for piece in _cut(whole, most)):
        more = len(line.encode()) + 1
        if held and size + more > most:
            yield "\n".join(held)
            held, size = [], 0
        held.append(line)
        size += more
    if held:
        yield "\n".join(held)


def _cut(line: str, most: int) -> Iterator[str]:
    if len(line.encode()) < most:
        yield line
        return
    step = max(most // 4 - 1, 1)  # no character has more than four bytes
    for at in range(0, len(line), step):
        yield line[at : at + step]
