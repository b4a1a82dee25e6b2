"""`handrail demo`: everything it says, it does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.cli.demo.stage import ShowFailedError, Stage
from tests.cli.conftest import Command


def test_the_demo_does_every_step_and_ends_with_the_line_for_a_host(command: Command) -> None:
    ended = command("demo")

    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(re.findall(r"^\d+\. ", ended.stdout, re.MULTILINE)) == 8
    assert "requests that reached the backend meanwhile: 0" in ended.stdout
    last_line = ended.stdout.splitlines()[-1].strip()
    assert re.fullmatch(r"claude mcp add handrail -- \S*handrail serve --sandbox", last_line)
    assert "\x1b" not in ended.stdout, "it is plain in a pipe"


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
