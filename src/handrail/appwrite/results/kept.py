"""Results that are too large for one answer, kept for a day: in files of the home, or in memory where there is none.

    <home>/results/<id>     one line of JSON about it, then the content

A file is 0600 and appears whole or not at all. What is kept has its secrets masked; what was revealed never comes here
but stays in memory. An id says nothing to anybody but its owner.
"""

import contextlib
import json
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Protocol

from handrail.errors import NotFoundError
from handrail.json_types import JsonObject

__all__ = [
    "JSON_TYPE",
    "MEMORY_BOUNDS",
    "About",
    "Bounds",
    "KeptResult",
    "ResultNotFoundError",
    "Results",
    "ResultsInMemory",
    "ResultsOnDisk",
]

JSON_TYPE: Final = "application/json"
_RESULT_ID: Final = re.compile(r"r_[A-Za-z0-9_-]{24}")
_RANDOM_BYTES: Final = 18
_TEMPORARY: Final = ".part"
_LONGEST_HEAD: Final = 8_192  # bytes


class ResultNotFoundError(NotFoundError):
    """No such result: never there, expired, or somebody else's."""

    type = "result_not_found"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is kept, and how long.

    Attributes:
        each: bytes of one result.
        all: bytes of all together; the oldest go first.
        seconds: how long each is kept.
    """

    each: int = 32 * 1024 * 1024
    all: int = 256 * 1024 * 1024
    seconds: float = 24 * 3600


MEMORY_BOUNDS: Final = Bounds(all=48 * 1024 * 1024)
"""What is kept in memory where there is no home."""


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a result beside its content.

    Attributes:
        owner: who may read it.
        tool: the method that it came from.
        content_type: of the content; JSON is in UTF-8.
        project: that it came from; an empty string where there is none.
        origin: what the content is, as the answer said it; an empty string where it said nothing.
        masked: how many secrets in it stand as `***`.
    """

    owner: str
    tool: str
    content_type: str = JSON_TYPE
    project: str = ""
    origin: str = ""
    masked: int = 0


@dataclass(frozen=True, slots=True)
class KeptResult:
    """A result that is kept.

    Attributes:
        result_id: names it; at least 128 bits of chance.
        about: what is known of it.
        content: the bytes.
        expires_at: seconds since 1970.
    """

    result_id: str
    about: About
    content: bytes
    expires_at: float

    @property
    def uri(self) -> str:
        """The resource that it can be read as."""
        return f"handrail://results/{self.result_id}"


class Results(Protocol):
    """Keeps results."""

    def keep(self, about: About, content: bytes) -> KeptResult | None:
        """Keep one; None where it is too large or there is no room. May block: call it in a thread."""

    def get(self, result_id: str, owner: str) -> KeptResult:
        """One that is kept. May block.

        Raises:
            ResultNotFoundError: it was never there, has expired, or belongs to somebody else.
        """


class ResultsInMemory:
    """Keeps results for the life of this process, the oldest going first. Any thread may call.

    Args:
        bounds: how much and how long.
        clock: seconds since 1970.
    """

    def __init__(self, bounds: Bounds = MEMORY_BOUNDS, clock: Callable[[], float] = time.time) -> None:
        self._bounds = bounds
        self._clock = clock
        self._kept: dict[str, KeptResult] = {}
        self._lock = threading.Lock()

    def keep(self, about: About, content: bytes) -> KeptResult | None:
        """See `Results`."""
        if len(content) > min(self._bounds.each, self._bounds.all):
            return None
        now = self._clock()
        kept = KeptResult(_new_id(), about, content, now + self._bounds.seconds)
        with self._lock:
            self._make_room(len(content), now)
            self._kept[kept.result_id] = kept
        return kept

    def get(self, result_id: str, owner: str) -> KeptResult:
        """See `Results`."""
        kept = self._kept.get(result_id)
        if kept is None or kept.about.owner != owner or kept.expires_at <= self._clock():
            raise _not_found()
        return kept

    def _make_room(self, size: int, now: float) -> None:
        used = sum(len(one.content) for one in self._kept.values())
        for result_id, kept in list(self._kept.items()):
            if kept.expires_at > now and used + size <= self._bounds.all:
                break
            used -= len(self._kept.pop(result_id).content)


class ResultsOnDisk:
    """Keeps results in a folder that several processes may share. What the disk refuses is kept in memory.

    Args:
        folder: made when it is first needed, 0700.
        bounds: how much and how long.
        clock: seconds since 1970.
    """

    def __init__(self, folder: Path, bounds: Bounds | None = None, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._bounds = bounds or Bounds()
        self._clock = clock
        self._memory = ResultsInMemory(clock=clock)

    def keep(self, about: About, content: bytes) -> KeptResult | None:
        """See `Results`."""
        if len(content) > self._bounds.each:
            return None
        kept = KeptResult(_new_id(), about, content, self._clock() + self._bounds.seconds)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._sweep(len(content))
            self._write(kept)
        except OSError:
            return self._memory.keep(about, content)
        return kept

    def get(self, result_id: str, owner: str) -> KeptResult:
        """See `Results`."""
        if not _RESULT_ID.fullmatch(result_id):
            raise _not_found()
        try:
            with (self._folder / result_id).open("rb") as file:
                kept = _read(result_id, file.readline(_LONGEST_HEAD), file.read(self._bounds.each))
        except OSError:
            return self._memory.get(result_id, owner)
        if kept is None or kept.about.owner != owner or kept.expires_at <= self._clock():
            raise _not_found()
        return kept

    def _write(self, kept: KeptResult) -> None:
        path = self._folder / kept.result_id
        part = path.with_name(path.name + _TEMPORARY)
        try:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(_head(kept))
                file.write(kept.content)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    def _sweep(self, size: int) -> None:
        """Remove what has expired, then the oldest until there is room. Another process may do the same meanwhile."""
        expired = self._clock() - self._bounds.seconds
        files = sorted(self._files())
        used = sum(length for _, length, _ in files)
        for written, length, path in files:
            if written > expired and used + size <= self._bounds.all:
                break
            with contextlib.suppress(OSError):
                path.unlink()
            used -= length

    def _files(self) -> list[tuple[float, int, Path]]:
        """When each was written, its size, and where it is."""
        found: list[tuple[float, int, Path]] = []
        with os.scandir(self._folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    about = entry.stat(follow_symlinks=False)
                    if entry.name.startswith("r_"):
                        found.append((about.st_mtime, about.st_size, self._folder / entry.name))
        return found


def _head(kept: KeptResult) -> bytes:
    head: JsonObject = {**asdict(kept.about), "expires_at": kept.expires_at, "size": len(kept.content)}
    return json.dumps(head).encode() + b"\n"


def _read(result_id: str, head: bytes, content: bytes) -> KeptResult | None:
    """What a file holds; None where it is not one of ours, or not whole."""
    try:
        match json.loads(head):
            case {
                "owner": str(owner),
                "tool": str(tool),
                "content_type": str(content_type),
                "project": str(project),
                "origin": str(origin),
                "masked": int(masked),
                "expires_at": float(expires_at),
                "size": int(size),
            } if size == len(content):
                about = About(owner, tool, content_type, project, origin, masked)
                return KeptResult(result_id, about, content, expires_at)
    except (ValueError, RecursionError):
        pass
    return None


def _new_id() -> str:
    return f"r_{secrets.token_urlsafe(_RANDOM_BYTES)}"


def _not_found() -> ResultNotFoundError:
    return ResultNotFoundError(
        "There is no such result: results are kept for a day, and only for who asked.",
        next_step="Repeat the call to get it anew; repeat only what changes nothing.",
    )
