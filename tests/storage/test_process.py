"""Which process wrote something, and whether it lives."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.storage import process
from handrail.storage.process import ProcessMark, is_alive, started_at, this_process


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="this system cannot wait for an end without taking it")
def test_a_process_that_ended_and_was_not_waited_for_does_not_live() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        mark = ProcessMark(child.pid, started_at(child.pid) or "")
        alive = is_alive(mark)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        dead = not is_alive(mark)

    assert (alive, dead) == (True, True)


@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="this system has no /bin/ps")
def test_where_there_is_no_proc_folder_ps_tells_one_process_from_another() -> None:
    mine = process._started_by_ps(os.getpid())
    again = process._started_by_ps(os.getpid())
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        alive = process._started_by_ps(child.pid)
        child.kill()
    gone = process._started_by_ps(child.pid)

    assert mine
    assert mine == again
    assert alive
    assert gone is None


@pytest.mark.unit
def test_this_process_is_alive_and_one_that_never_was_is_not() -> None:
    mark = this_process()

    assert is_alive(mark)
    assert not is_alive(ProcessMark(mark.pid, "long ago"))
    assert not is_alive(ProcessMark(2**22 + 1, mark.started))
    assert not is_alive(ProcessMark(mark.pid, ""))
