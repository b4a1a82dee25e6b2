"""The methods of an SDK by tool name. Each is decoded when it is asked for: a listing of names decodes none."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from handrail.appwrite.catalog.codec import MethodRecord, from_record, to_record
from handrail.appwrite.catalog.model import Method, Sdk
from handrail.arguments import UnknownName
from handrail.errors import NotFoundError, UsageError

__all__ = ["Catalog", "UnknownToolError"]

_NEAR: Final = 5  # names in an error
_CLOSE: Final = 0.6  # of 1: how alike two names must be


class UnknownToolError(NotFoundError, UsageError):
    """No method has this tool name. `data` holds `name`, `nearest` (or null), and `near`: other names like it."""

    type = "tool_unknown"


class Catalog:
    """The methods of one SDK, or of several: immutable, and safe to read from many tasks and threads.

    Args:
        versions: the version of each SDK, the one that comes first where both have a tool first.
        entries: tool name to its service and the method in JSON.
    """

    def __init__(self, versions: Mapping[Sdk, str], entries: Mapping[str, tuple[str, bytes]]) -> None:
        self._versions = dict(versions)
        self._entries = entries

    @classmethod
    def of(cls, sdk: Sdk, version: str, methods: Iterable[Method]) -> "Catalog":
        """A catalog of methods that are at hand."""
        entries = {method.tool: (method.service, encode(method)) for method in methods}
        return cls({sdk: version}, entries)

    @property
    def sdk(self) -> Sdk:
        """The SDK; of several, the one that comes first."""
        return next(iter(self._versions))

    @property
    def version(self) -> str:
        """The version of `sdk`."""
        return self._versions[self.sdk]

    @property
    def versions(self) -> dict[Sdk, str]:
        """Every SDK with its version."""
        return dict(self._versions)

    def get(self, tool: str) -> Method:
        """The method of a tool name.

        Raises:
            UnknownToolError: there is none; it gives the nearest names.
        """
        entry = self._entries.get(tool)
        if entry is None:
            raise self._unknown(tool)
        return _decode(entry[1])

    def names(self) -> tuple[str, ...]:
        """Every tool name, in order of service and source."""
        return tuple(self._entries)

    def services(self) -> dict[str, int]:
        """Every service with the number of its methods."""
        return dict(Counter(service for service, _ in self._entries.values()))

    def encoded(self) -> Iterator[tuple[str, str, bytes]]:
        """Tool name, service and JSON of every method, for the cache."""
        return ((tool, service, record) for tool, (service, record) in self._entries.items())

    def joined(self, other: "Catalog") -> "Catalog":
        """This catalog, and from the other one what this one lacks."""
        versions = dict(self._versions)
        for sdk, version in other.versions.items():
            versions.setdefault(sdk, version)
        entries = dict(self._entries)
        for tool, service, record in other.encoded():
            entries.setdefault(tool, (service, record))
        return Catalog(versions, entries)

    def __iter__(self) -> Iterator[Method]:
        return (_decode(record) for _, record in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, tool: object) -> bool:
        return tool in self._entries

    def _unknown(self, tool: str) -> UnknownToolError:
        said = UnknownName.among("method", tool, self._entries)
        found = said.data["nearest"] is not None
        near = get_close_matches(tool.lower(), self._entries, n=_NEAR, cutoff=_CLOSE)
        return UnknownToolError(
            said.sentence,
            next_step=said.next_step if found else "Search for it by what it does.",
            name=said.data["name"],
            nearest=said.data["nearest"],
            near=[*near],
        )


def encode(method: Method) -> bytes:
    """A method as one line of JSON."""
    return json.dumps(to_record(method), ensure_ascii=False, separators=(",", ":")).encode()


def _decode(line: bytes) -> Method:
    record: MethodRecord = json.loads(line)
    return from_record(record)
