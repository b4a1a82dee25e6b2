"""A method and its arguments as the request that the SDK would send. Nothing is sent, read or written.

    arguments -> (path | query or body | file) -> RequestPlan -> chunks of it, when the file is large

Three differences from the SDK are meant. A path argument cannot leave its segment (`paths`). An upload never asks first
whether an earlier one can be resumed: the SDK's GET for that is not part of the call that was judged, and its answer
would decide what is sent. And an upload under a new id (`unique()`) in several chunks works.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from handrail.appwrite.catalog.model import Encoding, Method, Parameter, Place
from handrail.appwrite.encoding import check_value, flatten
from handrail.appwrite.files import file_part
from handrail.appwrite.files_on_disk import UploadRoots
from handrail.appwrite.paths import fill_path, path_segment
from handrail.appwrite.plan import FilePart, JsonBody, MultipartBody, RequestPlan
from handrail.arguments import UnknownName
from handrail.errors import ArgumentError, UnavailableError
from handrail.json_types import Json, JsonMapping, JsonObject

__all__ = ["CHUNK_SIZE", "UploadIdError", "chunks", "plan_request", "with_upload_id"]

CHUNK_SIZE: Final = 5 * 1024 * 1024
"""Bytes of one chunk of an upload; the server counts chunks in this size."""

_NEW_ID: Final = "unique()"  # the server makes an id of its own
_NULL_FIELD: Final = "None"  # a form has no null; this is what the SDK makes of one inside a value
_UPLOAD_ID_HEADER: Final = "x-appwrite-id"
_HEADER_SAFE: Final = re.compile(r"[\x21-\x7e]+")


class UploadIdError(UnavailableError):
    """The answer to an upload's first chunk gives an id that cannot be sent with the rest. `data["id"]`."""

    type = "upload_id_invalid"


def plan_request(
    method: Method, arguments: JsonMapping, *, config: Mapping[str, str], files: UploadRoots | None = None
) -> RequestPlan:
    """The request that a call of a method sends.

    Args:
        method: from the catalog.
        arguments: by their SDK names, checked against the method's schema before.
        config: settings that some paths need, as `project`.
        files: where files on disk may be sent from; none by default. One that is named is looked at, not read.

    Raises:
        ArgumentError: an argument is unknown, missing, empty where that means nothing, or cannot be sent.
        RefusedError: a file on disk must not be sent.
        ConfigMissingError: a setting that the path needs is missing.
    """
    given = dict(_given(method, arguments))
    path = {p.wire_name: path_segment(p.name, given[p.name]) for p in method.parameters if p.place is Place.PATH}
    settings = {hole: config.get(key, "") for key, hole in method.config_holes}
    params = {
        p.wire_name: _encoded(p, given[p.name])
        for p in method.parameters
        if p.place is Place.PARAMS and p.name in given
    }
    in_query = method.http_method == "GET"
    return RequestPlan(
        http_method=method.http_method,
        path=fill_path(method.path, path, settings),
        query=flatten(params) if in_query else (),
        headers=method.headers,
        sends_project=method.sends_project,
        body=None if in_query else _body(method, params, given, files),
        response=method.response,
        chunk_size=CHUNK_SIZE if method.upload else None,
        upload_id=_upload_id(method, given),
    )


def chunks(plan: RequestPlan) -> tuple[RequestPlan, ...]:
    """The requests that a plan is sent as: itself, or one for each chunk of a file that is larger than one.

    They are sent one after the other. When the answer to the first one gives an id, the others go through
    `with_upload_id`.
    """
    match plan:
        case RequestPlan(
            chunk_size=int() as size, body=MultipartBody(file=FilePart(content=content) as file) as body
        ) if len(content) > size:
            # The server reads the header before the field. It would take `unique()` there for an id, and refuse it.
            first_id = None if plan.upload_id == _NEW_ID else plan.upload_id
            return tuple(
                with_upload_id(_cut(plan, body, file, slice(start, start + size)), first_id)
                for start in range(0, len(content), size)
            )
        case _:
            return (plan,)


def with_upload_id(chunk: RequestPlan, upload_id: str | None) -> RequestPlan:
    """A chunk that says which upload it belongs to; unchanged where there is no id to give.

    Raises:
        UploadIdError: the id cannot be the value of a header.
    """
    if not upload_id:
        return chunk
    if not _HEADER_SAFE.fullmatch(upload_id):
        raise UploadIdError(
            "The id of the upload cannot be sent with the rest of the file.",
            next_step="Look at what was stored before you upload again.",
            id=upload_id,
        )
    others = tuple(header for header in chunk.headers if header[0] != _UPLOAD_ID_HEADER)
    return replace(chunk, headers=(*others, (_UPLOAD_ID_HEADER, upload_id)))


def _given(method: Method, arguments: JsonMapping) -> Iterator[tuple[str, Json]]:
    """The arguments that are sent: an optional null is left out, a null that is required and allowed is kept."""
    known = {parameter.name: parameter for parameter in method.parameters}
    for name in arguments:
        if name not in known:
            raise _unknown(name, [*known])
    for name, parameter in known.items():
        value = arguments.get(name)
        if value is None and parameter.required and (name not in arguments or not parameter.nullable):
            raise _missing(parameter)
        if value == "" and parameter.required and not parameter.allow_empty:
            raise _missing(parameter)
        if value is not None or parameter.required:
            check_value(name, value)
            yield name, value


def _encoded(parameter: Parameter, value: Json) -> Json:
    if parameter.encoding is Encoding.LOWER_BOOL and isinstance(value, bool):
        return str(value).lower()
    return value


def _body(
    method: Method, params: JsonObject, given: JsonMapping, files: UploadRoots | None
) -> JsonBody | MultipartBody:
    if not dict(method.headers)["content-type"].startswith("multipart/"):
        return JsonBody(params)
    file = next((p for p in method.parameters if p.place is Place.FILE and p.name in given), None)
    part = file_part(file.name, file.wire_name, given[file.name], files) if file else None
    return MultipartBody(flatten(params, null=_NULL_FIELD), part)


def _upload_id(method: Method, given: JsonMapping) -> str | None:
    """The id that names an upload, which also travels in a header."""
    name = method.upload.id_parameter if method.upload else None
    value = given.get(name) if name is not None else None
    if name is None or not isinstance(value, str) or not value:
        return None
    if not _HEADER_SAFE.fullmatch(value):
        raise ArgumentError(
            f"'{name}' can only hold printable ASCII characters without spaces.",
            argument=name,
            next_step="Use letters, digits, '.', '-' and '_', or unique().",
            problem="value",
        )
    return value


def _cut(plan: RequestPlan, body: MultipartBody, file: FilePart, part: slice) -> RequestPlan:
    piece = replace(file, content=file.content[part])
    last = part.start + len(piece.content) - 1
    content_range = ("content-range", f"bytes {part.start}-{last}/{len(file.content)}")
    return replace(plan, body=replace(body, file=piece), headers=(*plan.headers, content_range), chunk_size=None)


def _unknown(name: str, known: list[str]) -> ArgumentError:
    said = UnknownName.among("argument", name, known)
    return ArgumentError(said.sentence, argument=name, next_step=said.next_step, problem="unknown", **said.data)


def _missing(parameter: Parameter) -> ArgumentError:
    return ArgumentError(
        f"Missing argument '{parameter.name}'.",
        argument=parameter.name,
        next_step=f"Add '{parameter.name}'; it may not be null" + (" or empty." if not parameter.allow_empty else "."),
        problem="missing",
    )
