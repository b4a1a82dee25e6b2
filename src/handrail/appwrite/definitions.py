"""The public tools as a host lists them: names, words, schemas, hints."""

from enum import StrEnum
from typing import Final

from handrail.appwrite.read_many import MOST_READS
from handrail.arguments import object_schema
from handrail.hints import LOCAL_READ, REMOTE_READ, annotations_for_gateway
from handrail.json_types import JsonObject
from handrail.protocol.tool import Refusal, ServerTool, ToolHandler

__all__ = [
    "ALL",
    "ALL_SCHEMA",
    "APPROVAL",
    "APPROVAL_SCHEMA",
    "CONFIRM_WRITE",
    "CONFIRM_WRITE_SCHEMA",
    "DEFAULT_HITS",
    "DEFAULT_SECTIONS",
    "TOKEN",
    "PublicTool",
    "public_tool",
]

DEFAULT_HITS: Final = 8
"""How many tools a search answers unless it is told otherwise."""

DEFAULT_SECTIONS: Final = 4
"""How many sections of the documentation a search answers unless it is told otherwise."""

CONFIRM_WRITE: Final = "confirm_write"
"""The argument that confirms a write."""

CONFIRM_WRITE_SCHEMA: Final[JsonObject] = {
    "type": "boolean",
    "description": "Exactly true, once this write is wanted.",
}
"""Its JSON schema."""

APPROVAL: Final = "approval"
"""The argument that names an approval."""

APPROVAL_SCHEMA: Final[JsonObject] = {
    "type": "string",
    "description": "The id that needs_approval gave, once approved.",
}
"""Its JSON schema."""

ALL: Final = "all"
"""The argument that says that a bulk call without a condition means every member."""

ALL_SCHEMA: Final[JsonObject] = {"type": "boolean", "description": "Bulk without queries: every member is meant."}
"""Its JSON schema."""

TOKEN: Final = "token"  # noqa: S105  (the name of an argument)
"""The argument that brings a preview's token along, where one does for grave calls."""

_TOKEN_SCHEMA: Final[JsonObject] = {
    "type": "string",
    "maxLength": 200,
    "description": "The token of this call's preview.",
}

_MOST_HITS: Final = 25


class PublicTool(StrEnum):
    """The tools that a host sees."""

    CONTEXT = "appwrite_get_context"
    SEARCH = "appwrite_search_tools"
    DOCS = "appwrite_search_docs"
    READ = "appwrite_call_read_tool"
    PREVIEW = "appwrite_preview_call"
    CALL = "appwrite_call_tool"


_TITLES: Final = {
    PublicTool.CONTEXT: "Get Appwrite context",
    PublicTool.SEARCH: "Search Appwrite tools",
    PublicTool.DOCS: "Search Appwrite docs",
    PublicTool.READ: "Call an Appwrite read",
    PublicTool.PREVIEW: "Preview an Appwrite call",
    PublicTool.CALL: "Call any Appwrite method",
}

_DESCRIPTIONS: Final = {
    PublicTool.CONTEXT: "Project, endpoint, server version, what the key may read, services. "
    "Begin here when calls fail.",
    PublicTool.SEARCH: "Find the Appwrite method for a job: safety hints of each hit, the argument schema of the first "
    "ones. Call one with appwrite_call_read_tool if its readOnlyHint is true, else with appwrite_call_tool.",
    PublicTool.DOCS: "Ask Appwrite's documentation how something works: sections with their link and their tools.",
    PublicTool.READ: "Call an Appwrite method that is proven to change nothing; others are refused. Or several at "
    "once (calls), or a page of an earlier answer (result_id, page).",
    PublicTool.PREVIEW: "What a call would do, without doing it: request, risks, what is there now, who must agree.",
    PublicTool.CALL: "Call any Appwrite method. A write needs confirm_write: true; a grave one a person: "
    "needs_approval says what to do. Outcomes: done, refused (nothing was sent), failed, unknown (a write's answer was "
    "lost: look before you repeat).",
}

_TOOL_NAME: Final[JsonObject] = {
    "type": "string",
    "description": "Such as tables_db_list_rows.",
}
_ARGUMENTS: Final[JsonObject] = {
    "type": "object",
    "description": "By their snake_case names.",
}
_PROJECT: Final[JsonObject] = {"type": "string", "description": "A profile's name."}
# How long a text may be is for who reads it to say: each of these is checked there, and the listing stays short.
_OF_EVERY_CALL: Final[JsonObject] = {
    "page": {"type": "integer", "minimum": 1},
    "pick": {"type": "string", "description": "JMESPath."},
    "reveal": {"type": "boolean", "description": "Show secrets: a person must agree."},
    "project": _PROJECT,
    "save_as": {"type": "string", "description": "In the download folder."},
}
_PROPERTIES: Final[dict[PublicTool, JsonObject]] = {
    PublicTool.CONTEXT: {},
    PublicTool.SEARCH: {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2000,
            "description": "What to do, in plain words, or a tool's name.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": _MOST_HITS,
            "default": DEFAULT_HITS,
        },
        "services": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Only these, such as tables_db.",
        },
    },
    PublicTool.DOCS: {
        "query": {"type": "string", "minLength": 1, "maxLength": 2000},
        "limit": {"type": "integer", "minimum": 1, "maximum": 10, "default": DEFAULT_SECTIONS},
        "page": {"type": "string", "description": "Only the page of this 'path'."},
    },
    PublicTool.READ: {
        "tool_name": _TOOL_NAME,
        "arguments": _ARGUMENTS,
        "calls": {
            "type": "array",
            "maxItems": MOST_READS,
            "items": object_schema({"tool_name": {"type": "string"}, "arguments": {"type": "object"}}, "tool_name"),
        },
        "result_id": {"type": "string"},
        APPROVAL: {"type": "string", "maxLength": 200},
        **_OF_EVERY_CALL,
    },
    PublicTool.PREVIEW: {"tool_name": _TOOL_NAME, "arguments": _ARGUMENTS, "project": _PROJECT, ALL: ALL_SCHEMA},
    PublicTool.CALL: {
        "tool_name": _TOOL_NAME,
        "arguments": _ARGUMENTS,
        CONFIRM_WRITE: CONFIRM_WRITE_SCHEMA,
        APPROVAL: APPROVAL_SCHEMA,
        ALL: ALL_SCHEMA,
        **_OF_EVERY_CALL,
    },
}
_REQUIRED: Final[dict[PublicTool, list[str]]] = {
    PublicTool.CONTEXT: [],
    PublicTool.SEARCH: ["query"],
    PublicTool.DOCS: ["query"],
    PublicTool.READ: [],
    PublicTool.PREVIEW: ["tool_name"],
    PublicTool.CALL: ["tool_name"],
}


def public_tool(
    tool: PublicTool, handler: ToolHandler, refusal: Refusal | None = None, *, takes_token: bool = False
) -> ServerTool:
    """A public tool with what answers it, and how it shows an error where that has a shape of its own."""
    properties = {**_PROPERTIES[tool], TOKEN: _TOKEN_SCHEMA} if takes_token else _PROPERTIES[tool]
    annotations = {
        PublicTool.CONTEXT: REMOTE_READ.annotations(),
        PublicTool.SEARCH: LOCAL_READ.annotations(),
        PublicTool.DOCS: LOCAL_READ.annotations(),
        PublicTool.READ: REMOTE_READ.annotations(),
        PublicTool.PREVIEW: REMOTE_READ.annotations(),
        PublicTool.CALL: annotations_for_gateway(),
    }
    return ServerTool(
        name=tool.value,
        title=_TITLES[tool],
        description=_DESCRIPTIONS[tool],
        input_schema=object_schema(properties, *_REQUIRED[tool]),
        annotations=annotations[tool],
        handler=handler,
        refusal=refusal,
    )
