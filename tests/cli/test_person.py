"""The question that a grave `handrail call` asks, at a pseudo-terminal."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handrail.approvals.pin import set_pin
from tests.cli.terminal_process import AtTerminal

PROBE = Path(__file__).with_name("ask_probe.py")
YES = b"=> accept {'approve': True} True"
NO = b"=> decline {} True"


@contextmanager
def asked(home: Path, *, seconds: float = 60, on_terminal: bool = True) -> Iterator[AtTerminal]:
    screen, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(PROBE), str(seconds)],
        env={**os.environ, "HANDRAIL_HOME": str(home), "TERM": "xterm"},
        stdin=theirs if on_terminal else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    try:
        yield AtTerminal(process, screen)
    finally:
        process.kill()
        process.wait(60)
        os.close(theirs)
        os.close(screen)


@pytest.mark.parametrize(("answer", "said"), [("y\n", YES), ("n\n", NO), ("\n", NO), ("\x04", NO)])
def test_a_person_at_the_terminal_says_yes_or_no(tmp_path: Path, answer: str, said: bytes) -> None:
    with asked(tmp_path) as terminal:
        terminal.until(b"[y/N] ")
        terminal.type(answer)
        terminal.until(b"=> ")
        terminal.until(said)

    assert b"\\x1b[2JReally?" in terminal.shown


def test_no_answer_in_time_is_a_no(tmp_path: Path) -> None:
    with asked(tmp_path, seconds=0.1) as terminal:
        terminal.until(NO)


def test_without_a_terminal_nobody_is_asked(tmp_path: Path) -> None:
    with asked(tmp_path, on_terminal=False) as terminal:
        terminal.until(b"=> nobody")

    assert b"[y/N]" not in terminal.shown


@pytest.mark.parametrize(("pin", "said"), [("4711", YES), ("0000", NO)])
def test_with_a_pin_a_yes_needs_it(tmp_path: Path, pin: str, said: bytes) -> None:
    set_pin(tmp_path, "4711")

    with asked(tmp_path) as terminal:
        terminal.until(b"[y/N] ")
        terminal.type("y\n")
        terminal.until(b"PIN: ")
        terminal.type(f"{pin}\n")
        terminal.until(said)

    assert pin.encode() not in terminal.shown.split(b"PIN: ")[1]
