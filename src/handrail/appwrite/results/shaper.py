"""What becomes of an answer before a caller sees it: mask, make visible, keep, pick, page."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import anyio.to_thread

from handrail.appwrite.catalog.model import Method
from handrail.appwrite.outcome import CallResult, FileContent, Outcome, Shown
from handrail.appwrite.results.fencing import ORIGIN, fence_document, may_hide
from handrail.appwrite.results.graphql_names import aliased_secrets
from handrail.appwrite.results.kept import (
    JSON_TYPE,
    About,
    Bounds,
    KeptResult,
    ResultNotFoundError,
    Results,
    ResultsInMemory,
    ResultsOnDisk,
)
from handrail.appwrite.results.masking import Masked, mask
from handrail.appwrite.results.paging import Pages, document_text, pages_of
from handrail.appwrite.results.picking import pick, pick_expression
from handrail.appwrite.results.pictures import about_file, beside
from handrail.errors import ArgumentError
from handrail.hints import Effect
from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.runs.view import PAGE_CHARACTERS

__all__ = ["ResultShaper", "result_shaper", "seen"]

_FOLDER: Final = "results"
_REVEALED: Final = Bounds(all=48 * 1024 * 1024, seconds=600)  # never on the disk
# What these services say is the server's own: no text of anybody who writes into the project.
_NO_DATA: Final = frozenset({"health", "locale"})
_GRAPHQL: Final = "graphql"
_AROUND: Final = 4  # characters that a value has beside its text


def seen(document: Json) -> Json:
    """A document as anybody may see it: its secrets masked, what is hidden in it visible."""
    return fence_document(mask(document).document)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What of an answer is wanted."""

    hidden: frozenset[str] | None
    reveal: bool
    page: int
    pick: str | None

    def masked(self, document: Json) -> Masked:
        """The document with its secrets masked, or not."""
        if self.reveal:
            return Masked(document, 0)
        return Masked("***", 1) if self.hidden is None else mask(document, self.hidden)


class ResultShaper:
    """Shapes answers.

    Args:
        results: where large ones are kept, masked.
        revealed: where large ones are kept whose secrets were revealed; in memory, for minutes.
    """

    def __init__(self, results: Results, revealed: Results | None = None) -> None:
        self._results = results
        self._revealed = revealed or ResultsInMemory(_REVEALED)

    def check(self, pick: str | None) -> None:
        """Check a `pick` before anything is sent.

        Raises:
            PickError: it is no JMESPath, or too long.
        """
        if pick is not None:
            pick_expression(pick)

    async def shape(
        self,
        result: CallResult,
        *,
        method: Method,
        effect: Effect,
        owner: str,
        reveal: bool = False,
        page: int = 1,
        pick: str | None = None,
        arguments: JsonMapping | None = None,
    ) -> CallResult:
        """The result as its caller sees it. Whatever cannot be applied, the outcome stays what it is.

        Args:
            result: what became of the call.
            method: what was called.
            effect: what the call can do.
            owner: who may read what is kept.
            reveal: whether secrets are shown.
            page: which page of a large answer.
            pick: JMESPath expression.
            arguments: of the call: a GraphQL query may call a secret by another name. Without them nothing of what
                GraphQL answers is shown.
        """
        if result.error is not None:
            result = replace(result, error=_shaped_error(result.error))
        origin = "" if method.service in _NO_DATA else ORIGIN
        about = About(owner, result.tool, project=result.project or "", origin=origin)
        if result.file is not None:
            return await anyio.to_thread.run_sync(self._file, result, result.file, about)
        if result.result is None or result.outcome is not Outcome.DONE:
            return result
        work = partial(
            self._document, result, about, _Wish(_hidden(method, arguments), reveal, page, pick), repeat=effect.is_read
        )
        if _is_small(result.result):
            return work()
        return await anyio.to_thread.run_sync(work)

    async def page(self, result_id: str, owner: str, page: int = 1, pick: str | None = None) -> CallResult:
        """A page of a result that is kept.

        Raises:
            ResultNotFoundError: it was never there, has expired, or belongs to somebody else.
            ArgumentError: there is no such page.
            PickError: the expression cannot be used.
        """
        self.check(pick)
        return await anyio.to_thread.run_sync(self._page, result_id, owner, page, pick)

    async def read(self, result_id: str, owner: str) -> KeptResult:
        """A result that is kept, as the resource `handrail://results/{id}` gives it.

        Raises:
            ResultNotFoundError: it was never there, has expired, or belongs to somebody else.
        """
        return await anyio.to_thread.run_sync(self._kept, result_id, owner)

    def _kept(self, result_id: str, owner: str) -> KeptResult:
        try:
            return self._revealed.get(result_id, owner)
        except ResultNotFoundError:
            return self._results.get(result_id, owner)

    def _document(self, result: CallResult, about: About, wish: _Wish, *, repeat: bool) -> CallResult:
        masked = wish.masked(result.result)
        document = masked.document
        text = document_text(document)
        if may_hide(text):
            document = fence_document(document)
            text = document_text(document)
        about = replace(about, masked=masked.count)
        kept = None
        if len(text) > PAGE_CHARACTERS:
            kept = (self._revealed if wish.reveal else self._results).keep(about, text.encode())
        shown = _shown(about, kept)
        try:
            return _paged(result, _picked(document, text, wish.pick), wish.page, shown)
        except ArgumentError as error:
            problem = error.as_json()
            if not repeat:
                problem["next"] = f"Do not repeat the call: it is done. {problem['next']}"
            return _paged(result, pages_of(document, text=text), 1, replace(shown, not_applied=problem))

    def _page(self, result_id: str, owner: str, page: int, pick: str | None) -> CallResult:
        kept = self._kept(result_id, owner)
        shown = _shown(kept.about, kept)
        if kept.about.content_type != JSON_TYPE:
            return _kept_file(kept, shown)
        document: Json = json.loads(kept.content)
        return _paged(_of_kept(kept), _picked(document, None, pick), page, shown)

    def _file(self, result: CallResult, file: FileContent, about: About) -> CallResult:
        said = about_file(file)
        about = replace(about, content_type=file.content_type)
        kept = None if "base64" in said else self._results.keep(about, file.content)
        return replace(result, result=said, file=None, shown=_shown(about, kept), blocks=beside(file, kept))


def result_shaper(home: Path | None) -> ResultShaper:
    """A shaper that keeps large results in the home folder, or in memory where there is none."""
    return ResultShaper(ResultsInMemory() if home is None else ResultsOnDisk(home / _FOLDER))


def _picked(document: Json, text: str | None, expression: str | None) -> Pages:
    if expression is None:
        return pages_of(document, text=text)
    return pages_of(pick(document, expression), picked=expression)


def _paged(result: CallResult, pages: Pages, number: int, shown: Shown) -> CallResult:
    """One page of a document. Raises `ArgumentError` where there is no such page."""
    document = pages.page(number)
    if pages.count > 1:
        shown = replace(shown, page=number, pages=pages.count, form=pages.form, size=pages.size, sha256=pages.sha256)
    return replace(result, result=document, shown=shown)


def _shown(about: About, kept: KeptResult | None) -> Shown:
    shown = Shown(origin=about.origin, masked=about.masked)
    if kept is None:
        return shown
    expires = datetime.fromtimestamp(kept.expires_at, UTC).isoformat(timespec="seconds")
    return replace(shown, result_id=kept.result_id, uri=kept.uri, expires_at=expires)


def _of_kept(kept: KeptResult) -> CallResult:
    return CallResult(kept.about.tool, Outcome.DONE, project=kept.about.project or None)


def _kept_file(kept: KeptResult, shown: Shown) -> CallResult:
    file = FileContent(kept.about.content_type, kept.content)
    return replace(_of_kept(kept), result=about_file(file), shown=shown, blocks=beside(file, kept))


def _hidden(method: Method, arguments: JsonMapping | None) -> frozenset[str] | None:
    """Names that stand for secrets in this answer only; None where nobody can know them."""
    if method.service != _GRAPHQL:
        return frozenset()
    return None if arguments is None else aliased_secrets(arguments)


def _shaped_error(error: JsonObject) -> JsonObject:
    """An error quotes what somebody else wrote: the server, or the row that did not fit."""
    shaped = seen(error)
    return shaped if isinstance(shaped, dict) else error


def _is_small(document: Json) -> bool:
    """Whether a document has less than a page, so that it is worked on faster than a thread is woken."""
    left, waiting = PAGE_CHARACTERS, [document]
    while waiting and left > 0:
        value = waiting.pop()
        match value:
            case str():
                left -= len(value) + _AROUND
            case dict():
                left -= sum(map(len, value)) + _AROUND * len(value)
                waiting.extend(value.values())
            case list():
                left -= _AROUND
                waiting.extend(value)
            case _:
                left -= _AROUND
    return left > 0
