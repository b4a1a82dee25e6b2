"""Which process wrote something, and whether it still lives: a process id alone may have been given to another."""

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ProcessMark", "is_alive", "is_of_this_boot", "mark_of", "started_at", "this_process"]

_PS_SECONDS = 5


@dataclass(frozen=True, slots=True)
class ProcessMark:
    """A process for ever: its id, and when it started in the words of this system (empty: could not be learnt)."""

    pid: int
    started: str

    def as_text(self) -> str:
        """The mark in one line."""
        return f"{self.pid} {self.started}"

    @classmethod
    def of_text(cls, text: str) -> "ProcessMark":
        """The mark that `as_text` wrote."""
        pid, _, started = text.partition(" ")
        return cls(int(pid), started)


def this_process() -> ProcessMark:
    """The mark of the process that asks."""
    return mark_of(os.getpid())


def mark_of(pid: int) -> ProcessMark:
    """The mark of a process that has this id now."""
    return ProcessMark(pid, started_at(pid) or "")


def is_alive(mark: ProcessMark) -> bool:
    """Whether that very process lives. A zombie does not; another process with the same id does not count."""
    return bool(mark.started) and started_at(mark.pid) == mark.started


def is_of_this_boot(mark: ProcessMark) -> bool:
    """Whether the process may have been started since this machine was. True where that cannot be learnt."""
    boot = _boot()
    return boot is None or mark.started.startswith(f"{boot}/")


def started_at(pid: int) -> str | None:
    """When a process started, in the words of this system; None when there is no such process, or a zombie."""
    if Path("/proc/self/stat").exists():
        return _started_on_linux(pid)
    return _started_by_ps(pid)


def _started_on_linux(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    boot = _boot()
    if boot is None:
        return None
    # The name may hold spaces and brackets; what follows it is fixed: state first, start in clock ticks as the 20th.
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in {"Z", "X"} else f"{boot}/{fields[19]}"


def _boot() -> str | None:
    """The id of this boot of a Linux machine."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None


def _started_by_ps(pid: int) -> str | None:
    import subprocess  # noqa: PLC0415  (only where there is no /proc)

    found = subprocess.run(  # noqa: S603  (a fixed program and a number)
        ["/bin/ps", "-o", "stat=,lstart=", "-p", str(pid)],
        capture_output=True,
        text=True,
        timeout=_PS_SECONDS,
        check=False,
        env={"LC_ALL": "C", "TZ": "UTC"},
    )
    state, _, started = found.stdout.strip().partition(" ")
    return started.strip() if found.returncode == 0 and not state.startswith("Z") else None
