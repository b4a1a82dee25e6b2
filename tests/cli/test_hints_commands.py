"""`handrail hints`: the check and the explanations."""

import json
from pathlib import Path

import pytest

from handrail.appwrite import review
from handrail.appwrite.catalog import find_sdk, installed_sdks
from handrail.appwrite.catalog.model import Sdk
from handrail.cli import hints as command
from tests.cli.conftest import Invoke


@pytest.mark.promise("release-cannot-slip-through")
def test_the_check_passes_for_the_installed_sdks(invoke: Invoke) -> None:
    result = invoke("hints", "--check")

    assert (result.exit_code, result.output) == (0, "1916 methods, 0 findings\n")
    assert json.loads(invoke("hints", "--check", "--json").output) == []


@pytest.mark.promise("release-cannot-slip-through")
def test_the_check_fails_where_the_record_says_something_else(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    record = review.shipped_record()
    altered = {**record, "users_delete": record["users_get"]}
    del altered["teams_list"]
    monkeypatch.setattr(review, "shipped_record", lambda: altered)

    result = invoke("hints", "--check")

    assert result.exit_code == 1
    assert "new  teams_list" in result.output
    assert "changed  users_delete: readOnlyHint: true -> false" in result.output
    rows = json.loads(invoke("hints", "--check", "--json").output)
    assert {(row["kind"], row["tool"]) for row in rows} == {("new", "teams_list"), ("changed", "users_delete")}


def test_the_check_works_with_the_server_sdk_alone(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(installed_sdks()) == len(Sdk)
    monkeypatch.setattr(command, "installed_sdks", lambda: (find_sdk(Sdk.SERVER),))

    assert invoke("hints", "--check").output == "874 methods, 0 findings\n"


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("users_list", ["read-only", "Codex", "runs it without asking", "appwrite_call_read_tool takes it"]),
        ("tables_db_create_row", ["only adds", "asks first, because it reaches an open world", "confirm_write: true"]),
        (
            "users_delete",
            ["may destroy, repeatable", "asks first, because it may destroy", "irreversible: what is gone"],
        ),
        (
            "organizations_estimation_delete_organization",
            ["override", "a quote behind PATCH", "the rule alone, unproven, says: may destroy", "secret:"],
        ),
        ("teams_list", ["risks     none known", "opencode", "whatever the hints are"]),
    ],
)
def test_an_explanation_says_what_decided_and_what_hosts_make_of_it(
    invoke: Invoke, tool: str, words: list[str]
) -> None:
    output = invoke("hints", "explain", tool).output

    assert [word for word in words if word not in output] == []


def test_the_record_is_in_the_package(session_home: Path) -> None:
    assert session_home.is_dir()
    assert len(review.shipped_record()) == 1045
