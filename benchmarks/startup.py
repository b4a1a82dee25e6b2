"""Cold start to the first tools/list answer, and memory while serving: Handrail beside a bare server of the SDK."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

import psutil

__all__ = ["Start", "compare"]

_ROUNDS: Final = 9
_MOST_BYTES: Final = 10_000
_INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
_MESSAGES: Final = (
    _INITIALIZE,
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


@dataclass(frozen=True, slots=True)
class Start:
    """One start: CPU seconds until the listing came, resident memory then in MB, bytes of listing and instructions."""

    cpu_s: float
    memory_mb: float
    listing_bytes: int
    instructions_bytes: int


def _start(command: list[str], home: str) -> Start:
    environment = {**os.environ, "HANDRAIL_HOME": home}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in _MESSAGES))
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        listing = process.stdout.readline()
        seen = psutil.Process(process.pid)
        used = seen.cpu_times()
        memory = seen.memory_info().rss / 1e6
        process.stdin.close()
        process.wait(10)
    instructions = first["result"].get("instructions", "").encode()
    return Start(used.user + used.system, memory, len(listing), len(instructions))


def compare() -> None:
    """Print both servers' medians and their ratios."""
    bare = [sys.executable, str(Path(__file__).with_name("bare_server.py"))]
    ours = [sys.executable, "-m", "handrail", "serve"]
    with tempfile.TemporaryDirectory() as home:
        _start(ours, home)
        pairs = [(_start(bare, home), _start(ours, home)) for _ in range(_ROUNDS)]
    ours_said = pairs[0][1]
    told = ours_said.listing_bytes + ours_said.instructions_bytes
    cpu = [median(pair[side].cpu_s for pair in pairs) for side in (0, 1)]
    memory = [median(pair[side].memory_mb for pair in pairs) for side in (0, 1)]
    ratio = median(ours.cpu_s / bare.cpu_s for bare, ours in pairs)
    print(f"cold start, CPU s   bare {cpu[0]:.2f}  handrail {cpu[1]:.2f}  ratio {ratio:.2f}  (bound 1.25)")
    grown = memory[1] / memory[0]
    print(f"memory serving, MB  bare {memory[0]:.0f}  handrail {memory[1]:.0f}  ratio {grown:.2f}  (bound 1.4)")
    print(
        f"what a model reads, bytes   tools/list {ours_said.listing_bytes}  instructions {ours_said.instructions_bytes}"
        f"  together {told}  (bound {_MOST_BYTES})"
    )
