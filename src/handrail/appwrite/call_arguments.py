"""The arguments of the call tools as a `CallRequest`. They have been checked against the tools' schemas. Pure."""

from enum import Enum, auto
from typing import cast

from handrail.approvals import Consent
from handrail.appwrite.definitions import ALL, APPROVAL, CONFIRM_WRITE, TOKEN, PublicTool
from handrail.appwrite.request import CallRequest
from handrail.errors import ArgumentError
from handrail.json_types import JsonMapping, JsonObject

__all__ = ["Reading", "batch_requests", "reading_kind", "request_of"]

_KINDS = ("tool_name", "calls", "result_id")


class Reading(Enum):
    """What a call of the read tool asks for."""

    ONE = auto()
    BATCH = auto()
    PAGE = auto()


def reading_kind(arguments: JsonMapping) -> Reading:
    """What a call of the read tool asks for.

    Raises:
        ArgumentError: none of the three, or more than one.
    """
    given = [name for name in _KINDS if name in arguments]
    if len(given) != 1:
        raise ArgumentError(
            "Exactly one of 'tool_name', 'calls' and 'result_id' must be given.",
            argument=given[1] if given else "tool_name",
            next_step="Give tool_name for one read, calls for several, result_id for a page of an earlier answer.",
        )
    return {"tool_name": Reading.ONE, "calls": Reading.BATCH, "result_id": Reading.PAGE}[given[0]]


def request_of(arguments: JsonMapping, surface: str, *, reads_only: bool = False) -> CallRequest:
    """One call of a call tool.

    Args:
        arguments: of the tool.
        surface: the tool's name.
        reads_only: whether only a proven read may be called.
    """
    return CallRequest(
        tool=str(arguments["tool_name"]),
        arguments=cast("JsonObject", arguments.get("arguments", {})),
        surface=surface,
        reads_only=reads_only,
        consent=Consent(
            confirm_write=arguments.get(CONFIRM_WRITE),
            approval=arguments.get(APPROVAL),
            token=arguments.get(TOKEN),
        ),
        every=arguments.get(ALL),
        reveal=arguments.get("reveal"),
        project=cast("str | None", arguments.get("project")),
        page=cast("int", arguments.get("page", 1)),
        pick=cast("str | None", arguments.get("pick")),
        save_as=cast("str | None", arguments.get("save_as")),
    )


def batch_requests(arguments: JsonMapping) -> list[CallRequest]:
    """The reads of a batch; what stands beside `calls` is for all of them."""
    shared = {name: value for name, value in arguments.items() if name not in {*_KINDS, "arguments", "save_as"}}
    calls = cast("list[JsonObject]", arguments["calls"])
    return [request_of({**shared, **one}, PublicTool.READ.value, reads_only=True) for one in calls]
