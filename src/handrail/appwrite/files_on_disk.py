"""Files on this machine that may be sent: those in the folders that a person named, and nothing beside them.

    path -> resolved, links and all -> inside a folder? -> opened part by part from that folder, following no link
         -> a regular file? small enough? -> `StoredFile`: looked at, not read

It is read when it is sent, chunk by chunk, opened in the same way again. What is opened then must be the very file that
was looked at, unchanged, so that what a person agreed to is what goes out. Nothing between the look and the read can
lead outside: the path is not asked again.

A hard link is a file like any other: who can make one in the folder decides what is in it.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NoReturn

from handrail.appwrite.paths import CONTROL, check_text
from handrail.appwrite.send_errors import NotSentError
from handrail.errors import ArgumentError, RefusedError, UsageError
from handrail.json_types import JsonObject

__all__ = [
    "MOST_UPLOAD_BYTES",
    "FileChangedError",
    "StoredFile",
    "UploadRefusedError",
    "UploadRootError",
    "UploadRoots",
    "UploadsOffError",
    "root_folder",
]

MOST_UPLOAD_BYTES: Final = 100 * 1000 * 1000
_LONGEST_PATH: Final = 4096
_SYSTEM: Final = tuple(map(Path, ("/proc", "/sys", "/dev")))
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class UploadRootError(UsageError):
    """A folder that files shall go from or to is none. `data["path"]` names it."""

    type = "folder_invalid"


class UploadsOffError(RefusedError):
    """A file on disk is named, and no folder was given that files may be sent from."""

    type = "uploads_off"


class UploadRefusedError(RefusedError):
    """A file on disk must not be sent. `data["path"]` is the path as it was given, `data["reason"]` says why."""

    type = "upload_refused"


class FileChangedError(NotSentError):
    """A file is no longer the one that was looked at. `data["path"]` names it."""

    type = "file_changed"
    may_pass = False


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that was looked at and may be sent, or a part of it.

    Attributes:
        root: the folder that a person named, resolved.
        parts: the way from there to the file; none of it is a link.
        whole: its size when it was looked at, in bytes.
        identity: device, inode and the time of its last change, in ns.
        start: where the part begins.
        stop: where it ends.
    """

    root: Path
    parts: tuple[str, ...]
    whole: int
    identity: tuple[int, int, int]
    start: int
    stop: int

    @property
    def path(self) -> Path:
        """The path without any link."""
        return self.root.joinpath(*self.parts)

    @property
    def shown(self) -> JsonObject:
        """What a person is shown who is to agree to its being sent."""
        changed = datetime.fromtimestamp(self.identity[2] / 1e9, UTC)
        return {"path": str(self.path), "bytes": self.whole, "modified": changed.isoformat()}

    def __len__(self) -> int:
        """How many bytes this part has."""
        return self.stop - self.start

    def __getitem__(self, part: slice, /) -> "StoredFile":
        """A part of this part."""
        start, stop, _ = part.indices(len(self))
        return replace(self, start=self.start + start, stop=self.start + max(start, stop))

    def read(self) -> bytes:
        """The bytes of this part. Blocks the thread.

        Raises:
            FileChangedError: the file is no longer the one that was looked at.
        """
        try:
            with _opened(self.root, self.parts) as handle:
                self._require_unchanged(handle)
                content = _read(handle, self.start, len(self))
                self._require_unchanged(handle)  # it may grow, or be written anew, while it is read
        except (OSError, UploadRefusedError) as error:
            raise self._changed() from error
        if len(content) != len(self):
            raise self._changed()
        return content

    def _require_unchanged(self, handle: int) -> None:
        found = os.fstat(handle)
        if (_identity(found), found.st_size) != (self.identity, self.whole):
            raise self._changed()

    def _changed(self) -> FileChangedError:
        return FileChangedError(
            f"{self.path} is no longer the file that was looked at; it was not sent.",
            next_step="Call again once nothing else writes to it.",
            path=str(self.path),
        )


class UploadRoots:
    """The folders that files may be sent from. Without any, none may.

    Args:
        folders: each must be there; links in its own path are followed once, now.
        most_bytes: the largest file that may be sent.

    Raises:
        UploadRootError: one of them is no folder, or none that anybody should send from.
    """

    def __init__(self, folders: Sequence[Path] = (), most_bytes: int = MOST_UPLOAD_BYTES) -> None:
        self._roots = [root_folder(folder) for folder in folders]
        self._most_bytes = most_bytes

    def look_at(self, argument: str, path: str) -> StoredFile:
        """A file that may be sent.

        Args:
            argument: the argument that names it, for errors.
            path: relative to one of the folders, the first that has it; or absolute, and inside one.

        Raises:
            UploadsOffError: there is no folder to send from.
            UploadRefusedError: it is outside, hidden, too large, no regular file, or not there.
            ArgumentError: it cannot be a path.
        """
        if not self._roots:
            raise UploadsOffError(
                "Files on this machine cannot be uploaded: no folder is given that they may come from.",
                next_step=f"Give '{argument}' as {{filename, text}} or {{filename, base64}}, or have a person start "
                "Handrail with --upload-root DIR.",
            )
        _require_path(argument, path)
        root, parts = self._place(path)
        return self._looked_at(path, root, parts)

    def _place(self, path: str) -> tuple[Path, tuple[str, ...]]:
        """The folder and the way from it, once every link is followed. Says the same of all that is outside."""
        inside = [(root, found) for root in self._roots if (found := _resolved(root / path)) and _is_in(found, root)]
        if not inside:
            _refuse(path, "it is not in a folder that files may be sent from")
        root, found = next(((root, found) for root, found in inside if found.exists()), inside[0])
        return root, found.relative_to(root).parts

    def _looked_at(self, path: str, root: Path, parts: tuple[str, ...]) -> StoredFile:
        hidden = next((part for part in parts if part.startswith(".")), None)
        if hidden is not None:
            _refuse(path, f"'{hidden}' is hidden")
        try:
            with _opened(root, parts) as handle:
                found = os.fstat(handle)
        except UploadRefusedError as error:
            _refuse(path, str(error.data["reason"]))
        except OSError as error:
            _refuse(path, f"it cannot be opened ({error.strerror})")
        if found.st_size > self._most_bytes:
            _refuse(path, f"it has {found.st_size:,} bytes, and at most {self._most_bytes:,} may be sent")
        return StoredFile(root, parts, found.st_size, _identity(found), 0, found.st_size)


def root_folder(folder: Path) -> Path:
    """A folder that a person named, without links in it.

    Raises:
        UploadRootError: it is no folder, or one of the system's own.
    """
    try:
        found = folder.expanduser().resolve(strict=True)
        is_folder = found.is_dir()
    except (OSError, RuntimeError) as error:
        raise _no_root(folder, "cannot be found") from error
    if not is_folder:
        raise _no_root(folder, "is no folder")
    if found == Path(found.anchor) or any(found.is_relative_to(system) for system in _SYSTEM):
        raise _no_root(folder, "is the system's own")
    return found


@contextmanager
def _opened(root: Path, parts: Sequence[str]) -> Iterator[int]:
    """The regular file at the end of the way, opened part by part, so that no link is followed, whoever makes one.

    Raises:
        UploadRefusedError: it is none.
        OSError: the way does not lead anywhere any more.
    """
    handle = os.open(root, _FOLDER)
    try:
        for part in parts[:-1]:
            within = os.open(part, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = within
        # Looked at before: to open a device may do something, and to open a pipe may take for ever.
        if not stat.S_ISREG(os.stat(parts[-1], dir_fd=handle, follow_symlinks=False).st_mode):
            _refuse(parts[-1], "it is no regular file")
        within = os.open(parts[-1], _FILE, dir_fd=handle)
        os.close(handle)
        handle = within
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            _refuse(parts[-1], "it is no regular file")
        yield handle
    finally:
        os.close(handle)


def _read(handle: int, start: int, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        piece = os.pread(handle, size - len(content), start + len(content))
        if not piece:
            break
        content += piece
    return bytes(content)


def _identity(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _resolved(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # links in a circle
        return None


def _is_in(found: Path, root: Path) -> bool:
    return found != root and found.is_relative_to(root)


def _require_path(argument: str, path: str) -> None:
    check_text(argument, path)
    if not path or CONTROL.search(path) or len(path) > _LONGEST_PATH:
        raise ArgumentError(
            f"The path in '{argument}' is empty, too long, or has control characters.",
            argument=argument,
            next_step="Give the path of a file.",
            problem="value",
        )


def _refuse(path: str, reason: str) -> NoReturn:
    raise UploadRefusedError(
        f"{path!r} cannot be uploaded: {reason}.",
        next_step="Name a visible, regular file in a folder that Handrail was started with (--upload-root), or give "
        "its content inline.",
        path=path,
        reason=reason,
    )


def _no_root(folder: Path, problem: str) -> UploadRootError:
    return UploadRootError(
        f"{folder} {problem}, so no files can go from or to it.",
        next_step="Name a folder that is there.",
        path=str(folder),
    )
