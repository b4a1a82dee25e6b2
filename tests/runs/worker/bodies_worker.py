"""`python -m tests.runs.worker.bodies_worker HOME OPTIONS`: a worker whose children are `bodies_child`."""

import json
import logging
import sys
from pathlib import Path
from typing import Final
from unittest import mock

import anyio
from pydantic import BaseModel, ConfigDict

from handrail.runs import RunPlace
from handrail.runs.worker import WorkerLimits, recovery, serve_worker

__all__ = ["CHILD", "Options", "main"]

CHILD: Final = (sys.executable, "-m", "tests.runs.worker.bodies_child")


class Options(BaseModel):
    """How the worker is. Times are in seconds."""

    model_config = ConfigDict(frozen=True)

    version: str = "1"
    slots: int = 2
    idle_s: float = 60.0
    run_s: float = 600.0
    environment_s: float = 30.0
    recovery_s: float = 2.0
    lease_s: float = 30.0
    database_url: str = ""
    child: tuple[str, ...] = CHILD


def main(home: str, options: str) -> int:
    """Be the worker; the exit code: 7 where another is."""
    logging.basicConfig(level=logging.INFO)
    given = Options.model_validate(json.loads(options))
    limits = WorkerLimits(slots=given.slots, idle_s=given.idle_s, run_s=given.run_s, lease_s=given.lease_s)

    async def serve() -> bool:
        return await serve_worker(
            RunPlace(Path(home)),
            given.child,
            version=given.version,
            database_url=given.database_url,
            limits=limits,
        )

    with (
        mock.patch.object(recovery, "_ENVIRONMENT_SECONDS", given.environment_s),
        mock.patch.object(recovery, "_EVERY_SECONDS", given.recovery_s),
    ):
        return 0 if anyio.run(serve) else 7


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
