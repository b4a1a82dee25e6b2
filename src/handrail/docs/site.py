"""The pages of a site, by its `llms.txt`: several at once, each kept as it comes, so that a break loses nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import anyio
import httpx2

from handrail.docs.errors import DocsSourceError
from handrail.docs.fetching import Document, Fetched, Fetcher, FetchError
from handrail.docs.llms import LLMS_TXT, listed_pages, page_link, page_name
from handrail.docs.page import is_html
from handrail.docs.source import MOST_PAGE_BYTES, MOST_PAGES, MOST_SOURCE_BYTES, Found
from handrail.docs.work import Work

__all__ = ["SiteRead", "SiteRules", "list_address", "read_site"]

_LIST_BYTES: Final = 8 * 1024 * 1024
_MOST_FAILED: Final = 0.05  # of the pages; an index with more holes than that does not take the place of a whole one
_MOST_GONE: Final = 0.5  # a site that has fewer of the pages that it lists is not the site that was meant
_IN_A_ROW: Final = 8  # pages that fail one after the other: the site is down, and asking on would only add to it


@dataclass(frozen=True, slots=True)
class SiteRules:
    """How a site is asked.

    Attributes:
        loopback_http: take `http://` where the host is this machine.
        connect_s: seconds to reach it.
        read_s: seconds between two bytes.
        document_s: seconds for one document.
        whole_s: seconds for all of them.
        at_once: how many documents are asked for at once.
    """

    loopback_http: bool = False
    connect_s: float = 10
    read_s: float = 20
    document_s: float = 60
    whole_s: float = 1800
    at_once: int = 4


@dataclass(slots=True)
class SiteRead:
    """What came of a site: its pages, and what did not come, by address with the reason."""

    files: list[Found] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def list_address(source: str, rules: SiteRules) -> str:
    """Where the list of a site is.

    Raises:
        DocsSourceError: the address is none that may be asked.
    """
    try:
        parts = urlsplit(source)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    allowed = parts.scheme == "https" or (parts.scheme == "http" and rules.loopback_http and _is_loopback(host))
    if not host or port == 0 or parts.username is not None or not allowed:
        raise DocsSourceError(
            "That is no address of a site that may be asked.",
            next_step="Give https://HOST/llms.txt, with nothing before the host.",
            source=host,
        )
    path = parts.path if parts.path.rstrip("/") else LLMS_TXT
    return parts._replace(path=path, fragment="").geturl()


async def read_site(address: str, work: Work, rules: SiteRules, report: Callable[[int, int], None]) -> SiteRead:
    """Every page that the list of a site names on the site itself.

    Args:
        address: of the list.
        work: where each page is kept as it comes; what is there already is asked for only if it changed.
        rules: how it is asked.
        report: told how many of how many pages are done.

    Raises:
        DocsSourceError: the list or too many pages did not come. What came is kept for the next time.
    """
    host = urlsplit(address).hostname or ""
    timeout = httpx2.Timeout(rules.read_s, connect=rules.connect_s)
    async with httpx2.AsyncClient(timeout=timeout, follow_redirects=False) as client:
        fetcher = Fetcher(client, whole_s=rules.document_s)
        listed = await _listed(fetcher, address, host)
        reading = _Reading(fetcher, work, listed, report)
        with anyio.move_on_after(rules.whole_s) as bound:
            await reading.all(rules.at_once)
    if bound.cancelled_caught:
        raise _unfinished(host, f"it took longer than {rules.whole_s:g} s", reading.done, len(listed))
    _judge(reading, host, len(listed))
    return reading.read


async def _listed(fetcher: Fetcher, address: str, host: str) -> list[str]:
    try:
        text = (await fetcher.fetch(Document(address, _LIST_BYTES))).content.decode(errors="replace")
    except FetchError as error:
        raise DocsSourceError(
            f"The list of pages at {host} did not come: {error.reason}.",
            next_step="Look at the address in a browser; it must be a list in Markdown, such as llms.txt.",
            source=host,
            reason=error.reason,
        ) from error
    found = [] if is_html(text) else [*dict.fromkeys(listed_pages(text, address))]
    if not found or len(found) > MOST_PAGES:
        problem = f"more than {MOST_PAGES} pages" if found else "no page of its own site"
        raise DocsSourceError(
            f"The list at {host} names {problem}.", next_step="Give the address of its llms.txt.", source=host
        )
    return found


class _Reading:
    """The pages of one site on their way."""

    def __init__(self, fetcher: Fetcher, work: Work, listed: list[str], report: Callable[[int, int], None]) -> None:
        self._fetcher = fetcher
        self._work = work
        self._listed = listed
        self._report = report
        self._failing = 0
        self._bytes = 0
        self.done = 0
        self.read = SiteRead()

    async def all(self, at_once: int) -> None:
        """Ask for each, several at once, unless too many fail one after the other."""
        self._report(0, len(self._listed))
        waiting = iter(self._listed)
        async with anyio.create_task_group() as group:
            for _ in range(at_once):
                group.start_soon(self._some, waiting)
        self.read.files.sort(key=lambda file: file.name)

    @property
    def gave_up(self) -> bool:
        """Whether it was not worth asking on."""
        return self._failing >= _IN_A_ROW or self._bytes > MOST_SOURCE_BYTES

    async def _some(self, waiting: Iterator[str]) -> None:
        for address in waiting:
            if self.gave_up:
                return
            await self._one(address)
            self.done += 1
            self._report(self.done, len(self._listed))

    async def _one(self, address: str) -> None:
        kept = self._work.fetched(address)
        try:
            fetched = await self._twice(Document(address, MOST_PAGE_BYTES, kept))
        except FetchError as error:
            self._did_not_come(address, error, kept)
            return
        self._failing = 0
        if is_html(fetched.content.decode(errors="replace")):
            self.read.left_out[address] = "the site answers a web page instead of Markdown"
            return
        if fetched is not kept:
            self._work.keep_fetched(address, fetched)
        self._add(address, fetched)

    async def _twice(self, document: Document) -> Fetched:
        try:
            return await self._fetcher.fetch(document)
        except FetchError as error:
            if error.lasting:
                raise
        return await self._fetcher.fetch(document)

    def _did_not_come(self, address: str, error: FetchError, kept: Fetched | None) -> None:
        if error.lasting:
            self._failing = 0
            self.read.left_out[address] = error.reason
            return
        self._failing += 1
        self.read.failed[address] = error.reason
        if kept is not None:
            self._add(address, kept)

    def _add(self, address: str, fetched: Fetched) -> None:
        self._bytes += len(fetched.content)
        self.read.files.append(Found(page_name(address), fetched.content, page_link(address)))


def _judge(reading: _Reading, host: str, pages: int) -> None:
    """Whether what came is enough to take the place of what was there.

    Raises:
        DocsSourceError: it is not.
    """
    read = reading.read
    if reading.gave_up or len(read.failed) > max(1, _MOST_FAILED * pages):
        reason = next(iter(read.failed.values()), "there is too much of it")
        raise _unfinished(host, reason, len(read.files), pages)
    if not read.files or len(read.left_out) > _MOST_GONE * pages:
        reason = next(iter({**read.left_out, **read.failed}.values()), "nothing came")
        raise DocsSourceError(
            f"Most pages that {host} lists are not there as Markdown: {reason}.",
            next_step="Use a folder or a tarball of the pages instead.",
            source=host,
            reason=reason,
            left_out=len(read.left_out),
        )


def _unfinished(host: str, reason: str, done: int, pages: int) -> DocsSourceError:
    return DocsSourceError(
        f"{host} gave only {done} of {pages} pages: {reason}.",
        next_step="Run the same command again: what came is kept and not asked for again unless it changed.",
        source=host,
        reason=reason,
        done=done,
        pages=pages,
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
