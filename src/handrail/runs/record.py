"""What a run leaves on disk, written as it goes: a killed process leaves everything up to its last moment.

    <records>/<run_id>/run.json      where the run stands, rewritten as a whole at each change of its state
    <records>/<run_id>/...           what the run's body records, by relative names

Folders are 0700 and files 0600. A document appears whole or not at all; a line is written by one call. Nothing waits
for the disk itself: a power cut may lose the last seconds, a killed process loses nothing.
"""

import json
import os
import re
from pathlib import Path
from typing import Final, Protocol

from handrail.errors import UnavailableError, UsageError
from handrail.json_types import Json, JsonObject
from handrail.runs.model import Run
from handrail.storage.process import ProcessMark

__all__ = ["LOG_FILE", "RUN_FILE", "DiskRecord", "NoRecord", "Record", "RecordError", "RecordNameError", "masked"]

RUN_FILE: Final = "run.json"
LOG_FILE: Final = "log.jsonl"
MAX_RECORD_BYTES: Final = 256 * 1024 * 1024
"""How much one run may record, in bytes written."""

_SEGMENT: Final = re.compile(r"(?!\.)[A-Za-z0-9._-]{1,128}")
_DEPTH: Final = 8
_SECRET_NAME: Final = re.compile(
    r"passw|passphrase|secret|token|credential|cookie|authorization|private|(^|[_-])(api_?)?key$", re.IGNORECASE
)
_MASK: Final = "***"


class RecordError(UnavailableError):
    """The run's record cannot be written. `data` holds `name` and `problem` (the system's own words)."""

    type = "record_failed"


class RecordNameError(UsageError):
    """A name of a record is not a plain relative path. `data["name"]` holds it."""

    type = "record_name_invalid"


class Record(Protocol):
    """Where a run's documents go."""

    @property
    def folder(self) -> Path | None:
        """The run's folder, or None where nothing is kept."""

    def write_run(self, run: Run) -> None:
        """Keep where the run stands.

        Raises:
            RecordError: it cannot be written.
        """

    def record(self, name: str, document: Json) -> None:
        """Write one document at a relative name, whole or not at all.

        Raises:
            RecordNameError: the name is not a plain relative path.
            RecordError: it cannot be written, or the run has recorded too much.
        """

    def append(self, name: str, line: Json) -> None:
        """Append one line to a JSON Lines file.

        Raises:
            RecordNameError: the name is not a plain relative path.
            RecordError: it cannot be written, or the run has recorded too much.
        """


class NoRecord:
    """Keeps nothing, and refuses the same names."""

    folder: Path | None = None

    def write_run(self, run: Run) -> None:
        """Nothing is kept."""

    def record(self, name: str, document: Json) -> None:
        """Nothing is kept; a wrong name is still refused."""
        _checked(name)
        _as_bytes(name, document)

    append = record


class DiskRecord:
    """Keeps one run's record in a folder of its own.

    Args:
        records: the folder of all records; made when it is missing.
        run_id: the run.
        process: who runs it, so that a reader can tell a run that was interrupted.
    """

    def __init__(self, records: Path, run_id: str, process: ProcessMark) -> None:
        self.folder: Path | None = records / run_id
        self._folder = records / run_id
        self._process = process
        self._written = 0

    def write_run(self, run: Run) -> None:
        """See `Record`."""
        self._replace(RUN_FILE, _as_bytes(RUN_FILE, run_document(run, self._process)))

    def record(self, name: str, document: Json) -> None:
        """See `Record`."""
        content = _as_bytes(_checked(name), document)
        self._count(name, content)
        self._replace(name, content)

    def append(self, name: str, line: Json) -> None:
        """See `Record`."""
        content = _as_bytes(_checked(name), line)
        self._count(name, content)
        try:
            path = self._place(name)
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                _write_all(handle, content)
            finally:
                os.close(handle)
        except OSError as error:
            raise _failed(name, error) from error

    def _replace(self, name: str, content: bytes) -> None:
        try:
            path = self._place(name)
            part = path.with_name(f".{path.name}.part")
            try:
                _write_new(part, content)
                part.replace(path)
            except OSError:
                part.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise _failed(name, error) from error

    def _place(self, name: str) -> Path:
        path = self._folder / name
        _make_folder(path.parent)
        return path

    def _count(self, name: str, content: bytes) -> None:
        self._written += len(content)
        if self._written > MAX_RECORD_BYTES:
            raise RecordError(
                f"The run has recorded more than {MAX_RECORD_BYTES} bytes.",
                next_step="Start it with fewer episodes or steps.",
                name=name,
                problem="record too large",
            )


def run_document(run: Run, process: ProcessMark) -> JsonObject:
    """A run as `run.json` holds it; secrets in its arguments are masked. Times are ISO 8601 in UTC."""
    return {
        "run_id": run.run_id,
        "agent": run.agent,
        "owner": run.owner,
        "run_key": run.run_key,
        "status": run.status.value,
        "reason": run.reason.value if run.reason else None,
        "message": run.message,
        "created_at": run.created_at.isoformat(),
        "updated_at": run.updated_at.isoformat(),
        "revision": run.revision,
        "arguments": masked(run.arguments),
        "result": run.result,
        "questions": [{"key": q.key, "message": q.message, "schema": q.schema} for q in run.questions],
        "process": {"pid": process.pid, "started": process.started},
    }


def masked(value: Json) -> Json:
    """The same document with every value whose name says that it is secret replaced by `***`."""
    if isinstance(value, dict):
        return {
            name: _MASK if item not in (None, "") and _SECRET_NAME.search(name) else masked(item)
            for name, item in value.items()
        }
    return [masked(item) for item in value] if isinstance(value, list) else value


def _checked(name: str) -> str:
    segments = name.split("/")
    plain = len(segments) <= _DEPTH and all(_SEGMENT.fullmatch(segment) for segment in segments)
    if not plain or name == RUN_FILE:
        raise RecordNameError(
            f"{name[:200]!r} cannot be the name of a record.",
            next_step=f"Use a relative path of letters, digits, '.', '_' and '-', other than {RUN_FILE}.",
            name=name[:200],
        )
    return name


def _as_bytes(name: str, document: Json) -> bytes:
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"What was to be recorded as {name} is no JSON.", name=name, problem=str(error)) from error


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def _write_new(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        _write_all(handle, content)
    finally:
        os.close(handle)


def _write_all(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


def _failed(name: str, error: OSError) -> RecordError:
    problem = error.strerror or type(error).__name__
    return RecordError(
        f"The run's record {name} could not be written: {problem}.",
        next_step="Make room in the home folder, or set HANDRAIL_HOME to one that can be written to.",
        name=name,
        problem=problem,
    )
