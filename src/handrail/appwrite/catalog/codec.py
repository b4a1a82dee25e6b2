"""A method as a JSON document and back, for the cache."""

from typing import TypedDict

from handrail.appwrite.catalog.model import (
    Deprecation,
    Encoding,
    Method,
    Parameter,
    Place,
    ResponseKind,
    Sdk,
    Upload,
)
from handrail.json_types import JsonObject

__all__ = ["CACHE_FORMAT", "MethodRecord", "from_record", "to_record"]

CACHE_FORMAT = 2
"""The number of the record's form below. Raise it with every change to the form, to the reader or to the model."""


class ParameterRecord(TypedDict):
    """A `Parameter` in JSON."""

    name: str
    wire: str
    place: str
    flags: int  # required 1, nullable 2, allow_empty 4
    encoding: str
    schema: JsonObject


class MethodRecord(TypedDict):
    """A `Method` in JSON."""

    tool: str
    sdk: str
    service: str
    name: str
    title: str
    summary: str
    description: str
    http: str
    path: str
    parameters: list[ParameterRecord]
    headers: list[tuple[str, str]]
    sends_project: bool
    config_holes: list[tuple[str, str]]
    response: str
    upload: tuple[str, str | None] | None
    deprecation: tuple[str, str | None] | None
    returns: str


def to_record(method: Method) -> MethodRecord:
    """The JSON form of a method."""
    upload, deprecation = method.upload, method.deprecation
    return {
        "tool": method.tool,
        "sdk": method.sdk.value,
        "service": method.service,
        "name": method.name,
        "title": method.title,
        "summary": method.summary,
        "description": method.description,
        "http": method.http_method,
        "path": method.path,
        "parameters": [_parameter_record(parameter) for parameter in method.parameters],
        "headers": [*method.headers],
        "sends_project": method.sends_project,
        "config_holes": [*method.config_holes],
        "response": method.response.value,
        "upload": (upload.file_parameter, upload.id_parameter) if upload else None,
        "deprecation": (deprecation.reason, deprecation.replacement) if deprecation else None,
        "returns": method.returns,
    }


def from_record(record: MethodRecord) -> Method:
    """The method of a JSON form that `to_record` made."""
    upload, deprecation = record["upload"], record["deprecation"]
    return Method(
        tool=record["tool"],
        sdk=Sdk(record["sdk"]),
        service=record["service"],
        name=record["name"],
        title=record["title"],
        summary=record["summary"],
        description=record["description"],
        http_method=record["http"],
        path=record["path"],
        parameters=tuple(_parameter(parameter) for parameter in record["parameters"]),
        headers=tuple((name, value) for name, value in record["headers"]),
        sends_project=record["sends_project"],
        config_holes=tuple((key, hole) for key, hole in record["config_holes"]),
        response=ResponseKind(record["response"]),
        upload=Upload(*upload) if upload else None,
        deprecation=Deprecation(*deprecation) if deprecation else None,
        returns=record["returns"],
    )


def _parameter_record(parameter: Parameter) -> ParameterRecord:
    return {
        "name": parameter.name,
        "wire": parameter.wire_name,
        "place": parameter.place.value,
        "flags": parameter.required | parameter.nullable << 1 | parameter.allow_empty << 2,
        "encoding": parameter.encoding.value,
        "schema": parameter.schema,
    }


def _parameter(record: ParameterRecord) -> Parameter:
    flags = record["flags"]
    return Parameter(
        name=record["name"],
        wire_name=record["wire"],
        place=Place(record["place"]),
        required=bool(flags & 1),
        nullable=bool(flags & 2),
        allow_empty=bool(flags & 4),
        schema=record["schema"],
        encoding=Encoding(record["encoding"]),
    )
