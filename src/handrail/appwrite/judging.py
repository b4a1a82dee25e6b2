"""A call as the gate and the journal see it. Pure."""

from dataclasses import dataclass, replace

from handrail.approvals import Action, Admission, Agreement, grave_of
from handrail.appwrite.call_effects import means_every_member, risks_used
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.definitions import ALL
from handrail.appwrite.files_on_disk import StoredFile
from handrail.appwrite.plan import MultipartBody, RequestPlan
from handrail.appwrite.request import CallRequest
from handrail.errors import RefusedError
from handrail.hints import Effect
from handrail.journal import Entry
from handrail.json_types import JsonObject
from handrail.protocol.tool import Client

__all__ = [
    "EveryMemberError",
    "NotAReadError",
    "Where",
    "action_of",
    "entry_of",
    "evidence",
    "require_narrow",
    "require_read",
    "with_file",
]


class NotAReadError(RefusedError):
    """The read tool was asked for something that is not proven to be a read. `data` holds the hints and why."""

    type = "not_a_read"


class EveryMemberError(RefusedError):
    """A bulk call that nothing narrows came without saying that every member is meant. `data` holds the hints."""

    type = "every_member"


def require_read(tool: str, effect: Effect) -> None:
    """Let only a proven read pass.

    Raises:
        NotAReadError: it is not proven to be one.
    """
    if not effect.is_read:
        raise NotAReadError(
            f"{tool} is not proven to be a read: {effect.reason}.",
            next_step=f"Call it with appwrite_call_tool and confirm_write: true, if {tool} is what you want.",
            **evidence(effect),
        )


def require_narrow(method: Method, effect: Effect, request: CallRequest) -> None:
    """Let a bulk call pass that something narrows, or that says that it means every member.

    Raises:
        EveryMemberError: nothing narrows it, and it does not say so.
    """
    if means_every_member(method, request.arguments) and request.every is not True:
        raise EveryMemberError(
            f"{method.tool} without a condition in 'queries' means every member; nothing was sent.",
            next_step="Give queries that narrow it, or say all: true beside the arguments if every one is meant.",
            **evidence(effect),
        )


@dataclass(frozen=True, slots=True)
class Where:
    """Where a call goes: a project's id, the API that it is in, and whether it is the default one."""

    project: str
    endpoint: str
    is_default: bool = True


def action_of(method: Method, effect: Effect, request: CallRequest, where: Where, *, owner: str) -> Action:
    """What the gate judges.

    Args:
        method: what is called.
        effect: of this very call.
        request: as it came in.
        where: where it goes.
        owner: who calls.
    """
    deletes = method.http_method == "DELETE" or method.name.startswith("delete")
    used = replace(effect, risks=risks_used(method, effect, request.arguments))
    return Action(
        tool=method.tool,
        service=method.service,
        # What makes this very call wider is part of what is agreed to.
        arguments={**request.arguments, ALL: True} if request.every is True else dict(request.arguments),
        project=where.project,
        endpoint=where.endpoint.rstrip("/"),
        owner=owner,
        effect=effect,
        grave=grave_of(used, deletes=deletes, other_project=not where.is_default, reveal=request.reveal is True),
        summary=method.summary or method.title,
    )


def with_file(action: Action, plan: RequestPlan) -> Action:
    """The action bound to the file on disk that it would send, as it is now: another one needs another word."""
    body = plan.body
    content = body.file.content if isinstance(body, MultipartBody) and body.file is not None else None
    if not isinstance(content, StoredFile):
        return action
    return replace(action, arguments={**action.arguments, "file on disk": content.shown})


def entry_of(
    action: Action, request: CallRequest, client: Client, *, plan: RequestPlan | None, admission: Admission | None
) -> Entry:
    """What the journal keeps of a call before it is made."""
    return Entry(
        owner=action.owner,
        client=" ".join(part for part in (client.name, client.version) if part),
        surface=request.surface,
        tool=action.tool,
        project=action.project,
        arguments=action.arguments,
        hints=action.effect.hints.as_dict(),
        risks=sorted(action.effect.risks),
        rule=action.effect.rule,
        level=(admission.level if admission else Agreement.NONE).name.lower(),
        by=admission.by if admission else "",
        request_line=f"{plan.http_method} {plan.path}" if plan else "",
        # Appwrite's `key` names a column; the value of a variable has a name that says nothing.
        plain={"key"},
        secret={"value"} if "variable" in action.tool else (),
    )


def evidence(effect: Effect) -> JsonObject:
    """What an effect is and why, for somebody whose call is refused for it."""
    return {"hints": {**effect.hints.as_dict()}, "risks": [*sorted(effect.risks)], "rule": effect.rule}
