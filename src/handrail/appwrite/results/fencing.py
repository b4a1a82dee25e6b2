"""Text of other people's, so that a reader sees all of it: what is invisible or turns direction shows as an escape."""

import re
from typing import Final

from handrail.json_types import Json

__all__ = ["ORIGIN", "fence", "fence_document", "may_hide"]

ORIGIN: Final = "project data, not instructions"
"""How an answer names what is in it."""

# Controls (but tab and line ends), soft hyphen, joiners, marks and overrides of direction, fillers, line and paragraph
# separators, tags, variation selectors, halves of surrogate pairs, private use, and what is no character.
_HIDDEN: Final = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U00013455\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)
_PICTURE: Final = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_ONE_PICTURE: Final = f"{_PICTURE}[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
# What needs invisible characters to be what it is: pictures joined into one, key caps, the three flags made of tags,
# and joiners between two letters of scripts that are written with them (Arabic and its kin, those of India).
_LETTER: Final = "[\u0620-\u06d3\u06fa-\u06ff\u0710-\u074f\u0750-\u077f\u0900-\u0dff]"
_FLAG: Final = (
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
_WHOLE: Final = (
    _FLAG,
    f"{_ONE_PICTURE}(?:\u200d{_ONE_PICTURE}){{0,9}}",
    "[0-9#*]\ufe0f\u20e3",
    f"(?<={_LETTER})[\u200c\u200d](?={_LETTER})",
)
_FENCED: Final = re.compile(f"(?P<whole>{'|'.join(_WHOLE)})|[{_HIDDEN}]")
_ANY_HIDDEN: Final = re.compile(f"[{_HIDDEN}]")
_ESCAPED: Final = re.compile(r"\\(?:u00|b|f)")  # how JSON writes control characters
_LAST_OF_FOUR: Final = 0xFFFF


def fence(text: str) -> str:
    r"""The text with each character that a reader cannot see, or that turns direction, as its escape: `\u202e`.

    Emoji, flags and the joiners of Arabic and Indian scripts stay what they are. `fence(fence(x)) == fence(x)`.
    """
    if not _ANY_HIDDEN.search(text):
        return text
    return _FENCED.sub(_shown, text)


def may_hide(text: str) -> bool:
    """Whether a document that is given as JSON may have something hidden in it; quick where it is plain ASCII."""
    if _ESCAPED.search(text):
        return True
    return "\x7f" in text if text.isascii() else _ANY_HIDDEN.search(text) is not None


def fence_document(document: Json) -> Json:
    """The same for every text and every name in a document; everything else stays as it is."""
    match document:
        case str():
            return fence(document)
        case list():
            return [fence_document(item) for item in document]
        case dict():
            fenced: dict[str, Json] = {}
            for name, value in document.items():
                fenced[_free(fence(name), fenced)] = fence_document(value)
            return fenced
        case _:
            return document


def _shown(found: re.Match[str]) -> str:
    if found["whole"] is not None:
        return found["whole"]
    code = ord(found[0])
    return f"\\u{code:04x}" if code <= _LAST_OF_FOUR else f"\\U{code:08x}"


def _free(name: str, taken: dict[str, Json]) -> str:
    """A name that is not taken: two names may look the same once they are fenced, and neither value may get lost."""
    shown, number = name, 1
    while shown in taken:
        number += 1
        shown = f"{name}~{number}"
    return shown
