"""Where the demo speaks: numbered steps, what happened, and why."""

import sys
import textwrap
from typing import Final

from handrail.cli.output import Colour, live_line, paint, print_line
from handrail.cli.terminal import knows_escapes, width_of
from handrail.errors import HandrailError

__all__ = ["ShowFailedError", "Stage"]

_INDENT: Final = "   "
_WIDTH: Final = 100  # characters of a line, at most
_NARROWEST: Final = 20  # below that, lines may as well be cut by the terminal


class ShowFailedError(HandrailError):
    """A step did not do what it says. `data["step"]` is its number."""

    type = "demo_failed"


class Stage:
    """Prints numbered steps. On a terminal a live line replaces itself; in a pipe each of its states is a line."""

    def __init__(self) -> None:
        self.steps = 0

    def step(self, title: str) -> None:
        """Begin a step."""
        self.steps += 1
        print_line(f"\n{paint(f'{self.steps}. {title}', Colour.STRONG)}")

    def say(self, text: str) -> None:
        """What happened."""
        for line in _lines(text):
            print_line(f"{_INDENT}{line}")

    def why(self, text: str) -> None:
        """Why it happened so."""
        for line in _lines(text):
            print_line(f"{_INDENT}{paint(line, Colour.QUIET)}")

    def live(self, text: str) -> None:
        """A line that changes while the step goes on; end it with `end_live`."""
        if knows_escapes(sys.stdout):
            sys.stdout.write(live_line(f"{_INDENT}{text}", sys.stdout))
            sys.stdout.flush()
        else:
            self.say(text)

    def end_live(self) -> None:
        """Leave the live line as it stands."""
        if knows_escapes(sys.stdout):
            print_line()

    def check(self, *, that: bool, means: str) -> None:
        """Go on only if the step did what it says.

        Raises:
            ShowFailedError: it did not.
        """
        if not that:
            raise ShowFailedError(
                f"Step {self.steps} did not do what it says: {means}.",
                next_step="Please report it, with everything that is printed above.",
                step=self.steps,
            )


def _lines(text: str) -> list[str]:
    """The text broken between words, for a terminal or a page of a document."""
    width = min(width_of(sys.stdout) or _WIDTH, _WIDTH) - len(_INDENT)
    return textwrap.wrap(text, max(width, _NARROWEST), break_long_words=False, break_on_hyphens=False)
