"""Tasks as the extension of 2026-07-28 has them: the server hands one out to a client that declares the extension."""

from typing import Literal

from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY, RequestParams
from mcp_types._types import MCPModel
from pydantic import JsonValue

from handrail.json_types import Json, JsonObject
from handrail.protocol.context import TASKS_EXTENSION, Context, declares_tasks, owner_of_request
from handrail.protocol.legacy_tasks import TaskParams
from handrail.protocol.task_shapes import extension_task
from handrail.runs import Run, RunEngine

__all__ = ["ExtensionTasks", "UpdateParams", "require_declared"]

_ACKNOWLEDGED: JsonObject = {"resultType": "complete"}
