"""What one request tells: whose runs it may see, which protocol it speaks, what its client declares."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import principal_components
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

__all__ = [
    "LEGACY_TASKS_VERSION",
    "LOCAL_OWNER",
    "RELATED_TASK",
    "TASKS_EXTENSION",
    "Background",
    "Context",
    "declares_tasks",
    "is_modern",
    "owner_of_request",
    "speaks_legacy_tasks",
]

TASKS_EXTENSION: Final = "io.modelcontextprotocol/tasks"
LEGACY_TASKS_VERSION: Final = "2025-11-25"
"""The only handshake version that has tasks."""
RELATED_TASK: Final = "io.modelcontextprotocol/related-task"
"""In the `_meta` of what belongs to a task of that version: `{taskId}`."""
LOCAL_OWNER: Final = "local"
"""Who calls over stdio, or over HTTP without authorization."""


@dataclass(frozen=True, slots=True)
class Background:
    """What lives as long as the server serves: the group of tasks that outlive the request that began them."""

    group: "TaskGroup"


Context: TypeAlias = ServerRequestContext[Background]


def is_modern(ctx: Context) -> bool:
    """Whether the request is of the stateless generation, 2026-07-28."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def speaks_legacy_tasks(ctx: Context) -> bool:
    """Whether the request is of the generation in which clients ask for a task, 2025-11-25."""
    return ctx.protocol_version == LEGACY_TASKS_VERSION


def declares_tasks(ctx: Context) -> bool:
    """Whether this very request declares the tasks extension; it means nothing before 2026-07-28."""
    capabilities = ctx.session.client_capabilities
    return is_modern(ctx) and TASKS_EXTENSION in ((capabilities and capabilities.extensions) or {})


def owner_of_request() -> str:
    """Whose runs the request at hand may see: the principal of its access token, else the one local user."""
    token = get_access_token()
    return LOCAL_OWNER if token is None else json.dumps(principal_components(token), separators=(",", ":"))
