"""`handrail call`: one Appwrite method from a terminal, through the same gate as a host's call."""

from dataclasses import dataclass

import anyio

from handrail.approvals import Consent
from handrail.appwrite import CallResult, Outcome
from handrail.appwrite.request import CallRequest
from handrail.cli.caller import AtTerminal
from handrail.cli.given import json_object
from handrail.cli.output import Colour, paint, print_json, print_line, status_line
from handrail.cli.signals import ending_cleanly
from handrail.composition import open_calls
from handrail.errors import HandrailError
from handrail.json_types import JsonObject
from handrail.settings import Settings

__all__ = ["CallOptions", "call_tool"]

_USAGE_ERRORS = frozenset({"argument_invalid", "tool_unknown"})


@dataclass(frozen=True, slots=True)
class CallOptions:
    """What comes with a call at a terminal, beside its arguments."""

    confirm_write: bool = False
    approval: str | None = None
    every: bool = False
    reveal: bool = False
    project: str | None = None
    page: int = 1
    pick: str | None = None
    save_as: str | None = None
    preview: bool = False


def call_tool(
    tool: str, arguments: str, options: CallOptions, settings: Settings, *, sandbox: bool, as_json: bool
) -> int:
    """Call a method, or preview the call, and print its answer.

    Returns:
        The exit code: 0 done, 1 failed, refused or waiting for a person, 2 where the call itself is wrong.
    """
    request = CallRequest(
        tool,
        json_object(arguments, "ARGUMENTS"),
        "cli",
        consent=Consent(confirm_write=options.confirm_write or None, approval=options.approval),
        every=options.every or None,
        reveal=options.reveal or None,
        project=options.project,
        page=options.page,
        pick=options.pick,
        save_as=options.save_as,
    )
    with ending_cleanly():
        if options.preview:
            try:
                print_json(anyio.run(_preview, request, settings, sandbox))
            except HandrailError as error:
                error.next_step = _for_terminal(error.next_step or "")
                raise
            return 0
        result = anyio.run(_call, request, settings, sandbox)
    if as_json:
        print_json(result.as_json())
    else:
        _print_result(result)
    if result.outcome is Outcome.DONE:
        return 0
    return 2 if result.error and result.error["type"] in _USAGE_ERRORS else 1


async def _preview(request: CallRequest, settings: Settings, sandbox: bool) -> JsonObject:
    async with open_calls(settings, sandbox=sandbox) as calls:
        return await calls.preview(request, AtTerminal())


async def _call(request: CallRequest, settings: Settings, sandbox: bool) -> CallResult:
    async with open_calls(settings, sandbox=sandbox) as calls:
        try:
            return await calls.call(request, AtTerminal())
        except anyio.get_cancelled_exc_class():
            if request.consent.confirm_write or request.consent.approval:
                status_line(
                    "Interrupted: whether the call took effect is not known. Look before you repeat it.", final=True
                )
            raise


def _print_result(result: CallResult) -> None:
    good = result.outcome is Outcome.DONE
    status = f" (status {result.status})" if result.status else ""
    print_line(f"{paint(result.outcome.value, Colour.GOOD if good else Colour.BAD)}{status}")
    if result.result is not None:
        print_json(result.result)
    if result.error is not None:
        print_line(f"{result.error['message']}")
        for reason in _reasons(result):
            print_line(f"  {reason}")
        print_line(paint(_for_terminal(str(result.error["next"])), Colour.QUIET))


def _reasons(result: CallResult) -> list[str]:
    """Why somebody has to agree first."""
    data = (result.error or {}).get("data")
    why = data.get("why") if isinstance(data, dict) else None
    return [str(reason) for reason in why] if isinstance(why, list) else []


def _for_terminal(next_step: str) -> str:
    said = next_step.replace("with confirm_write: true", "with --confirm-write")
    return said.replace("with approval: ", "with --approval ").replace("all: true beside the arguments", "--all")
