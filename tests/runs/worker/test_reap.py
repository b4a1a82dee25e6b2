"""What a killed worker left of a run's process group is killed, and nothing that was given its number since."""

import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import anyio
import pytest

from handrail.runs.worker.child_process import reap
from handrail.storage.process import ProcessMark, is_of_this_boot, mark_of, this_process
from tests.runs.worker.homes import is_running, until


@dataclass(frozen=True, slots=True)
class _Group:
    """A process group whose leader has gone.

    Attributes:
        mark: of its leader.
        member: what is left of it; it says what it hears.
    """

    mark: ProcessMark
    member: int
    to_member: IO[bytes]
    from_member: IO[bytes]

    def answers(self) -> bool:
        """Whether what is left is alive: one that has just been killed may still be seen for a moment."""
        self.to_member.write(b"alive\n")
        self.to_member.flush()
        return self.from_member.readline() == b"alive\n"


@pytest.fixture
def group() -> Iterator[_Group]:
    """One that is left; nothing of it is there afterwards."""
    words = ["/bin/sh", "-c", "exec 3<&0; cat <&3 & echo $!; exec 3<&-; exec sleep 600"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
    ) as leader:
        assert leader.stdin is not None
        assert leader.stdout is not None
        member = int(leader.stdout.readline())
        mark = mark_of(leader.pid)
        leader.kill()
        leader.wait()
        try:
            assert os.getpgid(member) == mark.pid
            yield _Group(mark, member, leader.stdin, leader.stdout)
        finally:
            if is_running(member):
                os.kill(member, signal.SIGKILL)


async def test_what_is_left_of_a_group_is_killed_with_its_leader_gone(group: _Group, tmp_path: Path) -> None:
    await reap(group.mark, tmp_path / "scratch")

    await until(lambda: not is_running(group.member))


@pytest.mark.promise("foreign-groups-are-left-alone")
async def test_a_group_of_the_same_number_is_left_alone_after_the_machine_was_restarted(
    group: _Group, tmp_path: Path
) -> None:
    boot, _, start = group.mark.started.partition("/")
    before = ProcessMark(group.mark.pid, f"{boot[::-1]}/{start}")

    await reap(before, tmp_path / "scratch")

    assert group.answers()
    await reap(group.mark, tmp_path / "scratch")
    await until(lambda: not is_running(group.member))


async def test_a_process_that_was_given_the_same_number_is_left_alone(tmp_path: Path) -> None:
    async with await anyio.open_process(["/bin/cat"], start_new_session=True) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        mark = mark_of(other.pid)
        await reap(ProcessMark(mark.pid, f"{mark.started}0"), tmp_path / "scratch")
        await other.stdin.send(b"alive")
        assert await other.stdout.receive() == b"alive"
        await reap(mark, tmp_path / "scratch")
        assert await other.wait() == -signal.SIGKILL


def test_only_marks_of_this_boot_are_of_this_boot() -> None:
    mine = this_process()
    assert is_of_this_boot(mine)
    assert not is_of_this_boot(ProcessMark(mine.pid, "another/1"))
    assert not is_of_this_boot(ProcessMark(mine.pid, ""))
