"""`handrail serve` and `handrail sandbox`."""

import gc
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import anyio

from handrail.cli.output import print_line
from handrail.protocol.stdio import Wire
from handrail.settings import Settings, load_settings
from handrail.toolset import Toolset

__all__ = ["serve", "serve_stand_in"]


def serve(*, sandbox: bool, toolsets: list[Toolset] | None, given: Mapping[str, object]) -> None:
    """Serve MCP over standard input and output until the client closes it.

    Args:
        sandbox: use the local stand-in for Appwrite.
        toolsets: which; all by default.
        given: what takes the place of settings, by their names.

    Raises:
        UsageError: there is nothing of a name that shall be exposed.
    """
    wire = Wire.claim()
    settings = load_settings(**given)
    anyio.run(_serve, settings, wire, sandbox, toolsets or [])


async def _serve(settings: Settings, wire: Wire, sandbox: bool, toolsets: list[Toolset]) -> None:
    with _loading():
        from handrail.composition import open_server
        from handrail.protocol import serve_stdio

    async with open_server(settings, toolsets=toolsets, sandbox=sandbox) as server:
        await serve_stdio(server, max_message_bytes=settings.max_message_bytes, wire=wire)


@contextmanager
def _loading() -> Iterator[None]:
    """Load code without collecting garbage: it stays for good, and looking through it costs a sixth of a start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def serve_stand_in(port: int, state_file: Path | None = None) -> None:
    """Serve the stand-in for Appwrite until interrupted, and say how to use it.

    Args:
        port: the port; 0 for any free one.
        state_file: where its data are written after each change.

    Raises:
        SandboxPortError: the port is taken.
        SandboxStateFileError: the file cannot be written.
    """
    anyio.run(_stand_in, port, state_file)


async def _stand_in(port: int, state_file: Path | None) -> None:
    from handrail.sandbox import SandboxState, serve_sandbox

    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with serve_sandbox(SandboxState.seeded(), port=port, state_file=state_file) as stand_in:
            print_line(f"The stand-in for Appwrite listens on {stand_in.endpoint} (process {os.getpid()}).")
            print_line("Use it from another terminal:")
            print_line(f"  export APPWRITE_ENDPOINT={stand_in.endpoint}")
            print_line(f"  export APPWRITE_PROJECT_ID={stand_in.project_id} APPWRITE_API_KEY={stand_in.api_key}")
            print_line("  handrail call users_list")
            print_line("Stop it with Ctrl-C; what was written to it goes with it.")
            async for _signal in signals:
                return
