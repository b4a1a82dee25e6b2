"""Puts the rooms together: settings in, a server out."""

import logging
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from handrail import __version__
from handrail.agents import built_in_agents
from handrail.agents.tools import agent_tools
from handrail.appwrite import AppwriteToolset, Backend, Calls, Limits, open_transport
from handrail.appwrite.catalog import Catalog, load_catalogs
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.direct_tools import direct_tools
from handrail.appwrite.exposure import exposed_methods, exposed_names
from handrail.decisions import built_in_models
from handrail.errors import UsageError
from handrail.home import HomeError, home_folder
from handrail.lazy import Lazy
from handrail.protocol import HandrailServer, RunTool, ServerTool, WaitPolicy, create_server
from handrail.protocol.run_tools import run_tools
from handrail.run_composition import run_engine
from handrail.runs import RunEngine, RunPlace, RunRecords
from handrail.settings import Settings
from handrail.toolset import Toolset

__all__ = [
    "NothingToExposeError",
    "open_calls",
    "open_server",
]

_LOG: Final = logging.getLogger(__name__)


_INSTRUCTIONS: Final = {
    Toolset.APPWRITE: (
        "Appwrite: find a method with appwrite_search_tools, read with appwrite_call_read_tool, write with "
        "appwrite_call_tool (confirm_write: true once the write is wanted). Outcome 'refused' means that nothing was "
        "sent; 'unknown' means that a write's answer was lost: read the resource before you repeat it."
    ),
    Toolset.AGENTS: (
        "Agents: list_agents, then run_agent. It may answer early with status 'working': call get_run with the run_id "
        "until the status is completed, failed or cancelled. cancel_run ends a run."
    ),
}
_EXPOSED_INSTRUCTIONS: Final = (
    "Some Appwrite methods are tools of their own; those that can change something take confirm_write as well."
)


class NothingToExposeError(UsageError):
    """Appwrite's methods shall be exposed by a server that does not serve Appwrite. `data` holds `names`."""

    type = "expose_without_appwrite"


@asynccontextmanager
async def open_server(
    settings: Settings, *, toolsets: Collection[Toolset] = (), sandbox: bool = False
) -> AsyncIterator[HandrailServer]:
    """The server with everything that it needs, running until the end of the context.

    Args:
        settings: of this process.
        toolsets: which toolsets; all when empty.
        sandbox: serve a local stand-in for Appwrite, with something to look at, and use it.

    A home folder that cannot be used does not keep it from serving: what needs it says what is wrong with it.

    Raises:
        UsageError: `settings.expose` has an unknown name (`ExposureError`), or no toolset (`NothingToExposeError`).
    """
    wanted = [toolset for toolset in Toolset if not toolsets or toolset in toolsets]
    home = _home_if_usable(settings)
    catalog = Lazy.of(partial(load_catalogs, home))
    # Before anything is opened: a wrong name ends the start as itself, not inside of what else then ends.
    exposed = await _exposed(settings, wanted, catalog)
    async with AsyncExitStack() as stack:
        wait = WaitPolicy(default_s=settings.wait_s, detach_on_cancel=settings.detach_on_cancel)
        tools: list[ServerTool | RunTool] = []
        direct: list[ServerTool] = []
        engine: RunEngine | None = None
        records: RunRecords | None = None
        if Toolset.APPWRITE in wanted:
            opened = _appwrite_tools(settings, catalog, exposed, sandbox=sandbox)
            public, direct = await stack.enter_async_context(opened)
            tools += public
        if Toolset.AGENTS in wanted:
            engine = await stack.enter_async_context(run_engine(settings))
            records = RunRecords(RunPlace(home).records) if home else None
            tools += [*agent_tools(built_in_agents(), built_in_models()), *run_tools(engine, wait)]
        yield create_server(
            # The direct ones last: a host that reads one page of the listing still has all the others.
            [*(_with_every_hint(tool) if settings.explicit_hints else tool for tool in tools), *direct],
            engine=engine,
            records=records,
            version=__version__,
            title="Handrail",
            instructions=_instructions(wanted, exposed),
            wait=wait,
        )


def _home_if_usable(settings: Settings) -> Path | None:
    try:
        return home_folder(settings)
    except HomeError as error:
        _LOG.warning("%s %s Runs cannot be started, and nothing is cached.", error.message, error.next_step)
        return None


@asynccontextmanager
async def open_calls(settings: Settings, *, sandbox: bool = False) -> AsyncIterator[Calls]:
    """Calls of Appwrite methods, outside of a server.

    Raises:
        HomeError: the home folder cannot be used.
    """
    home = home_folder(settings)
    async with _backend(settings, sandbox=sandbox) as backend, open_transport(backend, _limits(settings)) as transport:
        yield Calls(Lazy.of(partial(load_catalogs, home)), transport)


@asynccontextmanager
async def _appwrite_tools(
    settings: Settings, catalog: Lazy[Catalog], exposed: Collection[Method], *, sandbox: bool
) -> AsyncIterator[tuple[list[ServerTool], list[ServerTool]]]:
    """The public tools, and the direct ones."""
    async with _backend(settings, sandbox=sandbox) as backend, open_transport(backend, _limits(settings)) as transport:
        yield AppwriteToolset(catalog, transport).tools(), direct_tools(exposed, Calls(catalog, transport))


async def _exposed(settings: Settings, toolsets: Collection[Toolset], catalog: Lazy[Catalog]) -> list[Method]:
    """The methods that are tools of their own. The catalog is read only where there may be one."""
    names = exposed_names(settings.expose)
    if not names:
        return []
    if Toolset.APPWRITE not in toolsets:
        raise NothingToExposeError(
            f"There is nothing to expose ({', '.join(names)}) without the appwrite toolset.",
            next_step="Serve the appwrite toolset too, or leave --expose and HANDRAIL_EXPOSE away.",
            names=[*names],
        )
    return exposed_methods(await catalog.get(), names)


def _instructions(toolsets: Collection[Toolset], exposed: Collection[Method]) -> str:
    lines = [_INSTRUCTIONS[toolset] for toolset in toolsets]
    return "\n".join([*lines, *([_EXPOSED_INSTRUCTIONS] if exposed else [])])


def _with_every_hint(tool: ServerTool | RunTool) -> ServerTool | RunTool:
    """The tool, saying aloud what an unset destructive hint means: it may destroy."""
    if tool.annotations.destructive_hint is not None:
        return tool
    return replace(tool, annotations=tool.annotations.model_copy(update={"destructive_hint": True}))


def _limits(settings: Settings) -> Limits:
    return Limits(
        connect_s=settings.connect_timeout_s,
        read_s=settings.read_timeout_s,
        call_s=settings.call_timeout_s,
        response_bytes=settings.max_response_bytes,
    )


@asynccontextmanager
async def _backend(settings: Settings, *, sandbox: bool) -> AsyncIterator[Backend]:
    """The backend of the settings, or a stand-in that is served until the end of the context."""
    if not sandbox:
        key = settings.appwrite_api_key.get_secret_value().strip()
        yield Backend(settings.appwrite_endpoint, settings.appwrite_project_id, key)
        return
    from handrail.sandbox import SandboxState, serve_sandbox  # noqa: PLC0415  (only for the stand-in)

    async with serve_sandbox(SandboxState.seeded()) as stand_in:
        yield Backend(stand_in.endpoint, stand_in.project_id, stand_in.api_key)
