"""The review of all methods: what the installed SDKs bring against the rules, the exceptions and the record.

The record (`hints_record.tsv`) comes with the package, one line a method; `scripts/update_hints_record.py` writes it.
"""

import ast
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Final

from handrail.appwrite.catalog import Catalog, InstalledSdk
from handrail.appwrite.evidence import Reviewed, operation_of, reviewed
from handrail.errors import UnavailableError
from handrail.hints.check import Finding, FindingKind, Subject, check_operations
from handrail.hints.record import RecordError, RecordRow, read_record

__all__ = ["RECORD_FILE", "HintsRecordError", "review", "shipped_record", "source_texts", "subjects_of"]

RECORD_FILE: Final = "hints_record.tsv"


class HintsRecordError(UnavailableError):
    """The record of decided hints cannot be read. `data["line"]` is the number of its line."""

    type = "hints_record_invalid"


def shipped_record() -> dict[str, RecordRow]:
    """What was decided when this version was made, by tool.

    Raises:
        HintsRecordError: a line of it cannot be read.
    """
    try:
        return read_record(resources.files("handrail.appwrite").joinpath(RECORD_FILE).read_text(encoding="utf-8"))
    except RecordError as error:
        raise HintsRecordError(str(error), next_step="Install Handrail again.", line=error.line) from error


def subjects_of(catalog: Catalog, texts: dict[str, str], judged_by: Reviewed) -> Iterator[Subject]:
    """Every method of one SDK as a subject of the review.

    Args:
        catalog: of one SDK.
        texts: docstrings by tool, as they stand in the source; the catalog's own are clean already.
        judged_by: the reviewed exceptions.
    """
    for method in catalog:
        operation = operation_of(method, judged_by.secret_answers)
        yield Subject(method.tool, method.sdk.value, operation, (texts.get(method.tool, method.description),))


def source_texts(installed: InstalledSdk) -> dict[str, str]:
    """The docstring of every method of an SDK by tool, neither cleaned nor cut."""
    return {tool: text for path in sorted((installed.folder / "services").glob("*.py")) for tool, text in _texts(path)}


def review(
    catalogs: Iterable[tuple[Catalog, dict[str, str]]], record: dict[str, RecordRow], judged_by: Reviewed | None = None
) -> list[Finding]:
    """Everything that a person must look at.

    Args:
        catalogs: each SDK's catalog with its docstrings.
        record: what was decided before.
        judged_by: the reviewed exceptions; those of the package by default.

    Raises:
        OverridesError: the exceptions cannot be used.
    """
    known = judged_by or reviewed()
    pairs = list(catalogs)
    subjects = [subject for catalog, texts in pairs for subject in subjects_of(catalog, texts, known)]
    sources = frozenset(catalog.sdk.value for catalog, _ in pairs)
    everywhere = sources >= frozenset(source for row in record.values() for source in row.sources)
    models = {method.returns for catalog, _ in pairs for method in catalog}
    stale = [_stale_answer(model) for model in known.secret_answers if everywhere and model not in models]
    return [*check_operations(subjects, known.judge, record, sources), *stale]


def _stale_answer(model: str) -> Finding:
    return Finding(FindingKind.OVERRIDE_STALE, model, "no method answers with this model; mend [secret_answers]")


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield f"{path.stem}_{node.name}", ast.get_docstring(node, clean=False) or ""
