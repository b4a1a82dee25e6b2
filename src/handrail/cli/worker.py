"""`handrail worker`."""

import logging
import os

import anyio

from handrail.cli.output import print_json, print_line, print_note
from handrail.json_types import Json
from handrail.run_composition import run_place, serve_runs, worker_link
from handrail.runs.worker import Order, OrderKind, WorkerState
from handrail.settings import load_settings

__all__ = ["order_worker", "work"]


def work() -> int:
    """Be the worker of the home folder until there is nothing left to do.

    Raises:
        HomeError: the home folder cannot be used.
        StoreError: the store of runs cannot.
    """
    # In English and with the time: it is read in a file.
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    settings = load_settings()
    log = logging.getLogger("handrail.worker")
    log.info("worker %d of %s begins, %d slots", os.getpid(), run_place(settings).home, settings.run_slots)
    if not anyio.run(serve_runs, settings):
        print_note("Another process is the worker of this home folder already: `handrail worker --show` tells which.")
        return 0
    log.info("worker %d ends", os.getpid())
    return 0


def order_worker(kind: OrderKind | None, *, as_json: bool) -> int:
    """Tell the worker of the home folder something, and print where it stands.

    Args:
        kind: what; None: nothing, only ask.
        as_json: print JSON.

    Returns:
        The exit code: 1 where there is no worker.
    """
    state = anyio.run(_order, kind)
    if as_json:
        shown: Json = None if state is None else state.model_dump()
        print_json({"worker": shown})
    elif state is None:
        print_line("No worker is at work in this home folder. The first run starts one.")
    else:
        ending = ", ends when its runs have" if state.draining else ""
        runs = f"{len(state.running)} run{'' if len(state.running) == 1 else 's'}"
        print_line(f"worker {state.pid} (version {state.version}) does {runs}{ending}")
        for run_id in state.running:
            print_line(f"  {run_id}")
    return 0 if state else 1


async def _order(kind: OrderKind | None) -> WorkerState | None:
    return await worker_link(load_settings()).tell(Order() if kind is None else Order(kind=kind))
