"""`llms.txt`: the list of its pages that a site gives to readers such as us."""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urldefrag, urljoin, urlsplit

from handrail.docs.page import PAGE_SUFFIXES

__all__ = ["LLMS_TXT", "listed_pages", "origin_of", "page_link", "page_name"]

LLMS_TXT: Final = "/llms.txt"
"""Where a site keeps its list."""

_LINK: Final = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_PORTS: Final = {"http": 80, "https": 443}
_NO_PAGE: Final = re.compile(
    r"\.(?:txt|xml|json|ya?ml|pdf|zip|gz|png|jpe?g|svg|avif|webp|gif|ico|css|js)\Z", re.IGNORECASE
)


def listed_pages(text: str, address: str) -> Iterator[str]:
    """The addresses of the pages that a list links to on its own site, as Markdown, each once.

    Args:
        text: the list.
        address: where it came from.
    """
    seen: set[str] = set()
    for found in _LINK.finditer(text):
        try:
            target = _as_markdown(urldefrag(urljoin(address, found[1])).url)
            ours = target is not None and origin_of(target) == origin_of(address)
        except ValueError:  # no address: a stray bracket, a port that is none
            continue
        if target is not None and ours and target not in seen:
            seen.add(target)
            yield target


def origin_of(address: str) -> tuple[str, str, int]:
    """Scheme, host and port.

    Raises:
        ValueError: it is no address.
    """
    parts = urlsplit(address)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or _PORTS.get(parts.scheme, 0)


def page_name(address: str) -> str:
    """The name of a page below its site's root."""
    return urlsplit(address).path.strip("/") or "index.md"


def page_link(address: str) -> str:
    """The address at which a person reads the page: without the ending that asks for Markdown."""
    return address.removesuffix(".md")


def _as_markdown(address: str) -> str | None:
    """Where the same page is as Markdown, or None where it is something else, such as a picture."""
    parts = urlsplit(address)
    if _NO_PAGE.search(parts.path) or parts.username is not None:
        return None
    if parts.path.lower().endswith(PAGE_SUFFIXES):
        return parts._replace(query="").geturl()
    return parts._replace(path=f"{parts.path.rstrip('/') or '/index'}.md", query="").geturl()
