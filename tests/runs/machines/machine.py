"""Machines: homes on one database, each with a worker of its own, and what can happen to a whole machine."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from handrail.runs import Run
from tests.runs.worker.bodies_worker import Options
from tests.runs.worker.homes import Home, until
from tests.runs.worker_home import home_of_runs, processes_of

__all__ = [
    "LEASE_SECONDS", "LOOK_SECONDS", "OPTIONS", "Machines", "asleep", "home_id", "lease_of", "made_machines",
    "power_off", "signatures", "until_taken_by",
]  # fmt: skip

LEASE_SECONDS: Final = 1.5
LOOK_SECONDS: Final = 0.5
"""How often a worker looks for runs of machines that have not been heard of."""
OPTIONS: Final = Options(lease_s=LEASE_SECONDS, recovery_s=LOOK_SECONDS)


@dataclass(frozen=True, slots=True)
class Machines:
    """Homes on one database. What their runs do is in one folder.

    Attributes:
        homes: all of them.
    """

    homes: Sequence[Home]

    @property
    def one(self) -> Home:
        """The first."""
        return self.homes[0]

    @property
    def other(self) -> Home:
        """The second."""
        return self.homes[1]


@contextmanager
def made_machines(folder: Path, *urls: str) -> Iterator[Machines]:
    """As many machines as addresses of the database, for as long as this is open."""
    acts = folder / "acts"
    acts.mkdir()
    homes: list[Home] = []
    with ExitStack() as stack:
        for number, url in enumerate(urls):
            home = folder / f"home{number}"
            home.mkdir(mode=0o700)
            homes.append(Home(stack.enter_context(home_of_runs(home)), acts, url))
        yield Machines(homes)
        for made in homes:
            made.end_workers()


def home_id(home: Home) -> str:
    """What the database calls a home."""
    return home.place.identity()


def lease_of(home: Home, run: Run) -> float:
    """Until when a run belongs to who took it, by the database's clock, which is this machine's."""
    return float(str(home.column("lease_until", run)))


async def until_taken_by(home: Home, run: Run) -> None:
    """Wait until the worker of this home has a run."""
    await until(lambda: str(home.column("worker", run)).split()[0] == home_id(home), what=home.told())


def signatures(home: Home, name: str) -> list[tuple[int, float]]:
    """Which processes signed a file, and when."""
    path = home.folder / name
    lines = path.read_text().splitlines() if path.exists() else []
    return [(int(line.split()[0]), float(line.split()[1])) for line in lines]


def power_off(home: Home) -> None:
    """All processes of a machine are gone at once."""
    _all(home, signal.SIGSTOP)  # else one would see another end
    _all(home, signal.SIGKILL)


@contextmanager
def asleep(home: Home) -> Iterator[None]:
    """While this is open, all processes of a machine stand still."""
    _all(home, signal.SIGSTOP)
    try:
        yield
    finally:
        _all(home, signal.SIGCONT)


def _all(home: Home, number: signal.Signals) -> None:
    for process in processes_of(home.place):
        os.kill(process.pid, number)
