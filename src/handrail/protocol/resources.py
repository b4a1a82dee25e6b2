"""Resources: the records of runs, readable while they work and after whatever ended them, and what toolsets have.

run://{run_id}/summary        its summary, or where it stands
run://{run_id}/steps          its decisions, the end of them where there are many
run://{run_id}/log            what it said of where it stands
run://{run_id}/result         its whole result, however large
run://{run_id}/files/{+name}  a file that it recorded, by its name
"""

import base64
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar
from urllib.parse import unquote

import anyio.to_thread
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from handrail.arguments import short_name
from handrail.errors import NotFoundError, UnavailableError
from handrail.json_types import Json
from handrail.protocol.context import Context, is_modern, owner_of_request
from handrail.protocol.resource_source import ResourceSource
from handrail.runs import (
    RecordNameError,
    RecordTail,
    Run,
    RunEngine,
    RunRecords,
    listed_view,
    result_text,
)

__all__ = ["PAGE", "Resources"]

PAGE: Final = 50
"""Runs in one page of `resources/list`."""

_NOT_FOUND_BEFORE_2026: Final = -32002
_JSON: Final = "application/json"
_JSON_LINES: Final = "application/jsonl"
_URI: Final = re.compile(r"run://([A-Za-z0-9_-]{1,100})/(?:(summary|steps|log|result)|files/(.{1,2000}))")
_TEMPLATES: Final = (
    ("summary", "The summary of a run", "What a run came to, or where it stands.", _JSON),
    ("steps", "The steps of a run", "One decision on a line, with the name of its trial.", _JSON_LINES),
    ("log", "The log of a run", "What a run said of where it stood, and when.", _JSON_LINES),
    ("result", "The result of a run", "The whole result, where get_run gives pages.", _JSON),
    ("files/{+name}", "A file of a run", "A file of a run's record, such as config.json.", None),
)
_TEXT: Final = {"json": _JSON, "jsonl": _JSON_LINES, "txt": "text/plain", "log": "text/plain", "csv": "text/csv",
                "md": "text/markdown", "html": "text/html", "svg": "image/svg+xml"}  # fmt: skip
_BINARY: Final = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
                  "gif": "image/gif", "pdf": "application/pdf", "zip": "application/zip"}  # fmt: skip

_FoundT = TypeVar("_FoundT")
_Contents = TextResourceContents | BlobResourceContents


class RecordsUnreadableError(UnavailableError):
    """The records cannot be read. `data["problem"]` holds the system's own words."""

    type = "records_unreadable"


@dataclass(frozen=True, slots=True)
class _Place:
    """What a URI names: one of the views of a run, or a file of its record (then `view` is None)."""

    uri: str
    run_id: str
    view: str | None
    name: str

    @classmethod
    def of(cls, uri: str) -> "_Place | None":
        found = _URI.fullmatch(uri)
        return cls(uri, found[1], found[2], unquote(found[3] or "")) if found else None


class Resources:
    """Answers `resources/*` from the runs of one engine, from their records, and from what toolsets have.

    Args:
        engine: keeps the runs; None where there are none.
        records: their records, likewise.
        others: what toolsets have.
    """

    def __init__(
        self, engine: RunEngine | None, records: RunRecords | None, others: Sequence[ResourceSource] = ()
    ) -> None:
        self._engine = engine
        self._records = records
        self._others = others

    async def list_resources(self, _ctx: Context, params: PaginatedRequestParams) -> ListResourcesResult:
        """Answer `resources/list`: what toolsets have, then the summaries of the caller's runs, newest first."""
        others = [_listed_other(source) for source in self._others if not source.variable and params.cursor is None]
        if self._engine is None or self._records is None:
            if params.cursor is not None:
                raise MCPError(INVALID_PARAMS, "Invalid cursor")
            return ListResourcesResult(resources=others)
        try:
            page = await self._engine.list_runs(owner_of_request(), limit=PAGE, cursor=params.cursor)
        except UnavailableError:
            if params.cursor is not None or not others:
                raise
            return ListResourcesResult(resources=others)  # a store that cannot be used hides nothing else
        return ListResourcesResult(
            resources=[*others, *(_listed(run) for run in page.runs)], next_cursor=page.next_cursor
        )

    async def list_templates(self, _ctx: Context, params: PaginatedRequestParams) -> ListResourceTemplatesResult:
        """Answer `resources/templates/list`: all on one page.

        Raises:
            MCPError: a cursor, where there is no other page (-32602).
        """
        if params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "Invalid cursor")
        templates = [
            ResourceTemplate(
                uri_template=f"run://{{run_id}}/{path}",
                name=f"run-{path.partition('/')[0]}",
                title=title,
                description=said,
                mime_type=mime,
            )
            for path, title, said, mime in (_TEMPLATES if self._records is not None else ())
        ]
        templates += [_template_other(source) for source in self._others if source.variable]
        return ListResourceTemplatesResult(resource_templates=templates)

    async def read(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Answer `resources/read`.

        Raises:
            MCPError: there is no such resource, or it is of another owner's run (-32602, before 2026-07-28 -32002).
            RecordTooLargeError: the file is too large to be given.
            RecordsUnreadableError: the disk does not give it.
        """
        place = _Place.of(params.uri)
        other = next((source for source in self._others if _names(source, params.uri)), None)
        try:
            if other is not None:
                return ReadResourceResult(contents=[await _other(other, params.uri)])
            if place is None or self._engine is None or self._records is None:
                raise _not_found(ctx, params.uri)
            run = await self._engine.get(place.run_id, owner_of_request())
            return ReadResourceResult(contents=[await self._contents(run, place, self._records)])
        except (NotFoundError, RecordNameError) as error:
            raise _not_found(ctx, params.uri, error.next_step) from None

    async def _contents(self, run: Run, place: _Place, records: RunRecords) -> _Contents:
        match place.view:
            case "summary":
                written = await _read(lambda: records.summary(run.run_id))
                return _text(place, _JSON, json.dumps(listed_view(run)) if written is None else _decoded(written))
            case "steps":
                hint = "files/TRIAL/agent/ticks.jsonl"
                return _lines(place, await _read(lambda: records.steps(run.run_id)), hint)
            case "log":
                return _lines(place, await _read(lambda: records.log(run.run_id)), "files/log.jsonl")
            case "result":
                if run.result is None:
                    raise NotFoundError("The run has no result.", next_step="get_run waits for the run's result.")
                return _text(place, _JSON, result_text(run.result).text)
            case _:
                return _file(place, await _read(lambda: records.file(run.run_id, place.name)))


async def _read(read: Callable[[], _FoundT]) -> _FoundT:
    """Read in a thread: a slow disk must not keep anybody else waiting."""
    try:
        return await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
    except OSError as error:
        problem = error.strerror or type(error).__name__
        raise RecordsUnreadableError(
            f"The run's record cannot be read: {problem}.", next_step="get_run still shows the run.", problem=problem
        ) from error


def _names(source: ResourceSource, uri: str) -> bool:
    return uri.startswith(source.prefix) if source.variable else uri == source.prefix


async def _other(source: ResourceSource, uri: str) -> _Contents:
    found = await source.read(uri.removeprefix(source.prefix), owner_of_request())
    if isinstance(found.content, str):
        return TextResourceContents(uri=uri, mime_type=found.mime_type, text=found.content)
    return BlobResourceContents(uri=uri, mime_type=found.mime_type, blob=base64.b64encode(found.content).decode())


def _listed_other(source: ResourceSource) -> Resource:
    return Resource(
        uri=source.prefix,
        name=source.name,
        title=source.title,
        description=source.description,
        mime_type=source.mime_type,
    )


def _template_other(source: ResourceSource) -> ResourceTemplate:
    return ResourceTemplate(
        uri_template=f"{source.prefix}{{{source.variable}}}",
        name=source.name,
        title=source.title,
        description=source.description,
        mime_type=source.mime_type,
    )


def _listed(run: Run) -> Resource:
    return Resource(
        uri=f"run://{run.run_id}/summary",
        name=run.run_id,
        title=f"{run.agent}: {run.status.value}",
        description=run.message or None,
        mime_type=_JSON,
    )


def _text(place: _Place, mime: str, text: str) -> _Contents:
    return TextResourceContents(uri=place.uri, mime_type=mime, text=text)


def _lines(place: _Place, tail: RecordTail, whole: str) -> _Contents:
    """JSON Lines. Where the beginning is left out, a first line says so, and where it is."""
    lines = list(tail.lines)
    if tail.cut:
        note: Json = {"cut": True, "note": "Only the end is shown.", "whole": f"run://{place.run_id}/{whole}"}
        lines.insert(0, json.dumps(note))
    return _text(place, _JSON_LINES, "".join(f"{line}\n" for line in lines))


def _file(place: _Place, content: bytes) -> _Contents:
    """A file as text where its name says that it is one and its bytes agree, else as bytes."""
    ending = place.name.rpartition(".")[2].lower()
    if ending in _TEXT:
        try:
            return _text(place, _TEXT[ending], content.decode())
        except UnicodeDecodeError:
            pass
    mime = _BINARY.get(ending, "application/octet-stream")
    return BlobResourceContents(uri=place.uri, mime_type=mime, blob=base64.b64encode(content).decode())


def _decoded(content: bytes) -> str:
    return content.decode(errors="replace")


def _not_found(ctx: Context, uri: str, next_step: str | None = None) -> MCPError:
    code = INVALID_PARAMS if is_modern(ctx) else _NOT_FOUND_BEFORE_2026
    step = next_step or "resources/templates/list shows what there is of a run."
    return MCPError(code, "Resource not found", {"uri": short_name(uri), "next": step})
