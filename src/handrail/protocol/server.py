"""The server: the SDK's lowlevel one with our tools, our runs, and both generations of tasks."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import anyio
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    RequestParams,
    ServerCapabilities,
    SubscriptionsListenRequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from handrail.json_types import JsonObject
from handrail.protocol.border import guarded
from handrail.protocol.clients import WaitPolicy
from handrail.protocol.context import Background, Context, speaks_legacy_tasks
from handrail.protocol.eras import TASK_CALL, Endpoint, by_era, capabilities_of_era, route_by_era
from handrail.protocol.extension_tasks import ExtensionTasks, UpdateParams
from handrail.protocol.legacy_tasks import LegacyTasks
from handrail.protocol.resource_source import ResourceSource
from handrail.protocol.resources import Resources
from handrail.protocol.subscriptions import Subscriptions
from handrail.protocol.task_shapes import TaskParams
from handrail.protocol.tool import RunTool
from handrail.protocol.tool_calls import ToolCalls
from handrail.protocol.toolbox import AnyTool, Toolbox
from handrail.protocol.waiting import RunWaiter
from handrail.runs import RunEngine, RunRecords

__all__ = ["HandrailServer", "create_server"]

_LISTING_MS: Final = 5 * 60 * 1_000
"""How long a client may keep a listing, in milliseconds. Tools change with the installed version only."""
_CACHE: Final = CacheHint(ttl_ms=_LISTING_MS, scope="public")


@asynccontextmanager
async def _background(_server: Server[Background]) -> AsyncIterator[Background]:
    async with anyio.create_task_group() as group:
        yield Background(group)
        group.cancel_scope.cancel()


class HandrailServer(Server[Background]):
    """An MCP server for given tools and the runs of one engine. Made by `create_server`."""

    def __init__(
        self,
        toolbox: Toolbox,
        waiter: RunWaiter | None,
        *,
        name: str,
        version: str,
        title: str | None,
        instructions: str | None,
        resources: Resources | None = None,
    ) -> None:
        self._toolbox = toolbox
        self._waiter = waiter
        self._resources = resources
        self._legacy = LegacyTasks(waiter.engine) if waiter else None
        self._calls = ToolCalls(toolbox, waiter, self._legacy)
        super().__init__(
            name,
            version=version,
            title=title,
            instructions=instructions,
            lifespan=_background,
            cache_hints={"tools/list": _CACHE, "server/discover": _CACHE, "resources/templates/list": _CACHE},
            get_tool_input_schema=toolbox.schema,
        )
        self.middleware.append(route_by_era)
        self._add_methods()

    def begin_shutdown(self) -> None:
        """From now on, a call that ends early ends because the server does: the run it waits for goes on."""
        if self._waiter is not None:
            self._waiter.begin_shutdown()

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, object]] | None = None,
        extensions: dict[str, dict[str, object]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> ServerCapabilities:
        """What this server can do, as the generation of `protocol_version` may see it."""
        everything = super().get_capabilities(
            notification_options, experimental_capabilities, extensions, protocol_version=protocol_version
        )
        modern = protocol_version in MODERN_PROTOCOL_VERSIONS
        return capabilities_of_era(everything, modern=modern, has_runs=self._waiter is not None)

    def _add_methods(self) -> None:
        self.add_request_handler("tools/list", PaginatedRequestParams, guarded(self._list_tools))
        self.add_request_handler("tools/call", CallToolRequestParams, guarded(self._call_tool))
        self.add_request_handler(TASK_CALL, CallToolRequestParams, guarded(self._calls.call_as_task))
        subscriptions = Subscriptions(self._waiter.engine if self._waiter else None)
        self.add_request_handler(
            "subscriptions/listen", SubscriptionsListenRequestParams, guarded(subscriptions.listen)
        )
        if self._waiter is not None and self._legacy is not None:
            self._add_task_methods(self._legacy, ExtensionTasks(self._waiter.engine))
        if self._resources is not None:
            self._add_resource_methods(self._resources)

    def _add_resource_methods(self, resources: Resources) -> None:
        self.add_request_handler("resources/list", PaginatedRequestParams, guarded(resources.list_resources))
        self.add_request_handler("resources/templates/list", PaginatedRequestParams, guarded(resources.list_templates))
        self.add_request_handler("resources/read", ReadResourceRequestParams, guarded(resources.read))

    def _add_task_methods(self, legacy: LegacyTasks, extension: ExtensionTasks) -> None:
        methods = {
            "tasks/get": by_era(legacy=Endpoint(TaskParams, legacy.get), modern=Endpoint(TaskParams, extension.get)),
            "tasks/cancel": by_era(
                legacy=Endpoint(TaskParams, legacy.cancel), modern=Endpoint(TaskParams, extension.cancel)
            ),
            "tasks/result": by_era(legacy=Endpoint(TaskParams, legacy.result)),
            "tasks/list": by_era(legacy=Endpoint(PaginatedRequestParams, legacy.list_tasks)),
            "tasks/update": by_era(modern=Endpoint(UpdateParams, extension.update)),
        }
        for method, handler in methods.items():
            self.add_request_handler(method, RequestParams, guarded(handler))

    async def _list_tools(self, ctx: Context, params: PaginatedRequestParams) -> ListToolsResult:
        return self._toolbox.page(params.cursor, with_tasks=speaks_legacy_tasks(ctx))

    async def _call_tool(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult | JsonObject:
        return await self._calls.call(ctx, params)


def create_server(
    tools: Sequence[AnyTool],
    *,
    engine: RunEngine | None = None,
    records: RunRecords | None = None,
    resources: Sequence[ResourceSource] = (),
    name: str = "handrail",
    version: str = "",
    title: str | None = None,
    instructions: str | None = None,
    wait: WaitPolicy | None = None,
) -> HandrailServer:
    """A server for these tools.

    Args:
        tools: in the order in which they are listed. With an engine, add `run_tools(engine, wait)`.
        engine: keeps the runs; it must be running while the server serves. None: there are no runs and no tasks.
        records: the records of the engine's runs, which become resources. None: there are none.
        resources: what toolsets have beside them.
        name: what the server calls itself.
        version: its version.
        title: its name for people.
        instructions: for the model: how to use the tools.
        wait: how long calls wait for runs.

    Raises:
        ValueError: two tools of one name, or a `RunTool` or records without an engine.
    """
    if engine is None and any(isinstance(tool, RunTool) for tool in tools):
        raise ValueError("A tool that starts runs needs an engine")
    if engine is None and records is not None:
        raise ValueError("Records of runs need the engine that knows whose they are")
    waiter = RunWaiter(engine, wait or WaitPolicy()) if engine else None
    return HandrailServer(
        Toolbox(tools),
        waiter,
        name=name,
        version=version,
        title=title,
        instructions=instructions,
        resources=Resources(engine, records, resources) if resources or (engine and records) else None,
    )
