"""Waiting for a run: with progress, within a budget, and what a cancel of the waiting call does to the run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio

from handrail.protocol.clients import WaitPolicy
from handrail.protocol.tool import Call
from handrail.runs import Run, RunEngine, RunStatus, StartRequest

__all__ = ["PROGRESS_SECONDS", "RunWaiter"]

PROGRESS_SECONDS: Final = 1.0
"""How often a waiting call reports."""
_CANCEL_SECONDS: Final = 2.0
"""How long the engine may take to note that a run is cancelled."""


class RunWaiter:
    """Waits for runs of one engine."""

    def __init__(self, engine: RunEngine, policy: WaitPolicy) -> None:
        self.engine = engine
        self.policy = policy
        self._closing = False

    def begin_shutdown(self) -> None:
        """From now on a cancelled wait is the server's end, not the caller's wish: runs go on."""
        self._closing = True

    async def wait(self, run: Run, call: Call, seconds: float) -> Run:
        """The run once it has ended or asks for input, or as it stands after `seconds`; reports about once a second."""
        began = anyio.current_time()
        # Watched all along, so that nobody takes the run for one that nobody waits for between two reports.
        async with self.engine.watch(run.run_id, run.owner):
            while run.status is RunStatus.WORKING:
                elapsed = anyio.current_time() - began
                if elapsed >= seconds:
                    break
                run = await self.engine.wait(run.run_id, run.owner, min(PROGRESS_SECONDS, seconds - elapsed))
                if run.status is RunStatus.WORKING:
                    await call.progress(run.message, round(anyio.current_time() - began, 3))
        return run

    @asynccontextmanager
    async def cancelling(self, run: Run, request: StartRequest) -> AsyncIterator[None]:
        """While this is open, a cancel of the caller ends the run that it started, and that nobody else waits for.

        The setting may say to leave it alone altogether. A call whose `run_key` gave it another call's run never ends
        it.
        """
        try:
            yield
        except anyio.get_cancelled_exc_class():
            if run.started_by == request.started_by and not self._closing and not self.policy.detach_on_cancel:
                with anyio.move_on_after(_CANCEL_SECONDS, shield=True):
                    await self.engine.abandon(run.run_id, run.owner)
            raise
