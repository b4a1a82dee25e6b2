"""`handrail docs` and `handrail docs search`."""

from functools import partial
from typing import Any, cast

import anyio

from handrail.appwrite.catalog import load_catalogs
from handrail.appwrite.docs_tool import DocsSearch
from handrail.appwrite.tool_search import ToolSearch
from handrail.cli.output import Colour, paint, print_json, print_line, print_note
from handrail.docs import DocsIndex, docs_folder
from handrail.encoder import load_encoder
from handrail.home import home_folder
from handrail.lazy import Lazy
from handrail.settings import load_settings

__all__ = ["search", "show_index"]


def search(query: str, *, limit: int, page: str, as_json: bool) -> None:
    """Print the sections that answer a question.

    Raises:
        ArgumentError: there is no word in the question, or no such page.
    """
    found = anyio.run(_found, query, limit, page)
    if as_json:
        print_json(found)
        return
    sections = cast("list[dict[str, Any]]", found["sections"])
    if not sections:
        print_line("Nothing fits; try other words.")
    for section in sections:
        print_line(paint(" > ".join([section["title"], *section["headings"]]), Colour.STRONG))
        print_line(paint(section["link"] or section["path"], Colour.QUIET))
        print_line(section["text"])
        if section["tools"]:
            print_line(paint(f"methods: {', '.join(section['tools'])}", Colour.QUIET))
        print_line()
    if "next" in found:
        print_note(str(found["next"]))


async def _found(query: str, limit: int, page: str) -> dict[str, Any]:
    home = home_folder(load_settings())
    catalog = Lazy.of(partial(load_catalogs, home))
    docs = DocsSearch(docs_folder(home), catalog, catalog.then(ToolSearch), Lazy.of(load_encoder))
    return await docs.find(query, limit=limit, page=page)


def show_index(*, as_json: bool) -> None:
    """Print what the index holds.

    Raises:
        DocsIndexError: there is none that can be used.
    """
    about = DocsIndex(docs_folder(home_folder(load_settings()))).about()
    if as_json:
        print_json(about)
        return
    ranked = "by meaning and words" if about["vectors"] else "by words alone"
    print_line(f"{about['pages']} pages in {about['sections']} sections, searched {ranked}.")
    print_line(f"Built from {about['source']} at {about['built_at']}.")
