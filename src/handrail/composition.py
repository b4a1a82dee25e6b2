"""Puts the rooms together: settings in, a server out."""

from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

from handrail import __version__
from handrail.agents import agent_body, agent_tools, built_in_agents
from handrail.appwrite import AppwriteToolset, Backend, Calls, Limits, open_transport
from handrail.appwrite.catalog import load_catalogs
from handrail.decisions import built_in_models
from handrail.home import home_folder
from handrail.lazy import Lazy
from handrail.protocol import HandrailServer, RunTool, ServerTool, WaitPolicy, create_server
from handrail.protocol.run_tools import run_tools
from handrail.runs import MemoryEngine, RunEngine
from handrail.settings import Settings
from handrail.toolset import Toolset

__all__ = ["open_calls", "open_server", "run_engine", "runs_folder"]

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


@asynccontextmanager
async def open_server(
    settings: Settings, *, toolsets: Collection[Toolset] = (), sandbox: bool = False
) -> AsyncIterator[HandrailServer]:
    """The server with everything that it needs, running until the end of the context.

    Args:
        settings: of this process.
        toolsets: which toolsets; all when empty.
        sandbox: serve a local stand-in for Appwrite, with something to look at, and use it.

    Raises:
        HomeError: the home folder cannot be used.
    """
    wanted = [toolset for toolset in Toolset if not toolsets or toolset in toolsets]
    async with AsyncExitStack() as stack:
        home = home_folder(settings)
        wait = WaitPolicy(default_s=settings.wait_s, detach_on_cancel=settings.detach_on_cancel)
        tools: list[ServerTool | RunTool] = []
        engine: RunEngine | None = None
        if Toolset.APPWRITE in wanted:
            backend = await stack.enter_async_context(_backend(settings, sandbox=sandbox))
            tools += await stack.enter_async_context(_appwrite_tools(settings, backend, home))
        if Toolset.AGENTS in wanted:
            engine = await stack.enter_async_context(run_engine(settings, home))
            tools += [*agent_tools(built_in_agents(), built_in_models()), *run_tools(engine, wait)]
        yield create_server(
            tools,
            engine=engine,
            version=__version__,
            title="Handrail",
            instructions="\n".join(_INSTRUCTIONS[toolset] for toolset in wanted),
            wait=wait,
        )


def run_engine(settings: Settings, home: Path) -> MemoryEngine:
    """The engine that keeps the runs of this process; enter it before its first run."""
    body = agent_body(built_in_agents(), built_in_models())
    return MemoryEngine(body, records=runs_folder(home), slots=settings.run_slots, limit=settings.max_runs)


def runs_folder(home: Path) -> Path:
    """Where the records of all runs are."""
    return home / "runs"


@asynccontextmanager
async def open_calls(settings: Settings, *, sandbox: bool = False) -> AsyncIterator[Calls]:
    """Calls of Appwrite methods, outside of a server.

    Raises:
        HomeError: the home folder cannot be used.
    """
    home = home_folder(settings)
    async with _backend(settings, sandbox=sandbox) as backend, open_transport(backend, _limits(settings)) as transport:
        yield Calls(Lazy(partial(load_catalogs, home)), transport)


@asynccontextmanager
async def _appwrite_tools(settings: Settings, backend: Backend, home: Path) -> AsyncIterator[list[ServerTool]]:
    async with open_transport(backend, _limits(settings)) as transport:
        yield AppwriteToolset(Lazy(partial(load_catalogs, home)), transport).tools()


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
        key = settings.appwrite_api_key.get_secret_value()
        yield Backend(settings.appwrite_endpoint, settings.appwrite_project_id, key)
        return
    from handrail.sandbox import SandboxState, serve_sandbox  # noqa: PLC0415  (only for the stand-in)

    async with serve_sandbox(SandboxState.seeded()) as stand_in:
        yield Backend(stand_in.endpoint, stand_in.project_id, stand_in.api_key)
