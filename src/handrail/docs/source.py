"""Where pages come from: what a source is, what is read from it, and the bounds that hold for all of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from handrail.docs.errors import DocsSourceError
from handrail.docs.page import PAGE_SUFFIXES, Page, read_page

__all__ = [
    "MOST_PAGES",
    "MOST_PAGE_BYTES",
    "MOST_SOURCE_BYTES",
    "Found",
    "SourceKind",
    "is_page",
    "kind_of",
    "pages_of",
]

MOST_PAGES: Final = 10_000
MOST_PAGE_BYTES: Final = 2 * 1024 * 1024
MOST_SOURCE_BYTES: Final = 256 * 1024 * 1024

_TARBALLS: Final = (".tar", ".tar.gz", ".tgz")


class SourceKind(StrEnum):
    """What a source is."""

    FOLDER = "folder"
    TARBALL = "tarball"
    SITE = "site"


@dataclass(frozen=True, slots=True)
class Found:
    """A file of a source that may be a page.

    Attributes:
        name: its place below the root, with `/`.
        content: its bytes.
        link: its address, where that is known.
    """

    name: str
    content: bytes
    link: str = ""


def kind_of(source: str) -> SourceKind:
    """What a source is, by its look and by what is on disk.

    Raises:
        DocsSourceError: it is none of the three.
    """
    if "://" in source:
        return SourceKind.SITE
    path = Path(source).expanduser()
    if path.is_dir():
        return SourceKind.FOLDER
    if path.is_file() and path.name.lower().endswith(_TARBALLS):
        return SourceKind.TARBALL
    problem = "is no tarball (.tar, .tar.gz, .tgz)" if path.is_file() else "is not there"
    raise DocsSourceError(
        f"{source} {problem}.",
        next_step="Give a folder of Markdown files, a tarball of one, or an address such as https://example.com/llms.txt.",
        source=source,
    )


def is_page(name: str) -> bool:
    """Whether the name is one of a page, outside of hidden folders and of what package managers put beside them."""
    parts = name.split("/")
    return name.lower().endswith(PAGE_SUFFIXES) and not any(_is_aside(part) for part in parts[:-1])


def pages_of(files: Iterable[Found], *, source: str, site: str, under: str = "") -> list[Page]:
    """The pages of a source in the order of their paths, each path once.

    Args:
        files: what the source holds.
        source: its name, for the error.
        site: what paths are put behind to make links, where files have none of their own; may be empty.
        under: only pages whose path is this or stands below it.

    Raises:
        DocsSourceError: there is no page in it, or there are too many.
    """
    pages: dict[str, Page] = {}
    for file in files:
        page = read_page(file.content.decode(errors="replace"), file.name, link=file.link, site=site)
        if page is not None and _is_under(page.path, under):
            pages.setdefault(page.path, page)
        if len(pages) > MOST_PAGES:
            raise DocsSourceError(
                f"{source} holds more than {MOST_PAGES} pages.", next_step="Name a part of it.", source=source
            )
    if not pages:
        where = f" under {under}" if under else ""
        raise DocsSourceError(
            f"There is no page in {source}{where}.",
            next_step=f"A page is a file with text that ends in one of {', '.join(PAGE_SUFFIXES)}.",
            source=source,
        )
    return [pages[path] for path in sorted(pages)]


def host_of(address: str) -> str:
    """The host of an address, for messages: an address may hold a password."""
    return urlsplit(address).hostname or "?"


def _is_aside(folder: str) -> bool:
    return folder.startswith(".") or folder == "node_modules"


def _is_under(path: str, under: str) -> bool:
    top = under.rstrip("/")
    return not top or path == top or path.startswith(f"{top}/")
