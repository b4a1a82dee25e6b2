"""Appwrite's own pages, which are no part of this project: HANDRAIL_TEST_APPWRITE_DOCS says where they are."""

import os
from pathlib import Path

import pytest
from benchmarks.docs_search import PAGES_VARIABLE, labelled

from handrail.appwrite.catalog import Catalog, load_catalogs
from handrail.appwrite.docs_labels import ToolLabeller
from handrail.appwrite.docs_names import page_names
from handrail.docs import DocsIndex
from handrail.docs.local import read_folder, read_tarball
from handrail.docs.page import Page
from handrail.docs.sections import MOST_SECTION_BYTES, sections_of
from handrail.docs.source import SourceKind, kind_of, pages_of
from handrail.docs.sync import SyncRequest, sync_docs
from tests.docs.pages import WordEncoder

_BOUND = 0.50  # recall@1 by words alone; with meaning it is `python -m benchmarks.docs_search` that tells


@pytest.fixture(scope="module")
def source() -> str:
    source = os.environ.get(PAGES_VARIABLE)
    if not source:
        pytest.skip(f"{PAGES_VARIABLE} does not say where Appwrite's pages are")
    return source


@pytest.fixture(scope="module")
def pages(source: str) -> list[Page]:
    path = Path(source)
    files = read_folder(path) if kind_of(source) is SourceKind.FOLDER else read_tarball(path)
    return pages_of(files, source=source, site="https://appwrite.io")


@pytest.fixture(scope="module")
def catalog(session_home: Path) -> Catalog:
    return load_catalogs(session_home)


def test_every_page_has_sections_within_the_bound_and_with_something_to_encode(pages: list[Page]) -> None:
    for page in pages:
        sections = sections_of(page)
        assert sections, page.path
        assert all(len(section.text.encode()) <= MOST_SECTION_BYTES for section in sections), page.path
        assert all(section.windows for section in sections), page.path


def test_every_labelled_page_and_every_page_with_other_names_is_there(pages: list[Page]) -> None:
    there = {page.path for page in pages}

    assert {path for query in labelled() for path in query.pages} - there == set()
    assert {*page_names()} - there == set()


def test_the_methods_that_pages_call_are_found(pages: list[Page], catalog: Catalog) -> None:
    labeller = ToolLabeller(catalog)
    by_path = {page.path: page for page in pages}

    def tools(path: str) -> set[str]:
        page = by_path[path]
        return {tool for labels in labeller(page, sections_of(page)) for tool in labels}

    assert {"tables_db_create_row", "tables_db_list_rows"} <= tools("/docs/products/databases/tablesdb/rows")
    assert "account_create_magic_url_token" in tools("/docs/products/auth/magic-url")
    assert "messaging_create_email" in tools("/docs/products/messaging/send-email-messages")


async def test_words_alone_find_half_of_the_labelled_pages_first(source: str, tmp_path: Path, catalog: Catalog) -> None:
    request = SyncRequest(source, names=page_names(), encode=False)
    labeller = ToolLabeller(catalog)
    await sync_docs(tmp_path, request, encoder=WordEncoder, labeller=labeller, report=lambda *_: None)

    index, queries = DocsIndex(tmp_path), labelled()
    right = [index.search(query.text, None, limit=1)[0].path in query.pages for query in queries]

    assert sum(right) / len(right) >= _BOUND
