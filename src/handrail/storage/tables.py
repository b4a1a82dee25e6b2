"""The tables that a room keeps in a database, and the number of their shape."""

from collections.abc import Callable
from dataclasses import dataclass

from handrail.storage.database import Dialect

__all__ = ["Tables"]


@dataclass(frozen=True, slots=True)
class Tables:
    """What makes a database one room's own.

    Attributes:
        name: of what is kept, a word: `runs`.
        version: grows with each change of the tables. A database of a higher number belongs to a newer Handrail and is
            left alone.
        statements: what makes the tables in an empty database.
    """

    name: str
    version: int
    statements: Callable[[Dialect], tuple[str, ...]]
