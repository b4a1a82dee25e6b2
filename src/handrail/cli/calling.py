"""`handrail call`: one Appwrite method from a terminal, through the same gate as a host's call."""

import anyio

from handrail.appwrite import CallResult, Outcome
from handrail.cli.given import json_object
from handrail.cli.output import Colour, paint, print_json, print_line, status_line
from handrail.cli.signals import ending_cleanly
from handrail.composition import open_calls
from handrail.json_types import JsonObject
from handrail.settings import load_settings

__all__ = ["call_tool"]

_USAGE_ERRORS = frozenset({"argument_invalid", "tool_unknown"})


def call_tool(tool: str, arguments: str, *, confirm_write: bool, sandbox: bool, as_json: bool) -> int:
    """Call a method and print its answer.

    Returns:
        The exit code: 0 done, 1 failed or refused, 2 where the call itself is wrong.
    """
    given = json_object(arguments, "ARGUMENTS")
    with ending_cleanly():
        result = anyio.run(_call, tool, given, confirm_write, sandbox)
    if as_json:
        print_json(result.as_json())
    else:
        _print_result(result)
    if result.outcome is Outcome.DONE:
        return 0
    return 2 if result.error and result.error["type"] in _USAGE_ERRORS else 1


async def _call(tool: str, arguments: JsonObject, confirm_write: bool, sandbox: bool) -> CallResult:
    async with open_calls(load_settings(), sandbox=sandbox) as calls:
        try:
            return await calls.call(tool, arguments, confirmed=confirm_write)
        except anyio.get_cancelled_exc_class():
            if confirm_write:
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
        print_line(paint(_for_terminal(str(result.error["next"])), Colour.QUIET))


def _for_terminal(next_step: str) -> str:
    return next_step.replace("with confirm_write: true", "with --confirm-write")
