"""`handrail demo`: everything it says, it does."""

import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.appwrite.catalog import load_catalogs
from handrail.cli.demo.stage import ShowFailedError, Stage
from tests.cli.conftest import Command
from tests.leaks import processes_in


def test_the_demo_does_every_step_and_ends_with_the_line_for_a_host(command: Command) -> None:
    ended = command("demo")

    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(re.findall(r"^\d+\. ", ended.stdout, re.MULTILINE)) == 11
    assert "requests that reached the backend meanwhile: 0" in ended.stdout
    assert "outcome needs_approval: tables_db_delete_row needs a person's approval" in ended.stdout
    assert "requests that could change something meanwhile: 0" in ended.stdout
    assert "a new server reads it: completed, counted to 8" in ended.stdout
    last_line = ended.stdout.splitlines()[-1].strip()
    assert re.fullmatch(r"claude mcp add handrail -- \S*handrail serve --sandbox", last_line)
    assert "\x1b" not in ended.stdout, "it is plain in a pipe"


def test_no_line_of_the_demo_is_too_long_for_a_page_and_no_word_is_cut(command: Command, session_home: Path) -> None:
    lines = command("demo").stdout.splitlines()
    catalog = load_catalogs(session_home)
    cut = [line.removesuffix("…").split() for line in lines if line.endswith("…")]

    assert max(map(len, lines[:-1])) <= 100
    assert cut, "one of the summaries that the search finds is too long"
    for tool, _kind, *words in cut:
        assert catalog.get(tool).summary.split()[: len(words)] == words


@pytest.mark.promise("demo-leaves-nothing")
@pytest.mark.parametrize(
    ("sent", "words"), [(signal.SIGTERM, b"counted 1"), (signal.SIGHUP, b" tools:"), (signal.SIGINT, b"A second run")]
)
def test_a_demo_that_is_ended_leaves_nothing_behind(
    sent: signal.Signals, words: bytes, tmp_path: Path, session_home: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "handrail", "demo"],
        env={**os.environ, "HANDRAIL_HOME": str(session_home), "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if words in line:  # the server runs, or the worker, or both are busy
                break
        assert len(list(tmp_path.glob("handrail-demo-*"))) == 1
        process.send_signal(sent)
        process.stdout.read()
        errors = process.stderr.read() if process.stderr else b""

    assert (process.wait(60), errors) == (130 if sent is signal.SIGINT else 128 + sent, b"")
    assert list(tmp_path.iterdir()) == []
    assert processes_in(tmp_path) == []


def test_a_live_line_that_has_ended_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(screen, "fileno", lambda: 1)
    monkeypatch.setattr(os, "get_terminal_size", lambda _stream=1: os.terminal_size((40, 24)))
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    stage = Stage()

    stage.live("working: step 1")
    stage.live(f"completed: {'done ' * 20}")
    stage.end_live()
    stage.say("and so on")

    drawn = screen.getvalue()
    assert (drawn.count("completed"), drawn.count("\n")) == (1, 2)
    assert max(len(part) for part in drawn.replace("\n", "\r").split("\r")) == 39


@pytest.mark.parametrize("arguments", [("demo",), ("hints",)])
def test_a_reader_who_has_read_enough_ends_a_command_quietly(arguments: tuple[str, ...], session_home: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "handrail", *arguments],
        env={**os.environ, "HANDRAIL_HOME": str(session_home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read() if process.stderr else b""

    assert (process.wait(60), errors) == (1, b"")


def test_a_step_that_does_not_do_what_it_says_ends_the_demo() -> None:
    stage = Stage()
    stage.step("The sky is green")

    with pytest.raises(ShowFailedError) as caught:
        stage.check(that=False, means="it is blue")

    assert caught.value.data == {"step": 1}
