"""The public tools of the appwrite toolset: few, so that a host can list them all."""

from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from handrail.appwrite.call_arguments import Reading, batch_requests, reading_kind, request_of
from handrail.appwrite.calls import CallParts, Calls
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.context import context_of
from handrail.appwrite.definitions import DEFAULT_HITS, DEFAULT_SECTIONS, PublicTool, public_tool
from handrail.appwrite.outcome import CallResult, refused, tool_answer
from handrail.appwrite.read_many import read_many
from handrail.appwrite.shared_encoder import SharedEncoder
from handrail.errors import ArgumentError, HandrailError
from handrail.json_types import JsonMapping, JsonObject
from handrail.lazy import Lazy
from handrail.protocol.tool import Call, Client, ServerTool, ToolAnswer

if TYPE_CHECKING:
    from handrail.appwrite.docs_tool import DocsSearch
    from handrail.appwrite.tool_search import ToolSearch
    from handrail.encoder import Encoder

__all__ = ["AppwriteToolset"]


class AppwriteToolset:
    """Appwrite's API behind a few tools.

    Args:
        parts: what calls are made with.
        calls: makes them.
        home: the home folder, where the index of the documentation is; None where there is none.
        writes: the switch for writes, as the context shows it.
        tokens: whether the token of a preview does for a grave call, so that it can be given.
        encoder: for the documentation; by default the package's own, shared with the search for tools.
    """

    def __init__(
        self,
        parts: CallParts,
        calls: Calls,
        *,
        home: Path | None = None,
        writes: str = "confirm",
        tokens: bool = False,
        encoder: "Lazy[Encoder] | None" = None,
    ) -> None:
        shared = SharedEncoder()
        self._parts = parts
        self._calls = calls
        self._search = parts.catalog.then(partial(_tool_search, shared))
        self._home = home
        self._writes = writes
        self._tokens = tokens
        self._encoder = encoder or Lazy.of(shared)

    def tools(self) -> list[ServerTool]:
        """The tools, in the order in which they are used."""
        return [
            public_tool(PublicTool.CONTEXT, self._answer_context),
            public_tool(PublicTool.SEARCH, self._answer_search),
            public_tool(PublicTool.DOCS, self._answer_docs),
            public_tool(PublicTool.READ, self._answer_read, _refused),
            public_tool(PublicTool.PREVIEW, self._answer_preview),
            public_tool(PublicTool.CALL, self._answer_call, _refused, takes_token=self._tokens),
        ]

    async def _answer_context(self, _call: Call, _arguments: JsonMapping) -> ToolAnswer:
        docs = await self._docs.about()
        target = await self._parts.targets.get(None)
        switches = {**self._parts.switches.as_json(), "writes": self._writes}
        catalog = await self._parts.catalog.get()
        return ToolAnswer(await context_of(target.transport, catalog, switches=switches, docs=docs))

    async def _answer_search(self, _call: Call, arguments: JsonMapping) -> ToolAnswer:
        search = await self._search.get()
        return ToolAnswer(
            await search.answer(
                cast("str", arguments["query"]),
                limit=cast("int", arguments.get("limit", DEFAULT_HITS)),
                services=cast("list[str]", arguments.get("services", [])),
            )
        )

    async def _answer_docs(self, _call: Call, arguments: JsonMapping) -> ToolAnswer:
        return ToolAnswer(
            await self._docs.find(
                cast("str", arguments["query"]),
                limit=cast("int", arguments.get("limit", DEFAULT_SECTIONS)),
                page=cast("str", arguments.get("page", "")),
            )
        )

    @cached_property
    def _docs(self) -> "DocsSearch":
        from handrail.appwrite.docs_tool import DocsSearch  # noqa: PLC0415  (not needed to start a server)
        from handrail.docs import docs_folder  # noqa: PLC0415  (likewise)

        folder = docs_folder(self._home) if self._home else None
        return DocsSearch(folder, self._parts.catalog, self._search, self._encoder)

    async def _answer_read(self, call: Call, arguments: JsonMapping) -> ToolAnswer:
        kind = reading_kind(arguments)
        if kind is Reading.PAGE:
            return tool_answer(await self._page(call, arguments))
        if kind is Reading.BATCH:
            requests = batch_requests(arguments)
            results = await read_many(requests, lambda request: self._calls.call(request, _Unasked(call)))
            return ToolAnswer({"results": [result.as_json() for result in results]})
        request = request_of(arguments, PublicTool.READ.value, reads_only=True)
        return tool_answer(await self._calls.call(request, call))

    async def _page(self, call: Call, arguments: JsonMapping) -> CallResult:
        wish = request_of({"tool_name": "", **arguments}, PublicTool.READ.value, reads_only=True)
        shaper = await self._parts.shaper.get()
        return await shaper.page(str(arguments["result_id"]), call.owner, wish.page, wish.pick)

    async def _answer_preview(self, call: Call, arguments: JsonMapping) -> ToolAnswer:
        return ToolAnswer(await self._calls.preview(request_of(arguments, PublicTool.PREVIEW.value), call))

    async def _answer_call(self, call: Call, arguments: JsonMapping) -> ToolAnswer:
        return tool_answer(await self._calls.call(request_of(arguments, PublicTool.CALL.value), call))


@dataclass(frozen=True, slots=True)
class _Unasked:
    """The call of a batch. It asks nothing: one form cannot speak for several calls, so each that needs one waits."""

    call: Call
    request_state: None = None

    @property
    def client(self) -> Client:
        return self.call.client

    @property
    def owner(self) -> str:
        return self.call.owner

    async def progress(self, message: str, done: float, total: float | None = None) -> None:
        await self.call.progress(message, done, total)

    async def elicit(self, key: str, message: str, schema: JsonObject, *, state: str, seconds: float) -> None:
        """See `Call.elicit`: nobody can be asked."""


def _tool_search(shared: SharedEncoder, catalog: Catalog) -> "ToolSearch":
    from handrail.appwrite.tool_search import ToolSearch  # noqa: PLC0415  (not needed to start a server)

    return ToolSearch(catalog, load=shared)


def _refused(arguments: JsonMapping, error: HandrailError) -> JsonObject:
    """A call of a call tool whose own arguments are wrong has the shape of every answer."""
    if isinstance(error, ArgumentError) and error.data.get("problem") == "unknown" and not error.data.get("nearest"):
        error.next_step = f"If '{error.argument}' is an argument of the method, put it inside 'arguments'."
    return refused(str(arguments.get("tool_name", "")), error).as_json()
