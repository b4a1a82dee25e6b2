"""`handrail hints`: what each method may do, why, what hosts make of it, and whether a new release was looked at."""

from collections.abc import Iterator

from handrail.appwrite.catalog import Catalog, Method, installed_sdks, load_catalog, load_catalogs
from handrail.appwrite.evidence import judge, operation_of, reviewed
from handrail.cli.output import Colour, paint, print_json, print_line, print_table
from handrail.hints import Effect, Hints, effect_of
from handrail.hints.hosts import HOSTS
from handrail.home import home_folder
from handrail.json_types import Json, JsonObject
from handrail.settings import load_settings

__all__ = ["check_hints", "explain", "hint_row", "list_hints"]


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


def check_hints(*, as_json: bool) -> int:
    """Print everything about the installed SDKs that a person must look at.

    Returns:
        The exit code: 1 where something was found.

    Raises:
        OverridesError: the reviewed exceptions cannot be used.
        HintsRecordError: the record cannot be read.
    """
    from handrail.appwrite.review import review, shipped_record, source_texts

    home = home_folder(load_settings())
    pairs = [(load_catalog(home, installed.sdk), source_texts(installed)) for installed in installed_sdks()]
    findings = review(pairs, shipped_record())
    if as_json:
        rows: list[Json] = [{"kind": one.kind.value, "tool": one.tool, "message": one.message} for one in findings]
        print_json(rows)
    else:
        for one in findings:
            print_line(f"{paint(one.kind.value, Colour.BAD)}  {one.tool}: {one.message}")
        print_line(f"{sum(len(catalog) for catalog, _ in pairs)} methods, {len(findings)} findings")
    return 1 if findings else 0


def explain(tool: str, *, as_json: bool) -> None:
    """Print why a method has the hints that it has, and what hosts make of them.

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
    for label, text in (*_evidence(method), *_decision(method, effect)):
        print_line(f"  {label:<9} {text}")
    print_line("\n  As a tool of its own (`handrail serve --expose`), with a host's default settings:")
    for host in HOSTS:
        print_line(f"    {host.name}: {host.makes_of(effect.hints)}.")
    print_line(f"\n  {_here(effect)}")


def _evidence(method: Method) -> Iterator[tuple[str, str]]:
    yield "sends", f"{method.http_method} {method.path}"
    names = [f"{parameter.name}{'' if parameter.required else '?'}" for parameter in method.parameters]
    yield "takes", ", ".join(names) or "nothing"
    secret = reviewed().secret_answers.get(method.returns)
    yield "answers", f"{method.returns or 'nothing'}{f' ({secret})' if secret else ''}"


def _decision(method: Method, effect: Effect) -> Iterator[tuple[str, str]]:
    yield "hints", f"{_words(effect.hints)} ({_letters(effect.hints)})"
    yield "rule", effect.rule
    yield "because", effect.reason
    override = reviewed().judge.override_of(method.tool)
    if override is not None:
        alone = effect_of(operation_of(method))
        yield "reviewed", override.does
        yield "else", f"the rule alone, {alone.rule}, says: {_words(alone.hints)}"
    if not effect.risks:
        yield "risks", "none known"
    for risk in sorted(effect.risks):
        yield "risk", f"{risk.value}: {risk.meaning}"


def _here(effect: Effect) -> str:
    if effect.is_read:
        return "Here: appwrite_call_read_tool takes it, without confirmation."
    return "Here: only appwrite_call_tool takes it, with confirm_write: true; its arguments may add to its effect."


def _catalogs() -> Iterator[Catalog]:
    home = home_folder(load_settings())
    return (load_catalog(home, installed.sdk) for installed in installed_sdks())


def _cells(method: Method) -> list[str]:
    effect = judge(method)
    return [method.tool, _words(effect.hints), ",".join(sorted(effect.risks)), effect.rule]


def _letters(hints: Hints) -> str:
    return ", ".join(f"{name} {'yes' if said else 'no'}" for name, said in hints.as_dict().items())


def _words(hints: Hints) -> str:
    if hints.read_only:
        return "read-only" + (", asks third parties" if hints.open_world else "")
    words = ["may destroy" if hints.destructive else "only adds"]
    if hints.idempotent:
        words.append("repeatable")
    return ", ".join(words)
