"""What people call the pages of Appwrite's documentation, beside their titles."""

import tomllib
from importlib import resources
from typing import Final

__all__ = ["page_names"]

_FILE: Final = "docs_aliases.toml"


def page_names() -> dict[str, list[str]]:
    """Other names by the path of a page."""
    text = resources.files("handrail.appwrite").joinpath(_FILE).read_text(encoding="utf-8")
    pages: dict[str, list[str]] = tomllib.loads(text)["pages"]
    return pages
