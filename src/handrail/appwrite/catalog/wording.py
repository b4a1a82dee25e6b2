"""The SDK's own words, made fit for people and models: clean text, docstring sections, titles."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Docstring", "clean", "first_sentence", "for_json", "read_docstring", "title_of"]

# Text that a reader cannot see must not reach a model either: control, format (bidi, joiners, tags), surrogates,
# private use; and what shows nothing although its category is that of a letter, a mark or a symbol.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co"})
_BLANK: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_LINE_END: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACE: Final = re.compile("[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_SENTENCE_END: Final = re.compile(r"(?<![ (]e\.g)(?<![ (]i\.e)(?<! vs)(?<! etc)[.!?](?=\s|$)")
_ENTRY: Final = re.compile(r"(\w+) : ")
_SECTIONS: Final = frozenset({"Parameters", "Returns", "Raises"})
_ACRONYMS: Final = {
    word.lower(): word
    for word in (
        "API", "AWS", "BigInt", "CSV", "DB", "DKIM", "DNS", "FCM", "IP", "JSON", "JWT", "MFA", "OAuth2", "OTP", "PDF",
        "PHP", "PKCE", "QR", "SDK", "SMS", "SMTP", "SQL", "SSL", "SSO", "TLS", "TOTP", "URL", "VAT", "VCS", "WAF",
    )
}  # fmt: skip
# What the SDK tells its own users to call, said for callers who have nothing but JSON.
_FOR_JSON: Final = {
    "ID.unique()": "unique()",
    "Array of query strings generated using the Query class provided by the SDK.": (
        'Array of queries, each a text that holds JSON: {"method":"equal","attribute":"name","values":["x"]}; other '
        "methods are limit, offset, orderAsc, orderDesc, greaterThan, lessThan, contains, cursorAfter."
    ),
}
_JOINED: Final = {"o auth2": "oauth2", "big int": "bigint"}


@dataclass(frozen=True, slots=True)
class Docstring:
    """A docstring: what stands before its sections, and what it says of each argument."""

    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def clean(text: str) -> str:
    """Text without control, invisible and direction-changing characters; line ends are newlines, spaces plain."""
    plain = _BLANK.sub("", _SPACE.sub(" ", _LINE_END.sub("\n", text)))
    if not (plain.isascii() and plain.replace("\n", "").isprintable()):
        plain = "".join(char for char in plain if char == "\n" or unicodedata.category(char) not in _HIDDEN)
    return plain.strip()


def first_sentence(text: str) -> str:
    """The first sentence of the first paragraph, on one line."""
    paragraph = " ".join(text.split("\n\n", 1)[0].split())
    end = _SENTENCE_END.search(paragraph)
    return paragraph[: end.end()] if end else paragraph


def for_json(text: str) -> str:
    """A description of the SDK's without the helpers that only its own users have."""
    for theirs, ours in _FOR_JSON.items():
        text = text.replace(theirs, ours)
    return text


def title_of(method_name: str) -> str:
    """A method's name for people: `create_o_auth2_token` is `Create OAuth2 token`."""
    text = method_name.replace("_", " ")
    for parts, whole in _JOINED.items():
        text = re.sub(rf"\b{parts}\b", whole, text)
    words = [_ACRONYMS.get(word, word) for word in text.split()]
    return " ".join([words[0][0].upper() + words[0][1:], *words[1:]])


def read_docstring(docstring: str, arguments: Collection[str]) -> Docstring:
    """A docstring in numpydoc's form, cleaned.

    Args:
        docstring: dedented.
        arguments: the names that may head an entry; a line that looks like one but names none is text.
    """
    before: list[str] = []
    entries: dict[str, list[str]] = {}
    section, entry = "", None
    for line, following in _with_next(clean(docstring).split("\n")):
        if line in _SECTIONS and _is_underline(following):
            section, entry = line, None
        elif not section:
            before.append(line)
        elif section == "Parameters" and not _is_underline(line):
            head = _ENTRY.match(line)
            if head and head[1] in arguments:
                entry = entries.setdefault(head[1], [])
            elif entry is not None:
                entry.append(line.strip())
    return Docstring(_without_directives(before), {name: "\n".join(lines).strip() for name, lines in entries.items()})


def _with_next(lines: list[str]) -> list[tuple[str, str]]:
    return list(zip(lines, [*lines[1:], ""], strict=True))


def _is_underline(line: str) -> bool:
    return bool(line) and not line.strip("-")


def _without_directives(lines: list[str]) -> str:
    """The lines without `.. deprecated::` and its indented text, which the catalog says in its own field."""
    kept: list[str] = []
    inside = False
    for line in lines:
        if line.startswith(".. "):
            inside = True
        elif not inside or (line and not line.startswith(" ")):
            inside = False
            kept.append(line)
    return "\n".join(kept).strip()
