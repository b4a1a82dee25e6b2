"""A few tools and runs to serve: what the tests of this room drive, in memory and as a process of its own."""

import time
from typing import Final

import anyio
import anyio.lowlevel
import anyio.to_thread
from mcp_types import ToolAnnotations

from handrail.errors import RefusedError, UsageError
from handrail.json_types import JsonMapping, JsonObject
from handrail.protocol import Call, RunTool, ServerTool, ToolAnswer
from handrail.runs import RunContext, StartRequest

READS: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
GATEWAY: Final = ToolAnnotations(read_only_hint=False, open_world_hint=True)
SECRET: Final = "canary-4711"


def schema(properties: JsonObject | None = None, *required: str) -> JsonObject:
    return {
        "type": "object",
        "properties": properties or {},
        "required": list(required),
        "additionalProperties": False,
    }


async def _echo(_call: Call, arguments: JsonMapping) -> ToolAnswer:
    return ToolAnswer({"echo": arguments.get("value"), "none": None})


async def _client(call: Call, _arguments: JsonMapping) -> ToolAnswer:
    client = call.client
    return ToolAnswer({"name": client.name, "protocol": client.protocol_version, "owner": call.owner})


async def _slow(call: Call, arguments: JsonMapping) -> ToolAnswer:
    await call.progress("on it", 1, 2)
    await anyio.sleep(float(str(arguments.get("seconds", 60))))
    return ToolAnswer({"slept": True})


async def _refuse(_call: Call, _arguments: JsonMapping) -> ToolAnswer:
    raise RefusedError("Not today.", next_step="Ask again tomorrow.", day="today")


async def _break(_call: Call, _arguments: JsonMapping) -> ToolAnswer:
    raise LookupError(SECRET)


async def _print(_call: Call, arguments: JsonMapping) -> ToolAnswer:
    print(arguments.get("value"))  # noqa: T201  (a dependency that prints is what the test is about)
    return ToolAnswer({"printed": True})


async def _say_stuck(call: Call) -> None:
    """Say that the tool is about to be stuck, and let the event loop bring it out."""
    await call.progress("stuck", 1)
    for _ in range(50):
        await anyio.lowlevel.checkpoint()


async def _stuck_thread(call: Call, _arguments: JsonMapping) -> ToolAnswer:
    await _say_stuck(call)
    await anyio.to_thread.run_sync(time.sleep, 120)
    return ToolAnswer({})


async def _stuck_loop(call: Call, _arguments: JsonMapping) -> ToolAnswer:
    await _say_stuck(call)
    time.sleep(120)  # noqa: ASYNC251  (a handler that blocks everything is what the test is about)
    return ToolAnswer({})


async def _shell(_call: Call, arguments: JsonMapping) -> ToolAnswer:
    done = await anyio.run_process(str(arguments["command"]), stdin=None, stdout=None, stderr=None)
    return ToolAnswer({"code": done.returncode})


async def _big(_call: Call, arguments: JsonMapping) -> ToolAnswer:
    return ToolAnswer({"text": "x" * int(str(arguments["size"]))})


def _simple(name: str, handler: object, properties: JsonObject | None = None, *required: str) -> ServerTool:
    assert callable(handler)
    return ServerTool(name, name.title(), f"The {name} tool.", schema(properties, *required), READS, handler)


TOOLS: Final = (
    _simple("echo", _echo, {"value": {}}),
    _simple("client", _client),
    _simple("slow", _slow, {"seconds": {"type": "number"}}),
    _simple("refuse", _refuse),
    _simple("break", _break),
    _simple("print", _print, {"value": {"type": "string"}}),
    _simple("stuck_thread", _stuck_thread),
    _simple("stuck_loop", _stuck_loop),
    _simple("shell", _shell, {"command": {"type": "string"}}, "command"),
    _simple("big", _big, {"size": {"type": "integer"}}, "size"),
    ServerTool("gateway", "Gateway", "Calls anything.", schema(), GATEWAY, _echo),
)


def _prepare(call: Call, arguments: JsonMapping) -> StartRequest:
    if arguments.get("steps") == 13:
        raise UsageError("13 steps bring bad luck.", next_step="Take 12.")
    key = arguments.get("run_key")
    return StartRequest("walk", dict(arguments), call.owner, key if isinstance(key, str) else None)


WALK: Final = RunTool(
    "walk",
    "Walk",
    "Walks some steps.",
    schema(
        {
            "steps": {"type": "integer", "minimum": 0},
            "delay_s": {"type": "number", "minimum": 0},
            "ask": {"type": "boolean"},
            "twice": {"type": "boolean"},
            "large": {"type": "integer"},
            "crash": {"type": "boolean"},
            "run_key": {"type": "string"},
            "wait_seconds": {"type": "number", "minimum": 0},
        },
        "steps",
    ),
    ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True),
    _prepare,
)


async def walk(context: RunContext, request: StartRequest) -> JsonObject:
    """The body of a run: so many steps of so many seconds."""
    steps = int(str(request.arguments["steps"]))
    if request.arguments.get("crash"):
        raise LookupError(SECRET)
    names = await _asked(context, request)
    for step in range(1, steps + 1):
        await context.report(f"step {step}/{steps}")
        await anyio.sleep(float(str(request.arguments.get("delay_s", 0))))
    result: JsonObject = {"ok": True, "steps": steps, "asked": ", ".join(names) or "None"}
    if request.arguments.get("large"):
        result["large"] = "x" * int(str(request.arguments["large"]))
    return result


async def _asked(context: RunContext, request: StartRequest) -> list[str]:
    """Ask who walks where the run is to, twice at once where it is to; the answers as text."""
    question: JsonObject = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    messages = ["Who walks?", "Who rests?"][: bool(request.arguments.get("ask")) + bool(request.arguments.get("twice"))]
    found: dict[str, str] = {}

    async def ask(message: str) -> None:
        found[message] = str(await context.ask(message, question, seconds=30))

    async with anyio.create_task_group() as group:
        for message in messages:
            group.start_soon(ask, message)
    return [found[message] for message in messages]
