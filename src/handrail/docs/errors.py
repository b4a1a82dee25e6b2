"""What can go wrong with documentation.

UnavailableError
├── DocsIndexError        there is no index, or it cannot be read
└── DocsSourceError       a source does not give its pages
BusyError
└── DocsBusyError         another process builds the index at the moment
"""

from typing import Final

from handrail.errors import BusyError, UnavailableError

__all__ = ["SYNC_COMMAND", "DocsBusyError", "DocsIndexError", "DocsSourceError"]

SYNC_COMMAND: Final = "handrail docs sync SOURCE"
"""What builds an index; SOURCE is a folder, a tarball or the address of a site."""


class DocsIndexError(UnavailableError):
    """There is no index that can be used. `data["problem"]` is missing, corrupt, or other_version."""

    type = "docs_index_unusable"


class DocsSourceError(UnavailableError):
    """A source cannot be read, or not safely. The index that was there before is untouched. `data["source"]`."""

    type = "docs_source_unusable"


class DocsBusyError(BusyError):
    """Another process builds the index at the moment."""

    type = "docs_sync_running"
