"""A client of DBOS: enqueues workflows one by one and says how long that took and when each began.

Arguments: the database's address, a workflow's name, how many, seconds between two. Prints one JSON document, then
stays until standard input ends, so that its memory can be looked at.
"""

import json
import sys
import time

__all__ = ["main"]


def main() -> None:
    """Measure, print, wait."""
    url, workflow, times, space = sys.argv[1:]
    began = time.process_time()
    from dbos import DBOSClient  # type: ignore[import-not-found]  # noqa: PLC0415  (an environment of its own, timed)

    imported = time.process_time() - began
    client = DBOSClient(system_database_url=url)
    enqueued: list[float] = []
    picked_up: list[float] = []
    for turn in range(int(times)):
        before = time.time()
        handle = client.enqueue({"workflow_name": workflow, "queue_name": "runs", "app_version": "1"})
        after = time.time()
        started = handle.get_result(polling_interval_sec=0.1)
        enqueued.append((after - before) * 1000)
        picked_up.append((started - after) * 1000)
        time.sleep(float(space) + turn % 10 / 100)
    print(json.dumps({"import_s": imported, "enqueue_ms": enqueued, "pickup_ms": picked_up}), flush=True)
    sys.stdin.read()
    client.destroy()


if __name__ == "__main__":
    main()
