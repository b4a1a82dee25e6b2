"""The first search after a start, and what a server holds before and after it, beside a bare server of the SDK.

`python -m benchmarks.first_search`. The home is warm: the catalog of the SDK has been read before.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import IO, Final

import psutil

__all__ = ["compare"]

_ROUNDS: Final = 7
_SEARCHES: Final = ("ban a user", "list all buckets", "uplaod a flie")
_HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


@dataclass(frozen=True, slots=True)
class _Round:
    """Resident MB before and after the searches, seconds of the first one, and how it was ranked."""

    before_mb: float
    after_mb: float = 0.0
    first_s: float = 0.0
    ranking: str = ""


def compare() -> None:
    """Print the medians."""
    bare = [sys.executable, str(Path(__file__).with_name("bare_server.py"))]
    ours = [sys.executable, "-m", "handrail", "serve"]
    with tempfile.TemporaryDirectory() as home:
        _round(ours, home, search=True)
        pairs = [(_round(bare, home, search=False), _round(ours, home, search=True)) for _ in range(_ROUNDS)]
    base = median(one.before_mb for one, _ in pairs)
    before, after = (median(getattr(two, name) for _, two in pairs) for name in ("before_mb", "after_mb"))
    slowest, middle = max(two.first_s for _, two in pairs), median(two.first_s for _, two in pairs)
    rankings = sorted({two.ranking for _, two in pairs})
    print(f"memory before a search, MB  bare {base:.0f}  handrail {before:.0f}  ratio {before / base:.2f}  (bound 1.4)")
    print(f"memory after searches, MB   bare {base:.0f}  handrail {after:.0f}  ratio {after / base:.2f}  (bound 2.6)")
    print(
        f"first search, s             median {middle:.2f}  slowest {slowest:.2f}  (bound 1)  by {', '.join(rankings)}"
    )


def _round(command: list[str], home: str, *, search: bool) -> _Round:
    environment = {**os.environ, "HANDRAIL_HOME": home}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        seen = psutil.Process(process.pid)
        _ask(process.stdin, process.stdout, 1, "initialize", _HELLO)
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        _ask(process.stdin, process.stdout, 2, "tools/list", {})
        done = _Round(seen.memory_info().rss / 1e6)
        if search:
            began = time.perf_counter()
            ranking = _search(process.stdin, process.stdout, 3, _SEARCHES[0])
            first = time.perf_counter() - began
            for number, query in enumerate(_SEARCHES * 3, start=4):
                _search(process.stdin, process.stdout, number, query)
            done = _Round(done.before_mb, seen.memory_info().rss / 1e6, first, ranking)
        process.stdin.close()
        process.wait(10)
    return done


def _search(to: IO[bytes], come: IO[bytes], number: int, query: str) -> str:
    arguments = {"name": "appwrite_search_tools", "arguments": {"query": query}}
    found = json.loads(_ask(to, come, number, "tools/call", arguments))
    return str(found["result"]["structuredContent"]["ranking"])


def _ask(to: IO[bytes], come: IO[bytes], number: int, method: str, params: object) -> bytes:
    to.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
    to.flush()
    return come.readline()


if __name__ == "__main__":
    compare()
