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
    "maxLength": 200,
    "description": "The id that needs_approval gave, once approved.",
}
"""Its JSON schema."""

ALL: Final = "all"
"""The argument that says that a bulk call without a condition means every member."""

ALL_SCHEMA: Final[JsonObject] = {"type": "boolean", "description": "Bulk without queries: every member is meant."}
"""Its JSON schema."""

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
    PublicTool.CONTEXT: "Project, endpoint, server version, whether the key is accepted, and the services. "
    "Changes nothing. Begin here when calls fail.",
    PublicTool.SEARCH: "Find the Appwrite method for a job. Each hit has its safety hints; the first ones have their "
    "argument schema. Call a hit with appwrite_call_read_tool if its readOnlyHint is true, else with "
    "appwrite_call_tool.",
    PublicTool.DOCS: "Ask Appwrite's documentation: sections with their link, and the tools they are about. For "
    "concepts and how-tos.",
    PublicTool.READ: "Call an Appwrite method that is proven to change nothing; all others are refused. Or several at "
    "once (calls), or a page of an earlier answer (result_id, page).",
    PublicTool.PREVIEW: "What a call would do, without doing it: request, risks, what is there now, who must agree.",
    PublicTool.CALL: "Call any Appwrite method. A write needs confirm_write: true; a grave one a person: it answers "
    "needs_approval with what to do. Outcomes: done, refused (nothing was sent), failed, unknown (a write whose answer "
    "was lost: check before repeating).",
}

_TOOL_NAME: Final[JsonObject] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 128,
    "description": "A name from appwrite_search_tools, such as tables_db_list_rows.",
}
_ARGUMENTS: Final[JsonObject] = {
    "type": "object",
    "description": "The method's arguments by their snake_case names.",
}
_PROJECT: Final[JsonObject] = {"type": "string", "maxLength": 64, "description": "A profile's name."}
_OF_EVERY_CALL: Final[JsonObject] = {
    "page": {"type": "integer", "minimum": 1},
    "pick": {"type": "string", "maxLength": 1000, "description": "JMESPath of what is wanted."},
    "reveal": {"type": "boolean", "description": "Show secrets: a person must agree."},
    "project": _PROJECT,
    "save_as": {"type": "string", "maxLength": 255, "description": "A file in the download folder."},
}
_PROPERTIES: Final[dict[PublicTool, JsonObject]] = {
    PublicTool.CONTEXT: {},
    PublicTool.SEARCH: {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2000,
            "description": "What you want to do, in plain words, or a tool's name.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": _MOST_HITS,
            "default": DEFAULT_HITS,
            "description": "How many tools at most.",
        },
        "services": {
            "type": "array",
            "items": {"type": "string"},
            "maxItems": 50,
            "description": "Only of these services, such as tables_db or users.",
        },
    },
    PublicTool.DOCS: {
        "query": {"type": "string", "minLength": 1, "maxLength": 2000},
        "limit": {"type": "integer", "minimum": 1, "maximum": 10, "default": DEFAULT_SECTIONS},
        "page": {"type": "string", "maxLength": 512, "description": "Only the page of this 'path'."},
    },
    PublicTool.READ: {
        "tool_name": _TOOL_NAME,
        "arguments": _ARGUMENTS,
        "calls": {
            "type": "array",
            "maxItems": MOST_READS,
            "items": object_schema({"tool_name": {"type": "string"}, "arguments": {"type": "object"}}, "tool_name"),
        },
        "result_id": {"type": "string", "maxLength": 100},
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


def public_tool(tool: PublicTool, handler: ToolHandler, refusal: Refusal | None = None) -> ServerTool:
    """A public tool with what answers it, and how it shows an error where that has a shape of its own."""
    title = _TITLES[tool]
    annotations = {
        PublicTool.CONTEXT: REMOTE_READ.annotations(title),
        PublicTool.SEARCH: LOCAL_READ.annotations(title),
        PublicTool.DOCS: LOCAL_READ.annotations(title),
        PublicTool.READ: REMOTE_READ.annotations(title),
        PublicTool.PREVIEW: REMOTE_READ.annotations(title),
        PublicTool.CALL: annotations_for_gateway(),
    }
    return ServerTool(
        name=tool.value,
        title=title,
        description=_DESCRIPTIONS[tool],
        input_schema=object_schema(_PROPERTIES[tool], *_REQUIRED[tool]),
        annotations=annotations[tool],
        handler=handler,
        refusal=refusal,
    )
