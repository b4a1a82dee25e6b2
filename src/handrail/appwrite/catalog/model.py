"""What the catalog knows about one SDK method: all that is needed to list, check, judge and plan a call of it."""

from dataclasses import dataclass
from enum import StrEnum

from handrail.arguments import object_schema
from handrail.json_types import JsonObject

__all__ = ["Deprecation", "Encoding", "Method", "Parameter", "Place", "ResponseKind", "Sdk", "Upload"]


class Sdk(StrEnum):
    """The SDKs that a catalog can be read from, by their names on PyPI."""

    SERVER = "appwrite"
    CONSOLE = "appwrite-console"


class Place(StrEnum):
    """Where an argument travels."""

    PATH = "path"
    PARAMS = "params"  # the query of a GET, the body of everything else
    FILE = "file"


class Encoding(StrEnum):
    """How the SDK turns an argument into what it sends."""

    AS_IS = "as_is"
    LOWER_BOOL = "lower_bool"  # a boolean becomes the text `true` or `false`


class ResponseKind(StrEnum):
    """What a successful answer is."""

    JSON = "json"  # or bytes, where the server says so
    LOCATION = "location"  # the `Location` of a redirect that is not followed
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a method.

    Attributes:
        name: its snake_case name in the SDK.
        wire_name: its name in the path template, the query or the body.
        place: where it travels.
        required: whether a call without it is refused.
        nullable: whether an explicit null may be given; an optional one is left out, a required one is sent.
        allow_empty: whether an empty string is accepted by the SDK.
        schema: JSON schema of its value, with its description.
        encoding: how it is sent.
    """

    name: str
    wire_name: str
    place: Place
    required: bool
    nullable: bool
    allow_empty: bool
    schema: JsonObject
    encoding: Encoding = Encoding.AS_IS


@dataclass(frozen=True, slots=True)
class Upload:
    """A method that sends a file, in chunks when it is large.

    Attributes:
        file_parameter: the wire name of the file.
        id_parameter: the snake_case name of the argument that gives the upload's id, or None.
    """

    file_parameter: str
    id_parameter: str | None


@dataclass(frozen=True, slots=True)
class Deprecation:
    """A deprecated method: the SDK's words, and the tool that replaces it where it is known."""

    reason: str
    replacement: str | None


@dataclass(frozen=True, slots=True)
class Method:
    """One public method of one service.

    Attributes:
        tool: `service_method`, as `tables_db_create_row`; at most 64 characters.
        sdk: the SDK that it was read from.
        service: snake_case name of the service, as `tables_db`.
        name: the method's name in the SDK, as `create_row`.
        title: for people, as `Create row`.
        summary: first sentence of the docstring.
        description: the docstring before its sections, cleaned.
        http_method: in upper case.
        path: template with `{wireName}` holes.
        parameters: in the SDK's order.
        headers: constant request headers that the SDK sends with this method, its client's `x-appwrite-*` among them
            (names in lower case), without the project's.
        sends_project: whether the SDK sends `x-appwrite-project`.
        config_holes: holes of the path that the SDK fills from its configuration, as `project` -> wire name.
        response: what a successful answer is.
        upload: for methods that send a file.
        deprecation: for deprecated methods.
        returns: the SDK's name for the answer's model, or an empty string.
    """

    tool: str
    sdk: Sdk
    service: str
    name: str
    title: str
    summary: str
    description: str
    http_method: str
    path: str
    parameters: tuple[Parameter, ...]
    headers: tuple[tuple[str, str], ...]
    sends_project: bool
    config_holes: tuple[tuple[str, str], ...]
    response: ResponseKind
    upload: Upload | None
    deprecation: Deprecation | None
    returns: str

    def input_schema(self) -> JsonObject:
        """JSON schema of the arguments: an object that knows its properties and refuses others."""
        required = (parameter.name for parameter in self.parameters if parameter.required)
        return object_schema({parameter.name: parameter.schema for parameter in self.parameters}, *required)
