"""Documentation: an index of somebody's pages on this machine, and a search over it.

    source (folder, tarball, site) -> pages -> sections -> index      `sync_docs`
    query -> meaning and words -> sections                            `DocsIndex`

The room knows nothing of what the pages are about, and nothing of MCP. What a page says is data: it is handed on as it
is, and nobody here does what it says.
"""

from handrail.docs.errors import SYNC_COMMAND, DocsBusyError, DocsIndexError, DocsSourceError
from handrail.docs.index import DocsHit, DocsIndex
from handrail.docs.place import docs_folder

__all__ = [
    "SYNC_COMMAND",
    "DocsBusyError",
    "DocsHit",
    "DocsIndex",
    "DocsIndexError",
    "DocsSourceError",
    "docs_folder",
]
