"""`handrail demo`: everything it says, it does."""

import re

from tests.cli.conftest import Command


def test_the_demo_does_every_step_and_ends_with_the_line_for_a_host(command: Command) -> None:
    ended = command("demo")

    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(re.findall(r"^\d+\. ", ended.stdout, re.MULTILINE)) == 8
    assert "requests that reached the backend meanwhile: 0" in ended.stdout
    last_line = ended.stdout.splitlines()[-1].strip()
    assert re.fullmatch(r"claude mcp add handrail -- \S*handrail serve --sandbox", last_line)
    assert "\x1b" not in ended.stdout, "it is plain in a pipe"
