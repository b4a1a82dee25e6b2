"""The streams of the command: closed, full, in another encoding, with bytes that are no text."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command

_BOUND_S = 60


def _by_shell(line: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`handrail` as a shell starts it, with the redirections that are hard to make otherwise."""
    return subprocess.run(
        ["/bin/sh", "-c", f'"$0" -m handrail {line}', sys.executable],
        env={**os.environ, "HANDRAIL_HOME": str(home), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_BOUND_S,
        check=False,
    )


@pytest.mark.parametrize("arguments", ["settings", 'call users_create \'{"user_id": "a"}\' --confirm-write --sandbox'])
def test_without_an_output_nothing_is_done_and_that_is_said(session_home: Path, arguments: str) -> None:
    ended = _by_shell(f"{arguments} >&-", session_home)

    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert "Nothing was done" in ended.stderr


@pytest.mark.parametrize("redirection", ["2>&-", "<&-", "2>&- <&-"])
def test_a_closed_input_or_error_stream_is_no_matter(session_home: Path, redirection: str) -> None:
    ended = _by_shell(f"call users_list --sandbox --json {redirection}", session_home)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["outcome"] == "done"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
@pytest.mark.parametrize("arguments", ["settings", "--version", "--help", "call users_list --sandbox"])
def test_a_full_disk_behind_the_output_is_said_in_words(session_home: Path, arguments: str) -> None:
    ended = _by_shell(f"{arguments} >/dev/full", session_home)

    assert (ended.returncode, "No space left on device" in ended.stderr) == (1, True)
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_a_run_goes_on_where_its_status_cannot_be_told(session_home: Path) -> None:
    ended = _by_shell('run counter --params \'{"steps": 2, "delay_s": 0}\' --json 2>/dev/full', session_home)

    assert (ended.returncode, json.loads(ended.stdout)["status"]) == (0, "completed")


def test_a_write_that_was_done_ends_well_in_any_encoding(command: Command) -> None:
    new = '{"team_id": "zoe", "name": "Zoë 中"}'

    ended = command("call", "teams_create", new, "--confirm-write", "--sandbox", PYTHONIOENCODING="ascii")

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Zo\\xeb" in ended.stdout


@pytest.mark.parametrize(
    "arguments",
    [("runs", "show", "\udcff"), ("search", "\udcff"), ("hints", "explain", "\udcff"), ("run", "\udcff")],
)
def test_bytes_that_are_no_text_end_in_words(command: Command, arguments: tuple[str, ...]) -> None:
    ended = command(*arguments)

    assert "Traceback" not in ended.stderr
    assert ended.stderr.startswith("error: ") or ended.returncode == 0
