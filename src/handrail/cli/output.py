"""What a person sees: aligned, short, coloured only on a terminal; JSON for machines.

Names, messages and answers are other people's words: what is written for people is made visible first, so that no
text can move the cursor, erase a line or turn its direction.
"""

import json
import os
import re
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, TextIO, TypeAlias

from handrail.cli.terminal import USUAL_WIDTH, escaped, knows_escapes, one_line, visible, width_of
from handrail.errors import HandrailError, UnavailableError
from handrail.json_types import Json

__all__ = [
    "Cell",
    "Colour",
    "OutputError",
    "live_line",
    "paint",
    "print_json",
    "print_line",
    "print_note",
    "print_table",
    "progress_line",
    "prompt",
    "report_error",
    "silence",
    "status_line",
]


class OutputError(UnavailableError):
    """Standard output cannot be written to. `data["problem"]` holds the system's own words."""

    type = "output_failed"


class Colour(StrEnum):
    """The few colours that mean something."""

    GOOD = "32"
    BAD = "31"
    CARE = "33"
    QUIET = "2"
    STRONG = "1"


Cell: TypeAlias = str | tuple[str, Colour]
"""What stands in a table, and its colour where a terminal shows colours."""

# What `paint` makes, and nothing else: the one escape that may reach a terminal.
_PAINT: Final = re.compile(rf"(\x1b\[(?:0|{'|'.join(Colour)})m)")
_PLAIN: Final = "\x1b[0m"


def paint(text: str, colour: Colour, stream: TextIO | None = None) -> str:
    """The text in a colour where the stream is a terminal that shows colours, else the text as it is."""
    return f"\x1b[{colour.value}m{visible(text)}{_PLAIN}" if _shows_colours(stream or sys.stdout) else text


def print_line(text: str = "") -> None:
    """One line on standard output.

    Raises:
        OutputError: it cannot be written.
    """
    _write(f"{_shown(text)}\n")


def print_json(document: Json, *, one_line: bool = False) -> None:
    """One JSON document on standard output; a reader gets back every character, a terminal no control character.

    Args:
        document: the document.
        one_line: on one line, where more than one document may come.

    Raises:
        OutputError: it cannot be written.
    """
    _write(f"{escaped(json.dumps(document, ensure_ascii=False, indent=None if one_line else 2))}\n")


def print_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Columns as wide as their longest cell; the last one is cut at the terminal's width, never in a pipe.

    Raises:
        OutputError: it cannot be written.
    """
    shown = [[one_line(_text(cell)) for cell in row] for row in [headers, *rows]]
    widths = [max(len(row[column]) for row in shown) for column in range(len(headers))]
    room = width_of(sys.stdout)
    print_line(paint(_row(shown[0], widths, room), Colour.STRONG))
    for cells, row in zip(rows, shown[1:], strict=True):
        print_line(_painted(_row(row, widths, room), cells, widths))


def report_error(error: HandrailError) -> None:
    """What went wrong and what to do, on standard error."""
    next_step = f"       {one_line(error.next_step)}\n" if error.next_step else ""
    _tell(f"{paint('error', Colour.BAD, sys.stderr)}: {one_line(error.message)}\n{next_step}")


def print_note(text: str) -> None:
    """One line on standard error, beside the answer."""
    _tell(f"{one_line(text)}\n")


def status_line(text: str, *, final: bool = False) -> None:
    """A line on standard error that replaces itself on a terminal; in a pipe only the final one is written."""
    if knows_escapes(sys.stderr):
        _tell(live_line(text, sys.stderr) + ("\n" if final else ""))
    elif final:
        print_note(text)


def progress_line(text: str, *, final: bool = False) -> None:
    """A line on standard output that replaces itself on a terminal; in a pipe each one is a line.

    Raises:
        OutputError: it cannot be written.
    """
    if knows_escapes(sys.stdout):
        _write(live_line(text, sys.stdout) + ("\n" if final else ""))
    else:
        print_line(one_line(text))


def prompt(words: str) -> None:
    """Words on standard error after which something is typed."""
    _tell(one_line(words))


def live_line(text: str, stream: TextIO) -> str:
    """A line for the terminal that reads the stream, taking the place of the last one, and that by blanks alone."""
    room = max((width_of(stream) or USUAL_WIDTH) - 1, 1)
    return f"\r{one_line(text)[:room].ljust(room)}"


def _tell(text: str) -> None:
    """Write to standard error. Whatever becomes of that, the work goes on: nothing depends on its being read."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """Let everything that is still written to the stream go nowhere, also what its buffer holds."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(
            f"Standard output cannot be written to: {error.strerror}.",
            next_step="What was asked for may have been done all the same; only its answer is lost.",
            problem=error.strerror,
        ) from error


def _shown(text: str) -> str:
    """The text, visible, but for the colours that `paint` gave it; they end where it ends."""
    parts = _PAINT.split(text) if _shows_colours(sys.stdout) else [text]
    painted = "".join(part if place % 2 else visible(part) for place, part in enumerate(parts))
    return painted if len(parts) == 1 or parts[-2] == _PLAIN else f"{painted}{_PLAIN}"


def _shows_colours(stream: TextIO) -> bool:
    return knows_escapes(stream) and not os.environ.get("NO_COLOR")


def _row(cells: Sequence[str], widths: Sequence[int], room: int | None) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    line = "  ".join(padded).rstrip()
    return line if room is None or len(line) <= room else f"{line[: max(room - 1, 0)]}…"


def _painted(line: str, cells: Sequence[Cell], widths: Sequence[int]) -> str:
    """The line of a table with the colours of its cells. From its end: what is before keeps its place."""
    for column in reversed(range(len(cells))):
        cell = cells[column]
        if isinstance(cell, tuple):
            begin = sum(widths[:column]) + 2 * column
            end = begin + len(one_line(cell[0]))
            line = f"{line[:begin]}{paint(line[begin:end], cell[1])}{line[end:]}" if end <= len(line) else line
    return line


def _text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell[0]
