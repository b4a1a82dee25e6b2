"""What became of a call, in the one shape that every face shows."""

from base64 import b64encode
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mcp_types import ContentBlock

from handrail.errors import HandrailError
from handrail.json_types import Json, JsonObject
from handrail.protocol.tool import ToolAnswer

__all__ = ["CallResult", "FileContent", "Outcome", "Shown", "failed", "needs_approval", "refused", "tool_answer"]

_HOW_TO_REVEAL: Final = "Secrets are shown as ***; reveal: true shows them, once a person agrees."


class Outcome(StrEnum):
    """What became of a call."""

    DONE = "done"
    NEEDS_APPROVAL = "needs_approval"
    REFUSED = "refused"  # nothing was sent
    FAILED = "failed"  # it had no effect, as far as Appwrite says
    UNKNOWN = "unknown"  # a write went out and its answer was lost


@dataclass(frozen=True, slots=True)
class FileContent:
    """What a method that gives a file gave.

    Attributes:
        content_type: as the server says, in lower case without parameters.
        content: the bytes.
    """

    content_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Shown:
    """How much of an answer is shown, and what was done to it.

    Attributes:
        origin: what the result is, where it holds data of other people's; else an empty string.
        masked: how many secrets in the whole answer stand as `***`.
        result_id: names the whole, where it is kept.
        uri: the resource that the whole can be read as.
        expires_at: until when, in ISO 8601.
        page: which page this is; the first is 1.
        pages: how many there are.
        form: `items` where pages share out the items of a list, `text` where they are pieces of one text.
        size: characters of JSON of the whole, or bytes of a file.
        sha256: of the same.
        not_applied: `{type, message, next, ...}` of a `page` or `pick` that could not be applied.
    """

    origin: str = ""
    masked: int = 0
    result_id: str | None = None
    uri: str | None = None
    expires_at: str | None = None
    page: int = 1
    pages: int = 1
    form: str | None = None
    size: int | None = None
    sha256: str | None = None
    not_applied: JsonObject | None = None

    @property
    def next_page(self) -> int | None:
        """The number of the next page, or None."""
        return self.page + 1 if self.page < self.pages else None

    def as_json(self) -> JsonObject:
        """What there is to say, beside the result."""
        said: JsonObject = {"origin": self.origin} if self.origin else {}
        if self.masked:
            said["masked"] = {"count": self.masked, "next": _HOW_TO_REVEAL}
        if self.result_id is not None:
            said.update(result_id=self.result_id, uri=self.uri, expires_at=self.expires_at)
        if self.pages > 1:
            said.update(page=self.page, pages=self.pages, pages_of=self.form)
        if self.size is not None:
            said.update(size=self.size, sha256=self.sha256)
        return {**said, "not_applied": self.not_applied} if self.not_applied else said


@dataclass(frozen=True, slots=True)
class CallResult:
    """What became of one call.

    Attributes:
        tool: the method's tool name, as asked for.
        outcome: what became of it.
        status: the HTTP status, where there was an answer.
        result: Appwrite's JSON, untouched until it is shaped for a caller.
        error: `{type, code, message, next}` and what more is known, or None.
        file: the file that the answer is; its content is not in `result`.
        rate_limit: `{limit, remaining, reset}` as the answer's headers say.
        shown: how the result was shaped; None before that.
        blocks: what is shown beside the document: an image, or a link to what is kept.
        journal_id: of the row in the journal, where there is one.
        project: where it went, or would have gone.
    """

    tool: str
    outcome: Outcome
    status: int | None = None
    result: Json = None
    error: JsonObject | None = None
    file: FileContent | None = None
    rate_limit: JsonObject | None = None
    shown: Shown | None = None
    blocks: tuple[ContentBlock, ...] = ()
    journal_id: str | None = None
    project: str | None = None

    def as_json(self) -> JsonObject:
        """The result as every face shows it. A file that was not shaped comes as base64, whatever its size."""
        document: JsonObject = {
            "tool": self.tool,
            "outcome": self.outcome.value,
            "status": self.status,
            "result": self._result_with_file(),
            "error": self.error,
            "project": self.project,
            "journal_id": self.journal_id,
            "next_page": self.shown.next_page if self.shown else None,
        }
        if self.rate_limit is not None:
            document["rate_limit"] = self.rate_limit
        return {**document, **self.shown.as_json()} if self.shown else document

    def _result_with_file(self) -> Json:
        if self.file is None or not isinstance(self.result, dict):
            return self.result
        return {**self.result, "base64": b64encode(self.file.content).decode()}


def tool_answer(result: CallResult) -> ToolAnswer:
    """The result as a tool answers it; whatever is not done is an error, so that nobody takes it for done."""
    return ToolAnswer(result.as_json(), is_error=result.outcome is not Outcome.DONE, content=result.blocks)


def refused(tool: str, error: HandrailError) -> CallResult:
    """A call that was not sent."""
    return CallResult(tool, Outcome.REFUSED, error=error.as_json())


def needs_approval(tool: str, error: HandrailError) -> CallResult:
    """A call that waits for a person. Nothing was sent."""
    return CallResult(tool, Outcome.NEEDS_APPROVAL, error=error.as_json())


def failed(tool: str, error: HandrailError) -> CallResult:
    """A call that did not reach Appwrite, or whose answer cannot be used."""
    return CallResult(tool, Outcome.FAILED, error=error.as_json())
