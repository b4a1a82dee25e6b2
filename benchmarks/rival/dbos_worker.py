"""A worker of DBOS: takes workflows from a queue in SQLite that it looks into every 0.2 s, two at once.

Arguments: the database's address, then the command that the workflow `in_process` starts. Ends with standard input.
"""

import subprocess
import sys
import time

from dbos import DBOS  # type: ignore[import-not-found]  # (in an environment of its own)

__all__ = ["main"]


def main() -> None:
    """Work until standard input ends."""
    url, *command = sys.argv[1:]

    def inside() -> float:
        return time.time()

    def in_process() -> float:
        return float(subprocess.run(command, check=True, capture_output=True).stdout)

    DBOS(
        config={
            "name": "bench",
            "system_database_url": url,
            "application_version": "1",
            "log_level": "WARNING",
        }
    )
    for workflow in (inside, in_process):
        DBOS.workflow(name=workflow.__name__)(workflow)
    DBOS.launch()
    DBOS.register_queue("runs", worker_concurrency=2, polling_interval_sec=0.2)
    print("ready", flush=True)
    sys.stdin.read()
    DBOS.destroy()


if __name__ == "__main__":
    main()
