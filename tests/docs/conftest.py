"""Sources and a folder for the index."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, write_pages
from tests.docs.web_site import WebSite, serve_site


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with the small documentation."""
    return write_pages(tmp_path / "source")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the index goes."""
    return tmp_path / "docs"


@pytest.fixture
async def site() -> AsyncIterator[WebSite]:
    """A site with the small documentation and its list."""
    async with serve_site() as served:
        listed = "\n".join(f"- [{name}]({served.address}/{name})" for name in PAGES)
        served.put("/llms.txt", f"# The lake\n\n{listed}\n- [elsewhere](https://elsewhere.invalid/a.md)\n")
        for name, text in PAGES.items():
            served.put(f"/{name}", text, etag=f'"{len(text)}"')
        yield served
