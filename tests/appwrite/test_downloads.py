"""What is written of an answer: a new file in one folder, whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from handrail.appwrite.downloads import (
    DownloadRoot,
    DownloadsOffError,
    FileExistsAlreadyError,
    SaveFailedError,
)
from handrail.appwrite.files_on_disk import UploadRootError
from handrail.errors import ArgumentError


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_an_answer_is_a_new_file_of_its_users_alone(tmp_path: Path) -> None:
    saved = DownloadRoot(tmp_path).save("report 1.pdf", b"%PDF")

    assert (tmp_path / "report 1.pdf").read_bytes() == b"%PDF"
    assert stat.S_IMODE((tmp_path / "report 1.pdf").stat().st_mode) == 0o600
    assert saved.as_json()["saved_as"] == str(tmp_path / "report 1.pdf")
    assert _names(tmp_path) == ["report 1.pdf"]


@pytest.mark.promise("downloads-overwrite-nothing")
@pytest.mark.parametrize("what", ["file", "folder", "link", "dangling"])
def test_what_is_there_already_stays_as_it_is(tmp_path: Path, what: str) -> None:
    folder, outside = tmp_path / "in", tmp_path / "outside"
    folder.mkdir()
    place = folder / "a.txt"
    outside.write_bytes(b"mine")
    match what:
        case "file":
            place.write_bytes(b"mine")
        case "folder":
            place.mkdir()
        case "link":
            place.symlink_to(outside)
        case _:
            place.symlink_to(tmp_path / "new")
    root = DownloadRoot(folder)

    with pytest.raises(FileExistsAlreadyError):
        root.check("a.txt")
    with pytest.raises(FileExistsAlreadyError):
        root.save("a.txt", b"other")

    assert (_names(folder), outside.read_bytes(), (tmp_path / "new").exists()) == (["a.txt"], b"mine", False)


@pytest.mark.promise("downloads-overwrite-nothing")
@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../a", "/etc/a", "a/b", "a\\b", ".bashrc", ".a", " a", "a ", "a.", "a\0", "a\nb", "a\u202eb",
        "a\u200bb", "\ud800", "x" * 201, "\u00e9" * 101, "C:a", "a*",
    ],
)  # fmt: skip
def test_what_is_no_plain_name_is_refused_before_anything_is_sent(tmp_path: Path, name: str) -> None:
    root = DownloadRoot(tmp_path)

    with pytest.raises(ArgumentError):
        root.check(name)
    with pytest.raises(ArgumentError):
        root.save(name, b"")

    assert _names(tmp_path) == []


@pytest.mark.parametrize("name", ["a", "B\u00fccher.txt", "\u6f22.bin", "a-b_c (1).tar.gz", "x" * 200])
def test_plain_names_are_taken(tmp_path: Path, name: str) -> None:
    DownloadRoot(tmp_path).check(name)
    DownloadRoot(tmp_path).save(name, b"")

    assert (tmp_path / name).exists()


def test_without_a_folder_nothing_is_saved() -> None:
    with pytest.raises(DownloadsOffError):
        DownloadRoot().check("a")
    with pytest.raises(DownloadsOffError):
        DownloadRoot().save("a", b"")


@pytest.mark.parametrize("folder", ["/", "/proc", "{here}/nothing"])
def test_some_folders_are_none_to_save_to(tmp_path: Path, folder: str) -> None:
    with pytest.raises(UploadRootError):
        DownloadRoot(Path(folder.format(here=tmp_path)))


def test_a_folder_that_became_a_link_is_not_written_to(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    root = DownloadRoot(folder)
    folder.rmdir()
    folder.symlink_to(outside)

    with pytest.raises(SaveFailedError):
        root.save("a", b"x")

    assert _names(outside) == []


def test_a_disk_that_is_full_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(SaveFailedError) as caught:
        DownloadRoot(tmp_path).save("a", b"x")

    assert (_names(tmp_path), caught.value.data["problem"]) == ([], "No space left on device")
