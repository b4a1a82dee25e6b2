"""Following a run to its end, as a line that changes, as lines, or as JSON."""

import sys
from typing import Final, Protocol

import anyio

from handrail.cli.output import print_json, print_line, print_note, progress_line, status_line
from handrail.cli.runs.asking import Asker
from handrail.cli.runs.shown import answer_command, print_run, state_words
from handrail.cli.terminal import knows_escapes
from handrail.runs import Run, RunEngine, run_view

__all__ = ["BesideScreen", "JsonScreen", "LineScreen", "LiveScreen", "Screen", "follow"]

_REDRAW_SECONDS: Final = 1.0


class Screen(Protocol):
    """Where a run is shown as it goes."""

    def tell(self, run: Run) -> None:
        """Show where it stands."""

    def tick(self) -> None:
        """Show how long it takes, while nothing else changes."""

    def leave(self) -> None:
        """Leave what stands there as it is: something else is written now."""

    def end(self, run: Run) -> None:
        """Show how it ended."""


class LiveScreen:
    """A line of standard output that replaces itself; for a terminal."""

    def __init__(self) -> None:
        self._run: Run | None = None
        self._notes = _QuestionNotes()

    def tell(self, run: Run) -> None:
        """See `Screen`."""
        self._run = run
        progress_line(state_words(run), final=run.status.is_terminal)
        if self._notes.has_news(run):
            print_line()
            self._notes.tell(run)

    def tick(self) -> None:
        """See `Screen`."""
        if self._run is not None and not self._run.status.is_terminal:
            progress_line(state_words(self._run))

    def leave(self) -> None:
        """See `Screen`."""
        if self._run is not None and not self._run.status.is_terminal:
            print_line()

    def end(self, run: Run) -> None:
        """See `Screen`."""
        print_run(run)


class LineScreen:
    """A line of standard output for each change of its words; for a pipe."""

    def __init__(self) -> None:
        self._last = ("", "")
        self._notes = _QuestionNotes()

    def tell(self, run: Run) -> None:
        """See `Screen`."""
        if self._last != (run.status, run.message):
            self._last = (run.status, run.message)
            progress_line(state_words(run))
        self._notes.tell(run)

    def tick(self) -> None:
        """See `Screen`."""

    def leave(self) -> None:
        """See `Screen`."""

    def end(self, run: Run) -> None:
        """See `Screen`."""
        print_run(run)


class JsonScreen:
    """The run as one line of JSON for each change; for a program."""

    def tell(self, run: Run) -> None:
        """See `Screen`."""
        print_json(run_view(run), one_line=True)

    def tick(self) -> None:
        """See `Screen`."""

    def leave(self) -> None:
        """See `Screen`."""

    def end(self, run: Run) -> None:
        """See `Screen`."""


class BesideScreen:
    """A line of standard error, beside an answer on standard output; in a pipe only the last one.

    Args:
        asker: asks a person; None: a note says how the run is answered.
    """

    def __init__(self, asker: Asker | None) -> None:
        self._run: Run | None = None
        self._asker = asker
        self._notes = _QuestionNotes()

    def tell(self, run: Run) -> None:
        """See `Screen`."""
        self._run = run
        if self._asker is not None:
            if run.questions:
                self.leave()
            self._asker.look(run)
        elif self._notes.has_news(run):
            self.leave()
            self._notes.tell(run)
        if not run.questions:
            status_line(state_words(run), final=run.status.is_terminal)

    def tick(self) -> None:
        """See `Screen`."""
        run = self._run
        if run is not None and not run.questions and not run.status.is_terminal and knows_escapes(sys.stderr):
            status_line(state_words(run))

    def leave(self) -> None:
        """See `Screen`."""
        if knows_escapes(sys.stderr):
            print_note("")

    def end(self, run: Run) -> None:
        """See `Screen`. The answer on standard output says it."""


class _QuestionNotes:
    """Says once of each question how it is answered."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def has_news(self, run: Run) -> bool:
        """Whether there is one that has not been told of."""
        return any(question.key not in self._told for question in run.questions)

    def tell(self, run: Run) -> None:
        """Tell of those."""
        for question in run.questions:
            if question.key not in self._told:
                self._told.add(question.key)
                print_note(f"The run asks: {question.message} Answer: {answer_command(run, question)}")


async def follow(engine: RunEngine, run: Run, screen: Screen, asker: Asker | None = None) -> Run:
    """Show a run as it goes; as it ended.

    Args:
        engine: keeps it.
        run: as it stands.
        screen: where it is shown.
        asker: asks a person what the run asks.
    """
    last = run
    async with anyio.create_task_group() as group:
        group.start_soon(_tick, screen)
        if asker is not None:
            group.start_soon(asker.ask_each)
        async with engine.watch(run.run_id, run.owner) as changes:
            async for last in changes:
                screen.tell(last)
        group.cancel_scope.cancel()
    return last


async def _tick(screen: Screen) -> None:
    while True:
        await anyio.sleep(_REDRAW_SECONDS)
        screen.tick()
