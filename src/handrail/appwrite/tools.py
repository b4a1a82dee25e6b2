"""The public tools of the appwrite toolset: few, so that a host can list them all."""

from typing import cast

from handrail.appwrite.calls import Calls
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.context import context_of
from handrail.appwrite.definitions import DEFAULT_HITS, PublicTool, public_tool
from handrail.appwrite.outcome import refused, tool_answer
from handrail.appwrite.tool_search import ToolSearch
from handrail.appwrite.transport import Transport
from handrail.errors import ArgumentError, HandrailError
from handrail.json_types import JsonMapping, JsonObject
from handrail.lazy import Lazy
from handrail.protocol.tool import Call, ServerTool, ToolAnswer

__all__ = ["AppwriteToolset"]


class AppwriteToolset:
    """Appwrite's API behind four tools.

    Args:
        catalog: the methods, read when first needed.
        transport: where calls go.
    """

    def __init__(self, catalog: Lazy[Catalog], transport: Transport) -> None:
        self._transport = transport
        self._catalog = catalog
        self._calls = Calls(catalog, transport)
        self._search = catalog.then(ToolSearch)

    def tools(self) -> list[ServerTool]:
        """The tools, in the order in which they are used."""
        return [
            public_tool(PublicTool.CONTEXT, self._answer_context),
            public_tool(PublicTool.SEARCH, self._answer_search),
            public_tool(PublicTool.READ, self._answer_read, _refused),
            public_tool(PublicTool.CALL, self._answer_call, _refused),
        ]

    async def _answer_context(self, _call: Call, _arguments: JsonMapping) -> ToolAnswer:
        return ToolAnswer(await context_of(self._transport, await self._catalog.get()))

    async def _answer_search(self, _call: Call, arguments: JsonMapping) -> ToolAnswer:
        search = await self._search.get()
        return ToolAnswer(
            search.find(
                cast("str", arguments["query"]),
                limit=cast("int", arguments.get("limit", DEFAULT_HITS)),
                services=cast("list[str]", arguments.get("services", [])),
            )
        )

    async def _answer_read(self, _call: Call, arguments: JsonMapping) -> ToolAnswer:
        tool, given = _tool_and_arguments(arguments)
        return tool_answer(await self._calls.read(tool, given))

    async def _answer_call(self, _call: Call, arguments: JsonMapping) -> ToolAnswer:
        tool, given = _tool_and_arguments(arguments)
        return tool_answer(await self._calls.call(tool, given, confirmed=arguments.get("confirm_write")))


def _tool_and_arguments(arguments: JsonMapping) -> tuple[str, JsonObject]:
    return cast("str", arguments["tool_name"]), cast("JsonObject", arguments.get("arguments", {}))


def _refused(arguments: JsonMapping, error: HandrailError) -> JsonObject:
    """A call of a call tool whose own arguments are wrong has the shape of every answer."""
    if isinstance(error, ArgumentError) and error.data.get("problem") == "unknown" and not error.data.get("nearest"):
        error.next_step = f"If '{error.argument}' is an argument of the method, put it inside 'arguments'."
    return refused(str(arguments.get("tool_name", "")), error).as_json()
