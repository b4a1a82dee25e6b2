"""The process that does one run: its body, and what ends the body before it ends by itself.

The process group is the run's own. What ends it, in this order: the run's row says that the run has ended; the worker
closes the pipe, or has gone; the worker's signals.
"""

import os
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
from pydantic import ValidationError

from handrail.errors import HandrailError
from handrail.runs.engine import RunBody
from handrail.runs.ledger import KEPT_FOR
from handrail.runs.model import Run, StartRequest
from handrail.runs.outcome import Outcome, failed_with, outcome_of
from handrail.runs.place import RunPlace
from handrail.runs.record import DiskRecord, RecordError
from handrail.runs.store import Database, RunAttempt, StoredLedger, open_store
from handrail.runs.worker.attempt_context import AttemptContext
from handrail.runs.worker.messages import Assignment
from handrail.runs.worker.patience import patiently
from handrail.storage.process import this_process

__all__ = ["run_child"]

_LOOK_SECONDS: Final = 0.1
"""How often it looks whether its run has been ended: a cancel is felt within twice this."""
_UNWIND_SECONDS: Final = 5.0
"""How long a body may unwind once the worker has gone, before the process ends itself."""
_STOPPED: Final = 3
"""The exit code of a child that was stopped before its run ended."""


def run_child(body: RunBody) -> int:
    """Read which run to do from standard input, do it, and end with standard input.

    Args:
        body: does any run.

    Returns:
        The exit code: 0 where the run has ended, or there was none; 3 where it was stopped before its end.
    """
    anyio.run(anyio.lowlevel.checkpoint)  # loads what an event loop needs, before there is a run that waits for it
    line = sys.stdin.buffer.readline()
    if not line:
        return 0  # a child that was kept ready and not needed
    try:
        assignment = Assignment.model_validate_json(line)
    except ValidationError:
        sys.stderr.write("The first line is no run to do: this command is the worker's own.\n")
        return 2
    os.environ["TMPDIR"] = tempfile.tempdir = assignment.scratch
    try:
        return anyio.run(_do, body, assignment)
    finally:
        _end_group_without_worker()


async def _do(body: RunBody, assignment: Assignment) -> int:
    place = RunPlace(Path(assignment.home))
    opening = partial(open_store, place.home, assignment.database_url)
    database = await patiently(opening)
    try:
        attempt = RunAttempt(database, assignment.run_id, assignment.attempt)
        run = await patiently(attempt.run)
        if run is None:
            return 0
        record = DiskRecord(place.records, run.run_id, this_process())
        saved = await patiently(attempt.saved) if run.attempt > 1 else {}
        try:
            context = AttemptContext(attempt, run, record, environment=assignment.environment, saved=saved)
        except RecordError as error:
            outcome: Outcome | None = failed_with(error)
        else:
            outcome = await _watched(body, context, attempt, run)
        if outcome is not None:
            await patiently(partial(attempt.end, outcome, datetime.now(UTC)))
        await _note_end(database, run, record)
        return _STOPPED if await patiently(attempt.is_live) else 0
    finally:
        database.close()


async def _watched(body: RunBody, context: AttemptContext, attempt: RunAttempt, run: Run) -> Outcome | None:
    """How the body ended, or None where it was ended."""
    outcome: list[Outcome] = []
    async with anyio.create_task_group() as group:
        ending = anyio.Event()
        context.end = group.cancel_scope.cancel
        _watch_pipe(ending)
        group.start_soon(_until_ended, attempt, ending)
        group.start_soon(_cancel_at, ending, group.cancel_scope)
        group.start_soon(_tell, context, outcome, group.cancel_scope)
        request = StartRequest(run.agent, run.arguments, run.owner, environment=context.environment)
        outcome.append(await outcome_of(body, context, request))
        group.cancel_scope.cancel()
    if outcome:
        try:
            await context.tell_last()
        except HandrailError as error:  # how it ended counts, and is still to be written
            sys.stderr.write(f"run {run.run_id}: {error.message}\n")
    return outcome[0] if outcome else None


async def _tell(context: AttemptContext, outcome: list[Outcome], scope: anyio.CancelScope) -> None:
    """Tell where the run stands; where that cannot be written, the run ends with the reason."""
    try:
        await context.tell()
    except HandrailError as error:
        outcome.append(failed_with(error))
        scope.cancel()


async def _until_ended(attempt: RunAttempt, ending: anyio.Event) -> None:
    while await patiently(attempt.is_live):  # noqa: ASYNC110  (what it waits for happens in another process)
        await anyio.sleep(_LOOK_SECONDS)
    ending.set()


async def _cancel_at(ending: anyio.Event, scope: anyio.CancelScope) -> None:
    await ending.wait()
    scope.cancel()


def _watch_pipe(ending: anyio.Event) -> None:
    """Set the event once the worker has closed the pipe; end the process where the body does not unwind then.

    A thread: it must work while the body blocks the event loop.
    """
    token = anyio.lowlevel.current_token()

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        _in_loop(ending.set, token)
        time.sleep(_UNWIND_SECONDS)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, name="pipe", daemon=True).start()


def _in_loop(call: Callable[[], None], token: anyio.lowlevel.EventLoopToken) -> None:
    def run() -> None:
        anyio.from_thread.run_sync(call, token=token)

    # A thread of its own: it waits for the loop, which may be blocked for good.
    threading.Thread(target=run, name="stop", daemon=True).start()


def _end_group_without_worker() -> None:
    """Kill the whole group, this process with it, where no worker is left to look after it."""
    if select.select([sys.stdin.fileno()], [], [], 0)[0]:  # nothing more is ever sent: the pipe has been closed
        sys.stdout.flush()
        sys.stderr.flush()
        os.killpg(0, signal.SIGKILL)


async def _note_end(database: Database, run: Run, record: DiskRecord) -> None:
    """Let the record say how the run ended. A disk that refuses does not undo the end, which the store has."""
    ledger = StoredLedger(database, age=KEPT_FOR)
    ended = await patiently(partial(ledger.get, run.run_id, run.owner, datetime.now(UTC)))
    if ended.attempt == run.attempt and ended.status.is_terminal:
        try:
            record.write_run(ended)
        except RecordError as error:
            sys.stderr.write(f"run {run.run_id}: {error.message}\n")
