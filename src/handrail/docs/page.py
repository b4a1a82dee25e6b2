"""A page of documentation: its front matter, its address, and its text without what only a web site needs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

__all__ = ["PAGE_SUFFIXES", "Page", "is_html", "linked_paths", "read_page", "site_path"]

PAGE_SUFFIXES: Final = (".md", ".mdx", ".mdoc", ".markdoc", ".markdown")
"""How the name of a file ends that is a page."""

_FRONT: Final = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD: Final = re.compile(r"([A-Za-z_][\w-]*):[ \t]*(.*)")
_FIRST_HEADING: Final = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_TAG: Final = re.compile(r"\{%.*?%\}", re.DOTALL)
_HTML: Final = re.compile(r"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_LINK: Final = re.compile(r"\]\((?:https?://[^/\s)]+)?(/[^)#\s?]*)")
_ROUTES: Final = "src/routes/"
_PAGE_FILES: Final = ("+page", "index", "README")
_TITLE_SHOWN: Final = 160  # characters
_DESCRIPTION_SHOWN: Final = 320


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    Attributes:
        path: its place on the site, as `/docs/products/auth`; the same page has the same one at every sync.
        title: in plain text.
        description: one or two sentences, or empty.
        link: its whole address, or empty where nobody knows one.
        body: Markdown, which may still hold Markdoc's tags.
    """

    path: str
    title: str
    description: str
    link: str
    body: str


def is_html(text: str) -> bool:
    """Whether a text that should be Markdown is a web page: an error, a login, a redirect in disguise."""
    return _HTML.match(text) is not None


def read_page(text: str, name: str, *, link: str = "", site: str = "") -> Page | None:
    """The page of a file, or None where it is none: empty, or a web page.

    Args:
        text: the file.
        name: where it stands below the source's root, with `/`.
        link: its address, where that is known.
        site: what its path is put behind to make an address, such as `https://example.com`, where it is not.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\x00", "")
    front = _FRONT.match(text)
    fields = _fields(front[1]) if front else {}
    body = text[front.end() :] if front else text
    if not body.strip() or is_html(body):
        return None
    path = fields.get("path") or site_path(name)
    path = path if path.startswith("/") else f"/{path}"
    heading = _FIRST_HEADING.search(body)
    title = fields.get("title") or (heading[1] if heading else "") or _words(path)
    return Page(
        path=path,
        title=_plain(title)[:_TITLE_SHOWN],
        description=_plain(fields.get("description", ""))[:_DESCRIPTION_SHOWN],
        link=link or (f"{site.rstrip('/')}{path}" if site else ""),
        body=body,
    )


def linked_paths(page: Page) -> Iterator[str]:
    """The paths that a page links to, on its own site or on another that has the same."""
    return (found[1].rstrip("/").removesuffix(".md") for found in _LINK.finditer(page.body))


def site_path(name: str) -> str:
    """The path that a site gives a file: `src/routes/docs/auth/+page.markdoc` is `/docs/auth`."""
    place = name.rpartition(_ROUTES)[2].strip("/")
    for suffix in PAGE_SUFFIXES:
        place = place.removesuffix(suffix)
    parts = [part for part in PurePosixPath(place).parts if not (part.startswith("(") and part.endswith(")"))]
    if parts and parts[-1] in _PAGE_FILES:
        parts.pop()
    return f"/{'/'.join(parts)}"


def _fields(front: str) -> dict[str, str]:
    """The lines `name: value` of a front matter, unquoted. What is nested in it is not needed here."""
    found = (_FIELD.fullmatch(line) for line in front.split("\n"))
    return {match[1].lower(): _unquoted(match[2].strip()) for match in found if match}


def _unquoted(value: str) -> str:
    quote = value[:1]
    if len(value) > 1 and quote in {'"', "'"} and value.endswith(quote):
        return value[1:-1].replace(f"\\{quote}", quote)
    return value


def _plain(text: str) -> str:
    return " ".join(_TAG.sub("", text).replace("`", "").split())


def _words(path: str) -> str:
    return path.rpartition("/")[2].replace("-", " ").replace("_", " ").capitalize() or "Documentation"
