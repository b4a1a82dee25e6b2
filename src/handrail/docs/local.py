"""Pages on this machine: a folder or a tarball. Nothing is unpacked, no link is followed, everything has a bound."""

import gzip
import os
import stat
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path, PurePosixPath
from typing import Final

from handrail.docs.errors import DocsSourceError
from handrail.docs.source import MOST_PAGE_BYTES, MOST_SOURCE_BYTES, Found, is_page

__all__ = ["read_folder", "read_tarball"]

_MOST_ENTRIES: Final = 100_000
_GZIP: Final = b"\x1f\x8b"


def read_folder(folder: Path) -> Iterator[Found]:
    """The pages in a folder and the folders below it, in the order of their names.

    Raises:
        DocsSourceError: there is too much in it.
        OSError: something cannot be read.
    """
    counts = _Counts(str(folder))
    for place, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if is_page(f"{name}/x.md"))
        for name in sorted(files):
            path = Path(place, name)
            counts.entry()
            shown = path.relative_to(folder).as_posix()
            if not is_page(shown):
                continue
            details = path.lstat()
            if stat.S_ISREG(details.st_mode) and counts.has_room(details.st_size):
                yield Found(shown, path.read_bytes()[: details.st_size])


def read_tarball(path: Path) -> Iterator[Found]:
    """The pages in a tarball, plain or gzipped. Links in it are left out.

    Raises:
        DocsSourceError: it is no tarball, is cut short, reaches out of itself, or unpacks to too much.
    """
    counts = _Counts(str(path))
    try:
        with _opened(path) as stream, tarfile.open(fileobj=_Bounded(stream, str(path)), mode="r|") as tarball:
            for member in tarball:
                counts.entry()
                _refuse_escape(member.name, str(path))
                name = PurePosixPath(member.name).as_posix()
                if not (member.isreg() and is_page(name) and counts.has_room(member.size)):
                    continue
                file = tarball.extractfile(member)
                if file is not None:
                    yield Found(name, file.read())
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, OverflowError, ValueError) as error:
        raise DocsSourceError(
            f"{path} cannot be read as a tarball: {type(error).__name__}.",
            next_step="Make it again with tar -czf.",
            source=str(path),
        ) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise DocsSourceError(
            f"{path} is damaged.", next_step="Make it again with tar -czf.", source=str(path)
        ) from error


class _Counts:
    """How much of a source was seen."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._entries = 0
        self._bytes = 0

    def entry(self) -> None:
        self._entries += 1
        if self._entries > _MOST_ENTRIES:
            raise _too_much(self._source, f"{_MOST_ENTRIES} files")

    def has_room(self, size: int) -> bool:
        """Whether a file of this size is read; one that is no page by its size alone is not."""
        if size > MOST_PAGE_BYTES:
            return False
        self._bytes += size
        if self._bytes > MOST_SOURCE_BYTES:
            raise _too_much(self._source, f"{MOST_SOURCE_BYTES} bytes of pages")
        return True


class _Bounded(BufferedIOBase):
    """A stream that ends with an error where a tarball unpacks to too much, whatever its headers say."""

    def __init__(self, stream: BufferedIOBase, source: str) -> None:
        self._stream = stream
        self._source = source
        self._read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes."""
        content = self._stream.read(size)
        self._read += len(content)
        if self._read > MOST_SOURCE_BYTES:
            raise _too_much(self._source, f"{MOST_SOURCE_BYTES} bytes")
        return content


@contextmanager
def _opened(path: Path) -> Iterator[BufferedIOBase]:
    with path.open("rb") as file:
        packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        if not packed:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as stream:
            yield stream


def _refuse_escape(name: str, source: str) -> None:
    if name.startswith("/") or ".." in PurePosixPath(name).parts:
        raise DocsSourceError(
            f"{source} names a file outside of itself; nothing of it is used.",
            next_step="Make the tarball again from inside of the folder.",
            source=source,
            name=name[:256],
        )


def _too_much(source: str, bound: str) -> DocsSourceError:
    return DocsSourceError(
        f"{source} holds more than {bound}.", next_step="Name the folder of the pages alone.", source=source
    )
