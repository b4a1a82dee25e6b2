"""What a person sees: aligned, short, coloured only on a terminal; JSON for machines."""

import json
import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import TextIO

from handrail.errors import HandrailError
from handrail.json_types import Json

__all__ = ["Colour", "paint", "print_json", "print_line", "print_table", "report_error", "status_line"]


class Colour(StrEnum):
    """The few colours that mean something."""

    GOOD = "32"
    BAD = "31"
    CARE = "33"
    QUIET = "2"
    STRONG = "1"


def paint(text: str, colour: Colour, stream: TextIO | None = None) -> str:
    """The text in a colour where the stream is a terminal that shows colours, else the text as it is."""
    target = stream or sys.stdout
    if not target.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{colour.value}m{text}\x1b[0m"


def print_line(text: str = "") -> None:
    """One line on standard output."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def print_json(document: Json) -> None:
    """One JSON document on standard output."""
    print_line(json.dumps(document, ensure_ascii=False, indent=2))


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as their longest cell; the last one is cut at the terminal's width, never in a pipe."""
    widths = [max(len(row[column]) for row in [headers, *rows]) for column in range(len(headers))]
    room = _terminal_width()
    print_line(paint(_row(headers, widths, room), Colour.STRONG))
    for row in rows:
        print_line(_row(row, widths, room))


def report_error(error: HandrailError) -> None:
    """What went wrong and what to do, on standard error."""
    sys.stderr.write(f"{paint('error', Colour.BAD, sys.stderr)}: {error.message}\n")
    if error.next_step:
        sys.stderr.write(f"       {error.next_step}\n")


def status_line(text: str, *, final: bool = False) -> None:
    """A line on standard error that replaces itself on a terminal; in a pipe only the final one is written."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text[: (_terminal_width() or 80) - 1]}" + ("\n" if final else ""))
    elif final:
        sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _row(cells: Sequence[str], widths: Sequence[int], room: int | None) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    line = "  ".join(padded).rstrip()
    return line if room is None or len(line) <= room else f"{line[: room - 1]}…"


def _terminal_width() -> int | None:
    return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else None
