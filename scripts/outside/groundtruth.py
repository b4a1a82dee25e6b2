"""mcp-groundtruth against our server and against a twin that lies: it must believe the one and catch the other.

    python scripts/outside/groundtruth.py MCPGT FOLDER

It starts a server on fresh data for each of some hundred sessions, calls a tool once, twice or twice at a time, and
compares what the stand-in wrote to its file with what the tool's hints promise. The tools and what shall be found of
them stand in `tests/outside/groundtruth/*.toml`.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from handrail.sandbox import SandboxState

PARTS: Final = Path(__file__).parents[2] / "tests" / "outside" / "groundtruth"
ATTEMPTS: Final = "2"  # of two calls at a time, on one connection and on two
BOUND_S: Final = 1200


def main(mcpgt: str, folder: Path) -> int:
    """Look at both servers; exit code 0 where everything was found as it should be.

    Args:
        mcpgt: the command of mcp-groundtruth.
        folder: where definitions, reports and the server's home go.
    """
    ended = {name: _look(mcpgt, folder, name) for name in ("honest", "lying")}
    for name, code in ended.items():
        print(f"groundtruth, {name} server: {'as it should be' if code == 0 else f'exit code {code}'}", flush=True)
    return max(ended.values())


def _look(mcpgt: str, folder: Path, name: str) -> int:
    definition = _define(folder / name, name)
    command = [mcpgt, "run", str(definition), "--concurrent-attempts", ATTEMPTS, "--runs-dir", str(folder / "reports")]
    # The definitions say `python`: it shall be the one that has Handrail.
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        return process.wait(BOUND_S)
    except subprocess.TimeoutExpired:
        return 124
    finally:
        # A server that was killed for being slow leaves its stand-in behind.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _define(folder: Path, name: str) -> Path:
    """A definition as the tool wants it: its own folder, with the data that every session begins with."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("server.py", "liar.py"):
        shutil.copyfile(PARTS / part, folder / part)
    shutil.copyfile(PARTS / f"{name}.toml", folder / "fixture.toml")
    (folder / "seed.json").write_text(json.dumps(SandboxState.seeded().data(stamps=False)))
    return folder


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
