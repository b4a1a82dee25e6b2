"""`handrail hints`: what each method may do, and why."""

from collections.abc import Iterator

from handrail.appwrite.catalog import Catalog, Method, installed_sdks, load_catalog, load_catalogs
from handrail.appwrite.evidence import judge
from handrail.cli.output import Colour, paint, print_json, print_line, print_table
from handrail.hints import Effect
from handrail.home import home_folder
from handrail.json_types import Json, JsonObject
from handrail.settings import load_settings

__all__ = ["explain", "hint_row", "list_hints"]


def hint_row(method: Method) -> JsonObject:
    """One method with its hints and the evidence for them."""
    effect = judge(method)
    return {
        "tool": method.tool,
        "sdk": method.sdk.value,
        "service": method.service,
        "method": method.name,
        "http_method": method.http_method,
        "path": method.path,
        "annotations": dict(effect.hints.as_dict()),
        "risks": [*sorted(effect.risks)],
        "rule": effect.rule,
        "reason": effect.reason,
    }


def list_hints(*, as_json: bool) -> None:
    """Print every method of every installed SDK."""
    methods = [method for catalog in _catalogs() for method in catalog]
    if as_json:
        rows: list[Json] = [hint_row(method) for method in methods]
        print_json(rows)
        return
    print_table(["tool", "hints", "risks", "rule"], [_cells(method) for method in methods])
    print_line(f"\n{len(methods)} methods; `handrail hints explain TOOL` says why.")


def explain(tool: str, *, as_json: bool) -> None:
    """Print why a method has the hints that it has.

    Raises:
        UnknownToolError: there is no such method.
    """
    method = load_catalogs(home_folder(load_settings())).get(tool)
    if as_json:
        print_json(hint_row(method))
        return
    effect = judge(method)
    print_line(paint(method.tool, Colour.STRONG))
    print_line(f"  {method.summary}")
    print_line(f"  sends   {method.http_method} {method.path}")
    print_line(f"  hints   {_words(effect)}")
    print_line(f"  risks   {', '.join(sorted(effect.risks)) or 'none known'}")
    print_line(f"  rule    {effect.rule}")
    print_line(f"  because {effect.reason}")


def _catalogs() -> Iterator[Catalog]:
    home = home_folder(load_settings())
    return (load_catalog(home, installed.sdk) for installed in installed_sdks())


def _cells(method: Method) -> list[str]:
    effect = judge(method)
    return [method.tool, _words(effect), ",".join(sorted(effect.risks)), effect.rule]


def _words(effect: Effect) -> str:
    hints = effect.hints
    if hints.read_only:
        return "read-only" + (", asks third parties" if hints.open_world else "")
    words = ["may destroy" if hints.destructive else "only adds"]
    if hints.idempotent:
        words.append("repeatable")
    return ", ".join(words)
