"""The server that mcp-groundtruth looks at: `handrail serve`, on a stand-in that writes its data to `state.json`.

Run by a Python that has Handrail. Two servers on the same folder share a stand-in: whoever comes second waits until the
first has noted its address.
"""

import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from handrail.sandbox import API_KEY, PROJECT_ID

EXPOSED: Final = "functions,locale,storage,tables_db,teams,users"
HANDRAIL: Final = (sys.executable, "-m", "handrail")
_SAID: Final = re.compile(r"http://\S+/v1")


def main() -> int:
    """Serve until standard input ends; exit code of the server."""
    folder = Path(os.environ["MCPGT_STATE_DIR"])
    with ExitStack() as until_the_end:
        with (folder / "address").open("a+") as note:
            # Held until the address is noted; no bound of its own: who started this server does not wait long.
            fcntl.flock(note, fcntl.LOCK_EX)
            note.seek(0)
            endpoint = note.read()
            if not endpoint:
                endpoint = until_the_end.enter_context(_stand_in(folder / "state.json"))
                note.write(endpoint)
        return _serve(endpoint)


@contextmanager
def _stand_in(state: Path) -> Iterator[str]:
    command = [*HANDRAIL, "sandbox", "--state", str(state)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            said = (_SAID.search(line) for line in process.stdout or ())
            endpoint = next((match[0] for match in said if match), None)
            if endpoint is None:
                sys.exit("the stand-in did not start")
            yield endpoint
        finally:
            process.terminate()


def _serve(endpoint: str) -> int:
    environment = {
        "APPWRITE_ENDPOINT": endpoint,
        "APPWRITE_PROJECT_ID": PROJECT_ID,
        "APPWRITE_API_KEY": API_KEY,
        "HANDRAIL_HOME": str(Path(__file__).parents[1] / "home"),
        "HANDRAIL_WRITES": "allow",  # it looks at what calls do, not at who agrees to them
    }
    command = [*HANDRAIL, "serve", "--toolset", "appwrite", "--expose", EXPOSED]
    return subprocess.run(command, env={**os.environ, **environment}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
