"""Building an index: whole or not at all, one at a time, only what is new."""

import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from handrail.docs import DocsBusyError, DocsIndex, DocsIndexError, DocsSourceError
from handrail.docs.sync import Stage, SyncRequest, sync_docs
from handrail.storage.lock import try_lock
from tests.docs.pages import WordEncoder, no_labels, write_pages
from tests.docs.syncs import RULES, build

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _BreaksOff(WordEncoder):
    """Fails after so many texts."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._after = after

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        if len(self.texts) >= self._after:
            raise KeyboardInterrupt
        return super().encode(texts)


@pytest.fixture
def made(place: Path) -> Path:
    """The folder of the index, which is there already."""
    place.mkdir()
    return place


def _names(place: Path) -> list[str]:
    return [path.name for path in place.iterdir()]


def _mode(place: Path) -> int:
    return place.stat().st_mode


async def test_a_folder_becomes_an_index_that_says_what_it_is(source: Path, place: Path) -> None:
    stages: list[tuple[Stage, int, int]] = []

    report = await build(place, source, stages=stages)

    about = DocsIndex(place).about()
    assert (report.pages, about["pages"], about["sections"], about["vectors"]) == (4, 4, report.sections, True)
    assert about["source"] == str(source)
    assert stages[0] == (Stage.READ, 4, 4)
    assert stages[-1] == (Stage.WRITE, 1, 1)
    assert (Stage.ENCODE, report.encoded, report.encoded) in stages


async def test_only_what_is_new_is_encoded(source: Path, place: Path) -> None:
    await build(place, source)
    (source / "guide" / "boats.md").write_text("---\ntitle: Boats\n---\nOnly canoes.")
    encoder = WordEncoder()

    report = await build(place, source, encoder=encoder)

    assert report.encoded == len(encoder.texts) == 2  # the page's name, and its one window
    assert all("Boats" in text for text in encoder.texts)


@pytest.mark.promise("docs-sync-resumes")
async def test_vectors_that_were_made_before_a_break_are_not_made_again(tmp_path: Path, place: Path) -> None:
    source = write_pages(tmp_path / "s", {f"{n}.md": f"# Page {n}\n\nIt tells of number{n}." for n in range(60)})
    first = _BreaksOff(after=32)
    with pytest.raises(KeyboardInterrupt):
        await build(place, source, encoder=first)
    assert not (place / "index.sqlite").exists()

    second = WordEncoder()
    await build(place, source, encoder=second)

    assert first.texts
    assert not {*first.texts} & {*second.texts}
    assert DocsIndex(place).search("number7", WordEncoder(), limit=1)[0].path == "/7"


@pytest.mark.promise("docs-index-is-kept")
@pytest.mark.parametrize("pages", [{}, {"a.txt": "no page"}, {"a.md": ""}, {"a.md": "<!doctype html>"}])
async def test_a_source_without_pages_leaves_the_old_index(
    tmp_path: Path, source: Path, place: Path, pages: dict[str, str]
) -> None:
    await build(place, source)
    (tmp_path / "empty").mkdir()

    with pytest.raises(DocsSourceError, match="no page"):
        await build(place, write_pages(tmp_path / "empty", pages))

    assert DocsIndex(place).about()["pages"] == 4


@pytest.mark.promise("docs-index-is-kept")
async def test_while_an_index_is_built_the_old_one_answers_and_no_other_is_built(source: Path, place: Path) -> None:
    await build(place, source)
    (source / "new.md").write_text("# New\n\nA lighthouse.")
    begun, go_on = threading.Event(), threading.Event()

    class Slow(WordEncoder):
        def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
            begun.set()
            assert go_on.wait(5)
            return super().encode(texts)

    async with anyio.create_task_group() as group:
        group.start_soon(lambda: build(place, source, encoder=Slow()))
        with anyio.fail_after(5):
            await anyio.to_thread.run_sync(begun.wait, 5)
        with pytest.raises(DocsBusyError):
            await build(place, source)
        during = DocsIndex(place).about()["pages"]
        go_on.set()

    assert (during, DocsIndex(place).about()["pages"]) == (4, 5)


async def test_the_lock_of_a_process_that_ended_holds_nobody_up(source: Path, made: Path) -> None:
    place = made
    (place / "sync.lock").write_text("")
    (place / "index.sqlite.tmp-dead").write_text("half")

    await build(place, source)

    free = try_lock(place / "sync.lock")
    assert free is not None
    os.close(free)
    assert not (place / "index.sqlite.tmp-dead").exists()


async def test_a_disk_that_is_full_leaves_the_old_index(
    source: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await build(place, source)

    def full(*_args: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("handrail.docs.writing._fill", full)
    with pytest.raises(OSError, match="disk is full"):
        await build(place, source)

    assert DocsIndex(place).about()["pages"] == 4
    assert "tmp" not in str(_names(place))


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\x00" + bytes(5000), b""])
async def test_what_earlier_syncs_kept_is_made_anew_where_it_is_broken(
    source: Path, made: Path, content: bytes
) -> None:
    place = made
    (place / "work.sqlite").write_bytes(content)

    assert (await build(place, source)).pages == 4


async def test_an_index_of_words_alone_needs_no_encoder(source: Path, place: Path) -> None:
    def never() -> WordEncoder:
        raise NotImplementedError

    request = SyncRequest(str(source), encode=False, rules=RULES)
    await sync_docs(place, request, encoder=never, labeller=no_labels, report=lambda *_: None)

    assert DocsIndex(place).about()["vectors"] is False
    assert DocsIndex(place).search("siren", WordEncoder(), limit=1)[0].path == "/guide/weather"


async def test_the_files_are_for_their_owner(source: Path, place: Path) -> None:
    await build(place, source)

    assert _mode(place) & 0o077 == 0


async def test_an_index_that_is_gone_is_missing_and_says_what_builds_it(place: Path) -> None:
    with pytest.raises(DocsIndexError) as told:
        DocsIndex(place).about()
    assert told.value.data["problem"] == "missing"
    assert "handrail docs sync" in str(told.value.next_step)
