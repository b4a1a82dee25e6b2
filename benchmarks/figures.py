"""Figures beside their bounds, as one aligned table."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Figure", "percentile", "print_table", "print_verdicts"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure.

    Attributes:
        name: what was measured, with its unit.
        value: the figure.
        bound: what it must not go over; None for one that is only told.
        of: how many times it was measured.
    """

    name: str
    value: float
    bound: float | None = None
    of: int = 1

    @property
    def is_over(self) -> bool:
        """Whether it is over its bound."""
        return self.bound is not None and not self.value <= self.bound

    def cells(self) -> tuple[str, str, str, str, str]:
        """Name, figure, bound, how often, verdict."""
        bound = "" if self.bound is None else f"<= {_short(self.bound)}"
        verdict = "" if self.bound is None else "OVER" if self.is_over else "ok"
        return self.name, _short(self.value), bound, str(self.of), verdict


def percentile(values: Sequence[float], part: float) -> float:
    """The smallest of the values that this part of them does not go over (0.5: the median; 1: the largest)."""
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)]


def print_verdicts(figures: Sequence[Figure]) -> bool:
    """Print them all; whether every one is within its bound."""
    print_table([("", "figure", "bound", "times", ""), *(figure.cells() for figure in figures)])
    return not any(figure.is_over for figure in figures)


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows of as many cells each: the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for name, *others in rows:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        print("  ".join([name.ljust(widths[0]), *cells]).rstrip())


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"  # noqa: PLR2004  (three digits tell enough)
