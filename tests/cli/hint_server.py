"""An MCP server in plain JSON-RPC that can misbehave: `python hint_server.py MODE LOG`. Its log names each request."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

__all__: list[str] = []

_READ: Final = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
_ESCAPE: Final = "wipe\x1b[2J\u202eall"


def _tool(name: str, annotations: dict[str, bool] | None = None) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": name, "title": "T", "inputSchema": {"type": "object"}}
    return tool if annotations is None else {**tool, "annotations": annotations}


_PAGES: Final[dict[str, list[dict[str, Any]]]] = {
    "good": [{"tools": [_tool("list_users", _READ)], "nextCursor": "2"}, {"tools": [_tool("get_user", _READ)]}],
    "wrong": [{"tools": [_tool("delete_user", _READ), _tool("nothing"), _tool(_ESCAPE, _READ)]}],
    "malformed": [{"tools": [{"name": 7}]}],
    "circle": [{"tools": [], "nextCursor": "same"}],
}


def _pages(mode: str) -> Iterator[dict[str, Any]]:
    yield from _PAGES.get(mode, [])
    while True:
        yield {"tools": [_tool("list_more", _READ)], "nextCursor": str(time.monotonic_ns())} | (
            {"nextCursor": "same"} if mode == "circle" else {}
        )


def _babble(text: str) -> None:
    while True:
        sys.stdout.write(text)
        sys.stdout.flush()


def main(mode: str, log: Path) -> None:
    """Serve until the input ends, in one of the ways that `tests/cli/test_lint.py` names."""
    if mode == "dies":
        sys.stderr.write("no token\n\n")
        sys.exit(3)
    if mode in {"lines", "blob"}:
        _babble("garbage\n" if mode == "lines" else "x" * 65_536)
    pages = _pages(mode)
    for line in sys.stdin:
        request = json.loads(line)
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{request['method']}\n")
        if "id" not in request or mode == "hangs":
            continue
        if mode == "dies-late" and request["method"] == "tools/list":
            sys.exit(4)
        _answer(request, _result(request["method"], pages, mode))


def _result(method: str, pages: Iterator[dict[str, Any]], mode: str) -> dict[str, Any] | None:
    if method == "initialize":
        info = {"name": "under-test", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    return next(pages) if method == "tools/list" and mode != "no-tools" else None


def _answer(request: dict[str, Any], result: dict[str, Any] | None) -> None:
    outcome = {"error": {"code": -32601, "message": "not here"}} if result is None else {"result": result}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **outcome}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
