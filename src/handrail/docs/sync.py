"""Builds the index of a source: read the pages, cut them, encode what is new, put the index in place.

    source -> pages -> sections -> labels, vectors (kept as they come) -> a new file -> in place of the old one

Only one process does it at a time. Until the last step the old index is untouched, whatever happens.
"""

import math
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import anyio.to_thread

from handrail.docs.errors import DocsBusyError, DocsIndexError
from handrail.docs.layout import INDEX_NAME, Content, Filed, FiledPage, PackedVectors, VectorKind
from handrail.docs.local import read_folder, read_tarball
from handrail.docs.page import Page, linked_paths
from handrail.docs.sections import Section, sections_of
from handrail.docs.site import SiteRules, list_address, read_site
from handrail.docs.source import SourceKind, host_of, kind_of, pages_of
from handrail.docs.work import Work, digest_of, open_work
from handrail.docs.writing import write_index
from handrail.json_types import JsonObject
from handrail.storage.lock import try_lock

if TYPE_CHECKING:
    from handrail.encoder import Encoder

__all__ = ["Labeller", "Stage", "SyncReport", "SyncRequest", "sync_docs"]

_WORK_NAME: Final = "work.sqlite"
_LOCK_NAME: Final = "sync.lock"
_BATCH: Final = 32  # texts that are encoded and kept at once: what a break may cost
_TOLD: Final = 20  # pages that did not come and are named


class Stage(StrEnum):
    """What a sync is doing."""

    READ = "reading pages"
    ENCODE = "encoding sections"
    WRITE = "writing the index"


Labeller: TypeAlias = Callable[[Page, Sequence[Section]], list[tuple[str, ...]]]
"""Says what each section of a page is about, in names that mean something to whoever searches, best first."""


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """What to build.

    Attributes:
        source: a folder, a tarball, or the address of a site.
        site: what paths are put behind to make links where the source has none, such as `https://example.com`.
        under: only pages at this path and below it.
        names: what else people call a page, by its path.
        encode: make vectors too; without them the index answers by words alone, and is built in seconds.
        rules: how a site is asked.
    """

    source: str
    site: str = ""
    under: str = ""
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    encode: bool = True
    rules: SiteRules = field(default_factory=SiteRules)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What was built.

    Attributes:
        pages, sections, windows: how many; windows are the pieces that are encoded.
        encoded: how many of them were new.
        left_out: pages of a site that are no Markdown or gone, with the reason.
        failed: pages of a site that did not come now; what was kept of them is used.
        index: the file.
    """

    pages: int
    sections: int
    windows: int
    encoded: int
    left_out: Mapping[str, str]
    failed: Mapping[str, str]
    index: Path

    def as_json(self) -> JsonObject:
        """The report for machines."""
        return {
            "pages": self.pages,
            "sections": self.sections,
            "windows": self.windows,
            "encoded": self.encoded,
            "left_out": {**dict([*self.left_out.items()][:_TOLD])},
            "failed": {**dict([*self.failed.items()][:_TOLD])},
            "index": str(self.index),
        }


Report = Callable[[Stage, int, int], None]


async def sync_docs(
    folder: Path,
    request: SyncRequest,
    *,
    encoder: "Callable[[], Encoder]",
    labeller: Labeller,
    report: Report,
) -> SyncReport:
    """Build the index of a source in place of the one that is there.

    Args:
        folder: where the index is kept; made when it is missing.
        request: what to build.
        encoder: makes the encoder, where one is needed.
        labeller: labels the sections.
        report: told the stage, how much of it is done, and how much there is.

    Raises:
        DocsSourceError: the source does not give its pages; what came of a site is kept for the next time.
        DocsBusyError: another process does it at the moment.
        OSError: the disk is full, or something cannot be read or written.
    """
    with _alone(folder), open_work(folder / _WORK_NAME) as work:
        try:
            return await _Sync(folder, request, work, report).run(encoder, labeller)
        except sqlite3.DatabaseError as error:
            (folder / _WORK_NAME).unlink(missing_ok=True)
            raise DocsIndexError(
                f"What earlier syncs kept is broken ({error}), and was removed.",
                next_step="Run the same command again.",
                problem="corrupt",
            ) from error


class _Sync:
    """One sync."""

    def __init__(self, folder: Path, request: SyncRequest, work: Work, report: Report) -> None:
        self._folder = folder
        self._request = request
        self._work = work
        self._report = report
        self._left_out: dict[str, str] = {}
        self._failed: dict[str, str] = {}

    async def run(self, encoder: "Callable[[], Encoder]", labeller: Labeller) -> SyncReport:
        pages = await self._pages()
        filed = await anyio.to_thread.run_sync(_filed, pages, labeller)
        named = _named(pages, self._request.names)
        owned = _owned(named, filed)
        texts = [text for rows in owned.values() for _, text in rows]
        encoded, vectors = 0, dict[VectorKind, PackedVectors]()
        if self._request.encode:
            encoded = await self._encode(texts, encoder)
            vectors = self._packed(owned)
        self._report(Stage.WRITE, 0, 1)
        index = self._folder / INDEX_NAME
        content = Content(self._about(), named, filed, vectors)
        await anyio.to_thread.run_sync(write_index, index, content)
        if self._request.encode:
            self._work.keep_only_vectors(digest_of(text) for text in texts)
        self._report(Stage.WRITE, 1, 1)
        windows = len(owned[VectorKind.WINDOWS])
        return SyncReport(len(pages), len(filed), windows, encoded, self._left_out, self._failed, index)

    async def _pages(self) -> list[Page]:
        request = self._request
        kind = kind_of(request.source)
        if kind is SourceKind.SITE:
            address = list_address(request.source, request.rules)
            read = await read_site(address, self._work, request.rules, self._read_so_far)
            self._left_out, self._failed = read.left_out, read.failed
            return pages_of(read.files, source=host_of(address), site="", under=request.under)
        pages = await anyio.to_thread.run_sync(_local_pages, request, kind)
        self._read_so_far(len(pages), len(pages))
        return pages

    def _read_so_far(self, done: int, whole: int) -> None:
        self._report(Stage.READ, done, whole)

    async def _encode(self, texts: Sequence[str], make: "Callable[[], Encoder]") -> int:
        """Make and keep the vectors that are not there yet; how many these were."""
        by_digest = {digest_of(text): text for text in texts}
        known = self._work.vectors([*by_digest])
        new = [(digest, text) for digest, text in by_digest.items() if digest not in known]
        if not new:
            return 0
        self._report(Stage.ENCODE, 0, len(new))
        encoder = await anyio.to_thread.run_sync(make)
        new.sort(key=lambda item: len(item[1]))  # texts of one length are encoded together
        for at in range(0, len(new), _BATCH):
            batch = new[at : at + _BATCH]
            rows = await anyio.to_thread.run_sync(_encoded, encoder, [text for _, text in batch])
            self._work.keep_vectors({digest: row for (digest, _), row in zip(batch, rows, strict=True)})
            self._report(Stage.ENCODE, min(at + _BATCH, len(new)), len(new))
        return len(new)

    def _packed(self, owned: "Owned") -> dict[VectorKind, PackedVectors]:
        from handrail.docs.vectors import pack  # noqa: PLC0415  (numpy only where there are vectors)

        digests = {text: digest_of(text) for rows in owned.values() for _, text in rows}
        vectors = self._work.vectors([*digests.values()])
        return {kind: pack([(owner, vectors[digests[text]]) for owner, text in rows]) for kind, rows in owned.items()}

    def _about(self) -> JsonObject:
        source = self._request.source
        site = kind_of(source) is SourceKind.SITE
        return {
            "source": host_of(source) if site else str(Path(source).expanduser().resolve()),
            "built_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "left_out": len(self._left_out) + len(self._failed),
        }


Owned = dict[VectorKind, list[tuple[int, str]]]
"""What is encoded: texts, each with the number of its owner."""


def _owned(pages: Sequence[FiledPage], sections: Sequence[Filed]) -> Owned:
    return {
        VectorKind.NAMES: [(number, name) for number, page in enumerate(pages) for name in page.spoken_names],
        VectorKind.PLACES: [(number, page.spoken_place) for number, page in enumerate(pages)],
        VectorKind.WINDOWS: [(number, text) for number, one in enumerate(sections) for text in one.section.windows],
    }


def _named(pages: Sequence[Page], names: Mapping[str, Sequence[str]]) -> list[FiledPage]:
    """The pages with their other names, and with how often they are linked to, on a scale of logarithms."""
    links = Counter(target for page in pages for target in {*linked_paths(page)} if target != page.path)
    most = math.log1p(max(links.values(), default=0)) or 1.0
    return [FiledPage(page, tuple(names.get(page.path, ())), math.log1p(links[page.path]) / most) for page in pages]


def _local_pages(request: SyncRequest, kind: SourceKind) -> list[Page]:
    path = Path(request.source).expanduser()
    files = read_folder(path) if kind is SourceKind.FOLDER else read_tarball(path)
    return pages_of(files, source=str(path), site=request.site, under=request.under)


def _filed(pages: Sequence[Page], labeller: Labeller) -> list[Filed]:
    filed: list[Filed] = []
    for number, page in enumerate(pages):
        sections = sections_of(page)
        labels = labeller(page, sections)
        filed += [Filed(number, section, found) for section, found in zip(sections, labels, strict=True)]
    return filed


def _encoded(encoder: "Encoder", texts: Sequence[str]) -> list[bytes]:
    from handrail.docs.vectors import pack_row  # noqa: PLC0415  (numpy only where there are vectors)

    return [pack_row(vector) for vector in encoder.encode(texts)]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While this is open no other process builds here.

    Raises:
        DocsBusyError: one does.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = try_lock(folder / _LOCK_NAME)
    if handle is None:
        raise DocsBusyError(
            "Another process builds the index of the documentation at the moment.",
            next_step="Wait for it, or end it; the index that is there stays in use.",
        )
    try:
        yield
    finally:
        os.close(handle)
