"""All tools of a server: found by name, checked, listed in pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, ListToolsResult, Tool, ToolExecution

from handrail.arguments import ArgumentChecker, UnknownName
from handrail.errors import NotFoundError
from handrail.json_types import JsonObject
from handrail.protocol.tool import RunTool, ServerTool

__all__ = ["PAGE", "AnyTool", "Toolbox", "UnknownToolError"]

PAGE: Final = 100
"""Tools in one page of `tools/list`."""

AnyTool = ServerTool | RunTool


class UnknownToolError(NotFoundError):
    """There is no tool of that name. `data` holds `name`, `nearest` and `known`."""

    type = "tool_unknown"


@dataclass(frozen=True, slots=True)
class _Entry:
    tool: AnyTool
    checker: ArgumentChecker
    shown: Tool


class Toolbox:
    """The tools of one server, in the order in which they were given.

    Raises:
        ValueError: two tools of one name.
    """

    def __init__(self, tools: Sequence[AnyTool]) -> None:
        self._entries = {tool.name: _Entry(tool, ArgumentChecker(tool.input_schema), _shown(tool)) for tool in tools}
        if len(self._entries) < len(tools):
            names = [tool.name for tool in tools]
            raise ValueError(f"Two tools of one name: {sorted({name for name in names if names.count(name) > 1})}")

    def find(self, name: str) -> AnyTool:
        """The tool of that name.

        Raises:
            UnknownToolError: there is none.
        """
        entry = self._entries.get(name)
        if entry is not None:
            return entry.tool
        said = UnknownName.among("tool", name, self._entries)
        raise UnknownToolError(said.sentence, next_step=said.next_step, **said.data)

    def check(self, tool: AnyTool, arguments: JsonObject) -> None:
        """Check arguments against the tool's schema.

        Raises:
            ArgumentError: the first thing to mend.
        """
        self._entries[tool.name].checker.check(arguments)

    def schema(self, name: str) -> JsonObject | None:
        """The schema of a tool's arguments, or None where there is no such tool."""
        entry = self._entries.get(name)
        return entry.tool.input_schema if entry else None

    def page(self, cursor: str | None, *, with_tasks: bool) -> ListToolsResult:
        """One page of the listing. The cursor is the name of the last tool shown.

        Args:
            cursor: where the page before ended; None for the first.
            with_tasks: say which tools may be called as a task (2025-11-25 only).

        Raises:
            MCPError: the cursor is not one of ours (-32602).
        """
        names = list(self._entries)
        if cursor is not None and cursor not in self._entries:
            raise MCPError(INVALID_PARAMS, "Invalid cursor")
        begin = 0 if cursor is None else names.index(cursor) + 1
        page = names[begin : begin + PAGE]
        more = begin + PAGE < len(names)
        tools = [self._listed(name, with_tasks=with_tasks) for name in page]
        return ListToolsResult(tools=tools, next_cursor=page[-1] if more else None)

    def _listed(self, name: str, *, with_tasks: bool) -> Tool:
        entry = self._entries[name]
        if with_tasks and isinstance(entry.tool, RunTool):
            return entry.shown.model_copy(update={"execution": ToolExecution(task_support="optional")})
        return entry.shown


def _shown(tool: AnyTool) -> Tool:
    annotations = tool.annotations
    # A gateway (no word on destruction: its target is chosen at call time) keeps its annotations as they are.
    if annotations.title is None and annotations.destructive_hint is not None:
        annotations = annotations.model_copy(update={"title": tool.title})
    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        annotations=annotations,
        _meta=dict(tool.meta) or None,
    )
