"""Where the index is."""

from pathlib import Path

__all__ = ["docs_folder"]


def docs_folder(home: Path) -> Path:
    """The folder of the documentation in a home folder."""
    return home / "docs"
