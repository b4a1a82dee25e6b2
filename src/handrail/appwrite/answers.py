"""From what came back to what became of the call. Pure."""

import re
from dataclasses import replace
from typing import Final

from handrail.appwrite.catalog.model import Method, ResponseKind
from handrail.appwrite.json_document import json_document
from handrail.appwrite.outcome import CallResult, FileContent, Outcome
from handrail.appwrite.results.failures import explained, rate_limit
from handrail.appwrite.transport import Answer, Cut
from handrail.hints import Effect
from handrail.json_types import Json, JsonObject

__all__ = ["read_answer"]

_REDIRECTS: Final = range(300, 400)
_SERVER_FAILURES: Final = range(500, 600)
_GAVE_UP: Final = frozenset({408, 499})  # whoever answers had stopped waiting; the request may have arrived
_SEE_OTHER: Final = 303  # an answer to a write that was done
_MEDIA_TYPE: Final = re.compile(r"[a-z0-9!#$&^_.+-]{1,80}/[a-z0-9!#$&^_.+-]{1,80}")
_SHOWN: Final = 200  # characters of a foreign body that an error quotes


def read_answer(method: Method, effect: Effect, answer: Answer) -> CallResult:
    """What became of a call whose answer has a status.

    A write that was accepted is done even if its answer is empty; one whose answer was cut or is no answer of
    Appwrite's is unknown, because the effect may have happened. A read that brings nothing usable has failed.
    """
    result = _read(method, effect, answer)
    limits = rate_limit(answer.headers)
    return result if limits is None else replace(result, rate_limit=limits)


def _read(method: Method, effect: Effect, answer: Answer) -> CallResult:
    if answer.status in _REDIRECTS:
        return _redirected(method, effect, answer)
    if answer.status >= _REDIRECTS.stop:
        return _error_answer(method, effect, answer)
    if answer.cut is not None:
        return _cut_answer(method, effect, answer, answer.cut)
    return _success(method, effect, answer)


def _success(method: Method, effect: Effect, answer: Answer) -> CallResult:
    if not answer.content:
        return _empty_success(method, effect, answer)
    if method.response is ResponseKind.TEXT:
        return CallResult(method.tool, Outcome.DONE, answer.status, answer.content.decode(errors="replace"))
    kind = _content_type(answer)
    if kind == "application/json":
        return _json_success(method, effect, answer)
    if method.returns or not effect.is_read:
        return _unusable(method, effect, answer, "answer_unexpected", _not_appwrite(answer))
    return _file(method, answer, kind)


def _empty_success(method: Method, effect: Effect, answer: Answer) -> CallResult:
    if effect.is_read and method.returns:
        sentence = f"Appwrite answered {answer.status} with nothing where {method.returns} was promised."
        return _unusable(method, effect, answer, "answer_empty", sentence)
    return CallResult(method.tool, Outcome.DONE, answer.status)


def _json_success(method: Method, effect: Effect, answer: Answer) -> CallResult:
    try:
        document = json_document(answer.content)
    except ValueError:
        sentence = f"The answer is no JSON that can be handed on: {_quoted(answer)}"
        return _unusable(method, effect, answer, "answer_unexpected", sentence)
    promised = isinstance(document, dict) or (effect.is_read and not method.returns)
    if not promised or _is_error(document):
        sentence = f"Status {answer.status} came with something else than was promised: {_quoted(answer)}"
        return _unusable(method, effect, answer, "answer_unexpected", sentence)
    return CallResult(method.tool, Outcome.DONE, answer.status, document)


def _is_error(document: Json) -> bool:
    """Whether a document is an error in Appwrite's own form: `{message, code, type, version}`."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("message"), str)
        and isinstance(document.get("code"), int)
        and isinstance(document.get("type"), str)
        and "version" in document
    )


def _file(method: Method, answer: Answer, kind: str) -> CallResult:
    """A file's content: text as text, everything else as bytes, with its type and size in bytes."""
    kind = kind if _MEDIA_TYPE.fullmatch(kind) else "application/octet-stream"
    about: JsonObject = {"content_type": kind, "size": len(answer.content)}
    if kind.startswith("text/"):
        try:
            return CallResult(method.tool, Outcome.DONE, answer.status, {**about, "text": answer.content.decode()})
        except UnicodeDecodeError:
            pass
    content = FileContent(kind, answer.content)
    return CallResult(method.tool, Outcome.DONE, answer.status, about, file=content)


def _error_answer(method: Method, effect: Effect, answer: Answer) -> CallResult:
    error = _appwrite_error(answer)
    if error is not None:
        return CallResult(method.tool, Outcome.FAILED, answer.status, error=error)
    lost = not effect.is_read and (answer.status in _SERVER_FAILURES or answer.status in _GAVE_UP)
    if answer.status == 404:  # noqa: PLR2004  (HTTP: not found)
        shown = _error(
            "route_missing",
            f"The server has no route for {method.http_method} {method.path}.",
            "Check that APPWRITE_ENDPOINT ends in /v1; otherwise this version of Appwrite lacks the method.",
            code=answer.status,
        )
    else:
        shown = _error(
            "answer_not_appwrite",
            _not_appwrite(answer),
            _check_first(method) if lost else "Check APPWRITE_ENDPOINT and the state of the server.",
            code=answer.status,
        )
    return CallResult(method.tool, Outcome.UNKNOWN if lost else Outcome.FAILED, answer.status, error=shown)


def _appwrite_error(answer: Answer) -> JsonObject | None:
    """The error in Appwrite's own words with the next step, or None where the answer is not one of Appwrite's."""
    try:
        body = json_document(answer.content)
    except ValueError:
        return None
    if not isinstance(body, dict) or not _is_error(body):
        return None
    return explained(str(body["type"]), answer.status, str(body["message"]), answer.headers)


def _redirected(method: Method, effect: Effect, answer: Answer) -> CallResult:
    location = answer.headers.get("location", "")
    if method.response is ResponseKind.LOCATION:
        return CallResult(method.tool, Outcome.DONE, answer.status, location)
    if answer.status == _SEE_OTHER and not effect.is_read:
        return _unusable(method, effect, answer, "answer_elsewhere", "The answer lies elsewhere and was not fetched.")
    error = _error(
        "redirected",
        f"The endpoint redirects to {location.partition('?')[0] or 'nowhere'}; redirects are never followed.",
        "Set APPWRITE_ENDPOINT to the address that Appwrite is really served from.",
        code=answer.status,
    )
    return CallResult(method.tool, Outcome.FAILED, answer.status, error=error)


def _cut_answer(method: Method, effect: Effect, answer: Answer, cut: Cut) -> CallResult:
    kind = "answer_too_large" if cut is Cut.SIZE else "answer_cut"
    return _unusable(method, effect, answer, kind, f"Appwrite answered {answer.status}, but {cut.value}.")


def _unusable(method: Method, effect: Effect, answer: Answer, kind: str, sentence: str) -> CallResult:
    """A success whose body cannot be used: a read has failed; of a write nobody knows."""
    if effect.is_read:
        error = _error(kind, sentence, "Check APPWRITE_ENDPOINT, or ask for less at once.", code=answer.status)
        return CallResult(method.tool, Outcome.FAILED, answer.status, error=error)
    error = _error(kind, sentence, _check_first(method), code=answer.status)
    return CallResult(method.tool, Outcome.UNKNOWN, answer.status, error=error)


def _check_first(method: Method) -> str:
    return f"Read the {method.service} resource to see whether {method.tool} took effect before you repeat it."


def _not_appwrite(answer: Answer) -> str:
    kind = _content_type(answer) or "an untyped body"
    return f"Status {answer.status} came with {kind}, which is no answer of Appwrite's: {_quoted(answer)}"


def _content_type(answer: Answer) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()


def _quoted(answer: Answer) -> str:
    text = answer.content[: 4 * _SHOWN].decode(errors="replace")
    return repr(" ".join(text.split())[:_SHOWN])


def _error(kind: str, message: str, next_step: str, *, code: int | None) -> JsonObject:
    return {"type": kind, "code": code, "message": message, "next": next_step}
