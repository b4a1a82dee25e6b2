"""The SDK's docstrings as documentation: one section a method, there from the first start."""

from typing import Final

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.tool_search import ToolSearch
from handrail.docs import DocsHit

__all__ = ["docstring_hits"]

_MOST_BYTES: Final = 1500


def docstring_hits(search: ToolSearch, catalog: Catalog, query: str, limit: int) -> list[DocsHit]:
    """The docstrings of the methods that fit a question best, best first.

    Args:
        search: over the methods of the catalog.
        catalog: where the docstrings are.
        query: the question.
        limit: how many at most.
    """
    found = search.find(query, limit=limit).get("tools")
    names = [(str(tool["name"]), tool.get("score")) for tool in _objects(found)]
    return [_hit(catalog.get(name), score) for name, score in names if name in catalog]


def _objects(found: object) -> list[dict[str, object]]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _hit(method: Method, score: object) -> DocsHit:
    text = f"{method.description}\n\n{method.http_method} {method.path}\n\n{_parameters(method)}"
    return DocsHit(
        path=f"sdk/{method.service}/{method.name}",
        title=method.title,
        headings=(),
        link="",
        text=_cut(text.strip()),
        labels=(method.tool,),
        score=float(score) if isinstance(score, int | float) else 0.0,
        nearness=None,
    )


def _parameters(method: Method) -> str:
    lines = (
        f"- `{one.name}`{'' if one.required else ' (optional)'}: {one.schema.get('description', '')}"
        for one in method.parameters
    )
    return "\n".join(lines)


def _cut(text: str) -> str:
    """The text in at most so many bytes, ended between characters."""
    content = text.encode()
    return text if len(content) <= _MOST_BYTES else content[: _MOST_BYTES - 3].decode(errors="ignore") + "..."
