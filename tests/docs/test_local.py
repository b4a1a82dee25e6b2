"""Pages in folders and tarballs, and what must not be done with them."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from handrail.docs import local as reading
from handrail.docs.errors import DocsSourceError
from handrail.docs.local import read_folder, read_tarball
from handrail.docs.source import SourceKind, kind_of
from tests.docs.pages import PAGES

pytestmark = pytest.mark.unit


def _tarball(path: Path, members: dict[str, bytes], *extra: tarfile.TarInfo, mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as tarball:  # type: ignore[call-overload]  # a mode by name
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tarball.addfile(info, io.BytesIO(content))
        for info in extra:
            tarball.addfile(info)
    return path


def _link(name: str, kind: bytes, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def test_a_folder_gives_its_pages_and_nothing_hidden_linked_or_foreign(source: Path) -> None:
    (source / ".git").mkdir()
    (source / ".git" / "a.md").write_text("hidden")
    (source / "node_modules").mkdir()
    (source / "node_modules" / "b.md").write_text("foreign")
    (source / "picture.png").write_bytes(b"\x89PNG")
    (source / "link.md").symlink_to("/etc/hostname")
    (source / "linked").symlink_to("/etc")

    assert {found.name for found in read_folder(source)} == {*PAGES}


@pytest.mark.parametrize(("name", "mode"), [("a.tar.gz", "w:gz"), ("a.tgz", "w:gz"), ("a.tar", "w")])
def test_a_tarball_gives_the_same_packed_or_not(tmp_path: Path, name: str, mode: str) -> None:
    members = {f"./lake/{page}": text.encode() for page, text in PAGES.items()}
    path = _tarball(tmp_path / name, {**members, "lake/x.png": b"x"}, mode=mode)

    assert {found.name: found.content for found in read_tarball(path)} == {
        f"lake/{page}": text.encode() for page, text in PAGES.items()
    }
    assert kind_of(str(path)) is SourceKind.TARBALL


@pytest.mark.promise("docs-sources-are-contained")
@pytest.mark.parametrize("name", ["../evil.md", "/etc/evil.md", "a/../../evil.md"])
def test_a_tarball_that_reaches_out_of_itself_is_refused(tmp_path: Path, name: str) -> None:
    path = _tarball(tmp_path / "a.tar.gz", {"good.md": b"good", name: b"evil"})

    with pytest.raises(DocsSourceError, match="outside of itself"):
        [*read_tarball(path)]
    assert [file.name for file in tmp_path.iterdir()] == ["a.tar.gz"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_a_tarball_are_left_out(tmp_path: Path, kind: bytes) -> None:
    path = _tarball(tmp_path / "a.tar.gz", {"good.md": b"good"}, _link("evil.md", kind, "/etc/passwd"))

    assert [found.content for found in read_tarball(path)] == [b"good"]


@pytest.mark.parametrize("mode", ["w:gz", "w"])
def test_a_tarball_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_SOURCE_BYTES", 100_000)
    path = _tarball(tmp_path / "a.tar.gz", {"big.bin": bytes(300_000), "good.md": b"good"}, mode=mode)

    with pytest.raises(DocsSourceError, match="more than 100000 bytes"):
        [*read_tarball(path)]


def test_a_header_that_asks_for_more_than_is_allowed_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pax header is read whole before anybody sees its member."""
    monkeypatch.setattr(reading, "MOST_SOURCE_BYTES", 100_000)
    info = tarfile.TarInfo("a.md")
    info.pax_headers = {"comment": "x" * 500_000}
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as tarball:
        tarball.addfile(info)

    with pytest.raises(DocsSourceError):
        [*read_tarball(tmp_path / "a.tar.gz")]


def test_a_page_that_is_too_large_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_PAGE_BYTES", 10)
    path = _tarball(tmp_path / "a.tar.gz", {"large.md": b"x" * 11, "small.md": b"x" * 10})

    assert [found.name for found in read_tarball(path)] == ["small.md"]


@pytest.mark.parametrize(
    "content",
    [b"", b"no tarball at all", gzip.compress(b"nor this one" * 100), b"\x1f\x8bbroken", b"<html>404</html>" * 64],
)
def test_what_is_no_tarball_is_told_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.tar.gz"
    path.write_bytes(content)

    with pytest.raises(DocsSourceError) as told:
        [*read_tarball(path)]
    assert told.value.next_step


def test_a_tarball_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    noise = {f"{number}.md": bytes(str(hash(str(number))) * 300, "ascii") for number in range(20)}
    path = _tarball(tmp_path / "a.tar.gz", noise)
    path.write_bytes(path.read_bytes()[:-200])

    with pytest.raises(DocsSourceError):
        [*read_tarball(path)]


@pytest.mark.parametrize("source", ["nowhere", "README.txt"])
def test_what_is_no_source_is_told_so(tmp_path: Path, source: str) -> None:
    (tmp_path / "README.txt").write_text("x")

    with pytest.raises(DocsSourceError) as told:
        kind_of(str(tmp_path / source))
    assert "folder of Markdown files" in str(told.value.next_step)
