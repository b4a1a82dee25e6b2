"""What is kept of an answer on this machine: a new file in the one folder that a person named."""

import os
import secrets
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from handrail.appwrite.files_on_disk import root_folder
from handrail.errors import ArgumentError, RefusedError, UnavailableError
from handrail.json_types import JsonObject

__all__ = ["DownloadRoot", "DownloadsOffError", "FileExistsAlreadyError", "SaveFailedError", "SavedFile"]

_LONGEST_NAME: Final = 200  # bytes; what is written first has a longer one, and 255 is what file systems take
_FORBIDDEN: Final = frozenset('/\\:*?"<>|')
_LETTERS: Final = ("L", "M", "N", "P", "S")  # the first letter of a character's category: whatever can be seen
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class DownloadsOffError(RefusedError):
    """An answer shall be saved, and no folder was given to save to."""

    type = "downloads_off"


class FileExistsAlreadyError(RefusedError):
    """There is something of that name already. `data["save_as"]`."""

    type = "file_exists"


class SaveFailedError(UnavailableError):
    """An answer came and could not be written. `data["save_as"]` and `data["problem"]`."""

    type = "save_failed"


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file that was written."""

    path: Path
    size: int
    sha256: str

    def as_json(self) -> JsonObject:
        """As an answer tells it."""
        return {"saved_as": str(self.path), "bytes": self.size, "sha256": self.sha256}


class DownloadRoot:
    """The folder that answers may be saved to. Without one, none may.

    Args:
        folder: must be there; links in its own path are followed once, now.

    Raises:
        UploadRootError: it is no folder, or none that anybody should save to.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._root = None if folder is None else root_folder(folder)

    def check(self, name: str) -> None:
        """Pass where an answer could be saved under a name at present. To be asked before the call is sent.

        Args:
            name: a file's name, without folders.

        Raises:
            DownloadsOffError: there is no folder to save to.
            ArgumentError: it is no name for a file.
            FileExistsAlreadyError: there is something of that name.
        """
        root = self._required()
        _require_name(name)
        if os.path.lexists(root / name):
            raise _exists(name)

    def save(self, name: str, content: bytes) -> SavedFile:
        """Write a new file, readable for its owner only. It is there as a whole or not at all. Blocks the thread.

        Raises:
            DownloadsOffError: there is no folder to save to.
            ArgumentError: it is no name for a file.
            FileExistsAlreadyError: there is something of that name; it stays as it is.
            SaveFailedError: it cannot be written.
        """
        root = self._required()
        _require_name(name)
        try:
            folder = os.open(root, _FOLDER)
            try:
                _write_new(folder, name, content)
            finally:
                os.close(folder)
        except FileExistsError:
            raise _exists(name) from None
        except OSError as error:
            raise SaveFailedError(
                f"'{name}' cannot be written: {error.strerror}.",
                next_step="Make room in the download folder or mend its permissions, then call again.",
                save_as=name,
                problem=error.strerror,
            ) from error
        return SavedFile(root / name, len(content), sha256(content).hexdigest())

    def _required(self) -> Path:
        if self._root is None:
            raise DownloadsOffError(
                "Answers cannot be saved: no folder is given that they may go to.",
                next_step="Leave 'save_as' away, or have a person start Handrail with --download-root DIR.",
            )
        return self._root


def _write_new(folder: int, name: str, content: bytes) -> None:
    """Write beside, then give it its name, which fails where that is taken."""
    beside = f".{name}.{secrets.token_hex(8)}"
    handle = os.open(beside, _NEW, 0o600, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    finally:
        os.unlink(beside, dir_fd=folder)


def _require_name(name: str) -> None:
    problem = _problem(name)
    if problem is not None:
        raise ArgumentError(
            f"'save_as' {problem}.",
            argument="save_as",
            next_step="Give the plain name of a new file, such as report.pdf.",
            problem="value",
        )


def _problem(name: str) -> str | None:
    if not name or name.startswith(".") or name != name.strip() or name.endswith("."):
        return "must not be empty, begin or end with a dot or a blank"
    seen = all(character == " " or unicodedata.category(character)[0] in _LETTERS for character in name)
    if not seen or _FORBIDDEN & {*name}:
        return "must be one name without folders, of characters that can be seen"
    if len(name.encode()) > _LONGEST_NAME:
        return f"must have at most {_LONGEST_NAME} bytes"
    return None


def _exists(name: str) -> FileExistsAlreadyError:
    return FileExistsAlreadyError(
        f"There is something called '{name}' in the download folder already; it stays as it is.",
        next_step="Give another 'save_as'.",
        save_as=name,
    )
