"""`handrail hints lint`: what is wrong with the hints of somebody else's MCP server or API. No tool is called."""

import json
import logging
import os
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

import anyio
import mcp_types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from handrail.cli.output import Colour, paint, print_json, print_line
from handrail.errors import UnavailableError, UsageError
from handrail.hints.effects import Operation
from handrail.hints.lint import LintFinding, Severity, lint_operations, lint_tools
from handrail.hints.openapi import DocumentError, operations_of
from handrail.json_types import Json

__all__ = ["DocumentUnusableError", "ServerUnusableError", "lint"]

_MOST_PAGES: Final = 1_000
_MOST_TOOLS: Final = 10_000
_MOST_BYTES: Final = 100_000_000  # of a document; the largest public ones have 40 MB
_MOST_SHOWN: Final = 400  # characters of a text that is not ours
_CLOSED: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
_COLOURS: Final = {Severity.ERROR: Colour.BAD, Severity.WARNING: Colour.CARE}


class ServerUnusableError(UnavailableError):
    """The server under test does not give a list of tools."""

    type = "server_unusable"


class DocumentUnusableError(UnavailableError):
    """The file is no OpenAPI document."""

    type = "document_unusable"


def lint(command: Sequence[str], *, openapi: Path | None, timeout_s: float, as_json: bool) -> int:
    """Print the findings about one MCP server or one API.

    Args:
        command: starts the server, which speaks MCP over standard input and output. Empty with `openapi`.
        openapi: an OpenAPI document in JSON, instead of a command.
        timeout_s: how long the server may take in all, in seconds.
        as_json: for machines.

    Returns:
        The exit code: 1 where a finding is an error, else 0.

    Raises:
        UsageError: not exactly one of both is given, or what is given does not exist.
        ServerUnusableError: the server hangs, dies, or does not answer as an MCP server.
        DocumentUnusableError: the file is no OpenAPI document.
    """
    if bool(command) == (openapi is not None):
        raise UsageError(
            "Give either a command that starts an MCP server, or --openapi with a file.",
            next_step="For example: handrail hints lint -- python server.py",
        )
    if openapi is not None:
        operations = _operations(openapi)
        return _report(len(operations), lint_operations(operations), as_json=as_json)
    tools = anyio.run(_tools, command, timeout_s)
    return _report(len(tools), lint_tools(tools), as_json=as_json)


def _operations(path: Path) -> list[Operation]:
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", next_step="Give an OpenAPI file.") from error
    if len(text) > _MOST_BYTES:
        raise DocumentUnusableError(f"{path} is larger than {_MOST_BYTES // 1_000_000} MB.")
    try:
        return operations_of(json.loads(text))
    except DocumentError as error:
        raise DocumentUnusableError(
            f"{path}: {_clean(str(error))}.", next_step=error.next_step, where=error.where
        ) from error
    except (ValueError, RecursionError) as error:
        raise DocumentUnusableError(
            f"{path} is not JSON: {_clean(str(error))}.", next_step="Convert it to JSON first, if it is YAML."
        ) from error


async def _tools(command: Sequence[str], timeout_s: float) -> list[types.Tool]:
    """All tools of a server that is started for this, and ended after it."""
    with tempfile.TemporaryFile("w+") as said, _without_sdk_log():
        try:
            with anyio.fail_after(timeout_s):
                return await _listed(command, said)
        except TimeoutError as error:
            raise _unusable(f"did not list its tools within {timeout_s:g} s", said) from error
        except OSError as error:
            raise UsageError(
                f"'{_clean(command[0])}' cannot be started: {error.strerror}.",
                next_step="Check the command after `--`.",
            ) from error
        except ExceptionGroup as group:
            raise _unusable(_what_went_wrong(group), said) from group


async def _listed(command: Sequence[str], said: TextIO) -> list[types.Tool]:
    parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(os.environ))
    tools: list[types.Tool] = []
    seen: set[str] = set()
    async with Client(stdio_client(parameters, errlog=said)) as client:
        page = await client.list_tools()
        tools.extend(page.tools)
        while page.next_cursor is not None:
            if page.next_cursor in seen or len(seen) >= _MOST_PAGES or len(tools) > _MOST_TOOLS:
                raise _EndlessError
            seen.add(page.next_cursor)
            page = await client.list_tools(cursor=page.next_cursor)
            tools.extend(page.tools)
    return tools


class _EndlessError(Exception):
    """The pages of tools/list do not end."""


def _what_went_wrong(group: ExceptionGroup[Exception]) -> str:
    """The server's fault, found in what the client's tasks raised.

    Raises:
        ExceptionGroup: there is something in it that is not the server's fault.
    """
    known, other = group.split((MCPError, ValidationError, OSError, *_CLOSED, _EndlessError))
    if other is not None or known is None:
        raise group
    error = next(_leaves(known))
    if isinstance(error, _EndlessError):
        return f"does not end its list of tools ({_MOST_PAGES} pages, {_MOST_TOOLS} tools, or a page twice)"
    if isinstance(error, ValidationError):
        places = [".".join(str(part) for part in line["loc"]) for line in error.errors()]
        return f"answers what MCP does not allow: {_clean(', '.join(places))}"
    return f"ended or refused: {_clean(str(error))}"


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _unusable(problem: str, said: TextIO) -> ServerUnusableError:
    """The error, with the last line that the server wrote on its standard error."""
    size = os.fstat(said.fileno()).st_size
    tail = os.pread(said.fileno(), 4 * _MOST_SHOWN, max(0, size - 4 * _MOST_SHOWN)).decode(errors="replace")
    last = next((line for line in reversed(tail.splitlines()) if line.strip()), "")
    step = f"It said at last: {_clean(last)}" if last else "Try it by hand, or allow more with --timeout."
    return ServerUnusableError(f"The server {problem}.", next_step=step)


@contextmanager
def _without_sdk_log() -> Iterator[None]:
    """The SDK logs a traceback for each line that is no message; the error says it once."""
    log = logging.getLogger("mcp")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)


def _report(checked: int, findings: list[LintFinding], *, as_json: bool) -> int:
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    if as_json:
        rows: list[Json] = [_row(finding) for finding in findings]
        print_json({"checked": checked, "errors": errors, "warnings": len(findings) - errors, "findings": rows})
        return 1 if errors else 0
    for finding in findings:
        severity = paint(f"{finding.severity:<7}", _COLOURS[finding.severity])
        print_line(f"{severity}  {finding.code:<20}  {_clean(finding.tool)}: {_clean(finding.message)}")
    print_line(f"{checked} looked at: {errors} errors, {len(findings) - errors} warnings.")
    return 1 if errors else 0


def _row(finding: LintFinding) -> Json:
    return {
        "tool": finding.tool,
        "severity": finding.severity.value,
        "code": finding.code.value,
        "message": finding.message,
    }


def _clean(text: str) -> str:
    """Words of a stranger, fit for a terminal: on one line, no control or direction characters, not too long."""
    line = " ".join(text.split())
    plain = "".join("?" if unicodedata.category(letter).startswith("C") else letter for letter in line)
    return plain if len(plain) <= _MOST_SHOWN else f"{plain[: _MOST_SHOWN - 1]}…"
