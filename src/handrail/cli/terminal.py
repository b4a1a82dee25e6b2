"""What a terminal makes of text: what must not reach it as it is, how wide it is, whether a line can be replaced."""

import os
import re
from typing import Final, TextIO

__all__ = ["USUAL_WIDTH", "escaped", "knows_escapes", "one_line", "visible", "width_of"]

USUAL_WIDTH: Final = 80
"""Characters of a line where a terminal does not say."""

# Whatever moves, hides, erases or turns round what stands on the screen: control characters, and those of Unicode that
# nobody sees. Line ends and tabs stay.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BLANK: Final = re.compile(r"[\t\n\r]+")
_LAST_OF_16_BITS: Final = 0xFFFF


def visible(text: str) -> str:
    r"""The text with each control, invisible and direction-changing character shown as its escape, such as `\x1b`."""
    return _UNSEEN.sub(lambda found: _escape(found[0]), text)


def one_line(text: str) -> str:
    """The same, on one line: a line end or a tab is a space."""
    return visible(_BLANK.sub(" ", text))


def escaped(document: str) -> str:
    r"""JSON text with the same characters, which there only stand inside of strings, in JSON's own `\u` form."""
    return _UNSEEN.sub(lambda found: _json_escape(found[0]), document)


def knows_escapes(stream: TextIO) -> bool:
    """Whether a terminal reads the stream that does more than print line after line."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width_of(stream: TextIO) -> int | None:
    """How many characters a line has on the terminal that reads the stream; None where no terminal does."""
    if not stream.isatty():
        return None
    # A terminal that nobody has told its size says 0.
    return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _json_escape(char: str) -> str:
    code = ord(char)
    if code <= _LAST_OF_16_BITS:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
