"""Puts together what does runs: engine, worker, child. Apart from the server's, so that a worker loads no server."""

import sys
from typing import TYPE_CHECKING, Final

from handrail import __version__
from handrail.home import home_folder
from handrail.runs import DurableEngine, RunPlace
from handrail.settings import Settings

if TYPE_CHECKING:
    from handrail.runs.worker import WorkerLink
    from handrail.storage import Database

__all__ = ["run_engine", "run_place", "serve_runs", "worker_link"]

# -P: what lies in the folder where they are started is no code of ours.
_WORKER: Final = (sys.executable, "-P", "-m", "handrail", "worker")
_CHILD: Final = (sys.executable, "-P", "-m", "handrail.run_child")


def run_engine(settings: Settings) -> DurableEngine:
    """The engine over the store of runs; enter it before its first run. A home that cannot be used is told then."""
    url = settings.database_url.get_secret_value()

    def open_database() -> "Database":
        from handrail.runs.store import open_store  # noqa: PLC0415  (not needed to start a server)

        return open_store(home_folder(settings), url)

    return DurableEngine(open_database, lambda: worker_link(settings), shared=bool(url), limit=settings.max_runs)


def worker_link(settings: Settings) -> "WorkerLink":
    """The way to the worker of the home folder.

    Raises:
        HomeError: the home folder cannot be used.
    """
    from handrail.runs.worker import WorkerLink  # noqa: PLC0415  (not needed to start a server)

    place = run_place(settings)
    handed = {
        "HANDRAIL_HOME": str(place.home),
        "HANDRAIL_DATABASE_URL": settings.database_url.get_secret_value(),
        "HANDRAIL_RUN_SLOTS": str(settings.run_slots),
        "HANDRAIL_WORKER_IDLE_S": f"{settings.worker_idle_s:g}",
    }
    return WorkerLink(place, _WORKER, version=__version__, settings=handed)


async def serve_runs(settings: Settings) -> bool:
    """Be the worker of the home folder until there is nothing left to do; False where there is one already.

    Raises:
        HomeError: the home folder cannot be used.
        StoreError: the store of runs cannot.
    """
    from handrail.runs.worker import WorkerLimits, serve_worker  # noqa: PLC0415  (a server never needs it)

    limits = WorkerLimits(slots=settings.run_slots, idle_s=settings.worker_idle_s)
    return await serve_worker(
        run_place(settings),
        _CHILD,
        version=__version__,
        database_url=settings.database_url.get_secret_value(),
        limits=limits,
    )


def run_place(settings: Settings) -> RunPlace:
    """Where the runs of the home folder keep what they need on disk.

    Raises:
        HomeError: the home folder cannot be used.
    """
    return RunPlace(home_folder(settings))
