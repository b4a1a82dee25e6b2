"""Where the demo speaks: numbered steps, what happened, and why."""

import sys

from handrail.cli.output import Colour, paint, print_line
from handrail.errors import HandrailError

__all__ = ["ShowFailedError", "Stage"]


class ShowFailedError(HandrailError):
    """A step did not do what it says. `data["step"]` is its number."""

    type = "demo_failed"


class Stage:
    """Prints numbered steps. On a terminal a live line replaces itself; in a pipe only its last state is printed."""

    def __init__(self) -> None:
        self.steps = 0

    def step(self, title: str) -> None:
        """Begin a step."""
        self.steps += 1
        print_line(f"\n{paint(f'{self.steps}. {title}', Colour.STRONG)}")

    def say(self, text: str) -> None:
        """What happened."""
        print_line(f"   {text}")

    def why(self, text: str) -> None:
        """Why it happened so."""
        print_line(f"   {paint(text, Colour.QUIET)}")

    def live(self, text: str, *, final: bool = False) -> None:
        """A line that changes while the step goes on."""
        if sys.stdout.isatty():
            sys.stdout.write(f"\r\x1b[K   {text}" + ("\n" if final else ""))
            sys.stdout.flush()
        else:
            print_line(f"   {text}")

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
