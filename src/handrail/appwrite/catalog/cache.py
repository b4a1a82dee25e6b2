"""The catalog on disk, so that the SDK's source is read once for each of its versions.

One file for each SDK version, `<home>/cache/catalog-<sdk>-<version>-<format>.jsonl`: a line that identifies it and
carries the checksum of the rest, a line of names and services, then one line of JSON for each method. Files are only
ever replaced whole, so any number of processes may read and build at once; the last one wins with the same content.
"""

import json
import os
import re
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Final, TypedDict

from handrail.appwrite.catalog.catalog import Catalog
from handrail.appwrite.catalog.codec import CACHE_FORMAT
from handrail.appwrite.catalog.installed import InstalledSdk
from handrail.appwrite.catalog.model import Sdk

__all__ = ["cache_file", "read_cache", "write_cache"]

_FOLDER: Final = "cache"
_NAME: Final = re.compile(rf"catalog-({'|'.join(Sdk)})-(\d.*)-(\d+)\.jsonl(\.tmp-\w+)?")
_TMP_KEPT_S: Final = 600  # a half-written file that is older belongs to a process that died
_DIGEST_BYTES: Final = 16


class _Head(TypedDict):
    format: int
    sdk: str
    version: str
    digest: str


class _Index(TypedDict):
    tools: list[str]
    services: list[str]


def cache_file(home: Path, installed: InstalledSdk) -> Path:
    """Where the catalog of an SDK is kept."""
    return home / _FOLDER / f"catalog-{installed.sdk.value}-{installed.version}-{CACHE_FORMAT}.jsonl"


def read_cache(path: Path, installed: InstalledSdk) -> Catalog | None:
    """The catalog in a file, or None where there is no such file or it is not whole."""
    try:
        head, rest = path.read_bytes().split(b"\n", 1)
        if json.loads(head) != _head(installed, rest):
            return None
        index_line, *records = rest.split(b"\n")
        index: _Index = json.loads(index_line)
    except (OSError, ValueError):
        return None
    rows = zip(index["tools"], index["services"], records, strict=True)
    return Catalog({installed.sdk: installed.version}, {tool: (service, record) for tool, service, record in rows})


def write_cache(path: Path, installed: InstalledSdk, catalog: Catalog) -> bool:
    """Write the catalog and remove the files of other versions.

    Returns:
        False where the folder cannot be written to: a cache is a help, its lack is no error.
    """
    tools, services, records = zip(*catalog.encoded(), strict=True)
    index: _Index = {"tools": [*tools], "services": [*services]}
    rest = b"\n".join([json.dumps(index).encode(), *records])
    head = json.dumps(_head(installed, rest)).encode()
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        _replace(path, head + b"\n" + rest)
        for stale in _stale(path):
            stale.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _head(installed: InstalledSdk, rest: bytes) -> _Head:
    return {
        "format": CACHE_FORMAT,
        "sdk": installed.sdk.value,
        "version": installed.version,
        "digest": blake2b(rest, digest_size=_DIGEST_BYTES).hexdigest(),
    }


def _replace(path: Path, content: bytes) -> None:
    """Put a file in place whole: readers see the old one or the new one."""
    temporary = path.with_name(f"{path.name}.tmp-{os.urandom(8).hex()}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _stale(path: Path) -> Iterator[Path]:
    """Files of other versions and formats of the same SDK, and what a killed process left half-written."""
    own = _NAME.fullmatch(path.name)
    for other in path.parent.iterdir():
        named = _NAME.fullmatch(other.name)
        if own is None or named is None or named[1] != own[1]:
            continue
        half_written = named[4] is not None
        if _age_s(other) > _TMP_KEPT_S if half_written else other != path:
            yield other


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:  # another process was faster
        return 0.0
