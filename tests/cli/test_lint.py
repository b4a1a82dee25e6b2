"""`handrail hints lint`: somebody else's server or API, whatever it does."""

import json
import sys
import time
from pathlib import Path
from typing import Final

import pytest
from typer.testing import Result

from handrail.cli.lint import DocumentUnusableError, ServerUnusableError
from handrail.errors import HandrailError, UsageError
from tests.cli.conftest import Command, Invoke

SERVER: Final = str(Path(__file__).parent / "hint_server.py")


def _lint(invoke: Invoke, mode: str, tmp_path: Path, *options: str) -> Result:
    return invoke("hints", "lint", *options, "--", sys.executable, SERVER, mode, str(tmp_path / "log"))


def _file(tmp_path: Path, text: str) -> str:
    path = tmp_path / "openapi.json"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_server_without_fault_ends_well_and_all_its_pages_were_looked_at(invoke: Invoke, tmp_path: Path) -> None:
    result = _lint(invoke, "good", tmp_path)

    assert (result.exit_code, result.output) == (0, "2 looked at: 0 errors, 0 warnings.\n")


@pytest.mark.promise("lint-calls-no-tool")
def test_no_tool_is_called(invoke: Invoke, tmp_path: Path) -> None:
    _lint(invoke, "wrong", tmp_path)

    asked = set((tmp_path / "log").read_text().splitlines())
    assert "tools/list" in asked
    assert asked <= {"server/discover", "initialize", "notifications/initialized", "tools/list"}


def test_each_finding_is_one_line_and_an_error_is_exit_code_1(invoke: Invoke, tmp_path: Path) -> None:
    result = _lint(invoke, "wrong", tmp_path)

    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "error    read-doubtful         delete_user: says read-only, but its name says 'delete'",
        "error    hints-missing         nothing: has no hints: every host must take it for a destructive write",
        "error    read-doubtful         wipe?[2J?all: says read-only, but its name says 'wipe'",
        "3 looked at: 3 errors, 0 warnings.",
    ]


def test_findings_are_given_to_machines_as_json(invoke: Invoke, tmp_path: Path) -> None:
    result = _lint(invoke, "wrong", tmp_path, "--json")

    answer = json.loads(result.output)
    assert (result.exit_code, answer["checked"], answer["errors"], answer["warnings"]) == (1, 3, 3, 0)
    assert answer["findings"][0] == {
        "tool": "delete_user",
        "severity": "error",
        "code": "read-doubtful",
        "message": "says read-only, but its name says 'delete'",
    }


@pytest.mark.promise("lint-is-bounded")
@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("hangs", "did not list its tools within 1 s"),
        ("lines", "did not list its tools within 1 s"),
        ("blob", "did not list its tools within 1 s"),
        ("dies", "ended or refused"),
        ("dies-late", "ended or refused"),
        ("no-tools", "not here"),
        ("malformed", "does not allow: tools.0."),
        ("circle", "does not end its list"),
    ],
)
def test_a_server_that_misbehaves_is_a_clear_error_in_bounded_time(
    invoke: Invoke, tmp_path: Path, mode: str, words: str
) -> None:
    began = time.monotonic()

    error = _lint(invoke, mode, tmp_path, "--timeout", "1").exception

    assert time.monotonic() - began < 30
    assert isinstance(error, ServerUnusableError)
    assert words in error.message
    assert error.next_step


def test_pages_without_end_are_cut(invoke: Invoke, tmp_path: Path) -> None:
    error = _lint(invoke, "pages", tmp_path, "--timeout", "60").exception

    assert isinstance(error, ServerUnusableError)
    assert "does not end its list" in error.message


def test_the_last_words_of_a_server_that_died_are_told(invoke: Invoke, tmp_path: Path) -> None:
    error = _lint(invoke, "dies", tmp_path).exception

    assert isinstance(error, HandrailError)
    assert error.next_step == "It said at last: no token"


def test_a_dead_server_is_exit_code_1_in_one_line_with_the_next_step(command: Command, tmp_path: Path) -> None:
    ended = command("hints", "lint", "--", sys.executable, SERVER, "dies", str(tmp_path / "log"))

    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (1, "", 2)


def test_a_server_finds_the_environment_of_the_person_who_asks(command: Command, tmp_path: Path) -> None:
    code = "import os, sys; sys.exit(os.environ['UNDER_TEST'])"

    ended = command("hints", "lint", "--", sys.executable, "-c", code, UNDER_TEST=f"it has {tmp_path.name}")

    assert f"it has {tmp_path.name}" in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--openapi", "a.json", "--", "server"),
        ("--openapi", "no-such-file.json"),
        ("--openapi", "/"),
        ("--", "no-such-command-anywhere"),
        ("--", "/"),
    ],
)
def test_a_call_that_cannot_work_is_a_usage_error(invoke: Invoke, arguments: tuple[str, ...]) -> None:
    error = invoke("hints", "lint", *arguments).exception

    assert isinstance(error, UsageError)
    assert error.next_step


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "nan", "601"])
def test_a_time_that_is_none_is_exit_code_2(invoke: Invoke, seconds: str) -> None:
    assert invoke("hints", "lint", "--timeout", seconds, "--", "server").exit_code == 2


def test_options_of_the_server_are_the_servers(invoke: Invoke, tmp_path: Path) -> None:
    result = invoke("hints", "lint", sys.executable, "-u", SERVER, "good", str(tmp_path / "--json"))

    assert (result.exit_code, result.output) == (0, "2 looked at: 0 errors, 0 warnings.\n")


def test_an_api_is_looked_at_from_its_document(invoke: Invoke, tmp_path: Path) -> None:
    operation = {"operationId": "deleteUser", "summary": "Deletes a user.", "x-readOnly": True}
    document = {"openapi": "3.1.0", "paths": {"/users/{id}": {"delete": operation}}}

    result = invoke("hints", "lint", "--openapi", _file(tmp_path, json.dumps(document)))

    text = (
        "says read-only, but its name says 'delete' and its description begins with 'delete' and it is sent as DELETE"
    )
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        f"error    read-doubtful         DELETE /users/{{id}} (delete_user): {text}",
        "1 looked at: 1 errors, 0 warnings.",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not JSON"),
        ("openapi: 3.1.0", "is not JSON"),
        ("[" * 200_000, "is not JSON"),
        ("[]", "#: must be an object"),
        ('{"openapi": "3.1.0", "paths": {"/a": 1}}', "#/paths/~1a: must be an object"),
        ('{"swagger": "2.0"}', "is a Swagger 2 document"),
    ],
)
def test_a_file_that_is_no_document_is_a_clear_error(invoke: Invoke, tmp_path: Path, text: str, words: str) -> None:
    error = invoke("hints", "lint", "--openapi", _file(tmp_path, text)).exception

    assert isinstance(error, DocumentUnusableError)
    assert words in error.message
    assert error.next_step


def test_our_own_server_has_no_error(invoke: Invoke) -> None:
    result = invoke("hints", "lint", "--json", "--", sys.executable, "-m", "handrail", "serve", "--sandbox")

    answer = json.loads(result.output)
    assert (result.exit_code, answer["errors"]) == (0, 0)
    assert {finding["code"] for finding in answer["findings"]} <= {"hint-unset"}  # of the gateway, on purpose
