"""`handrail profile`, as a person types it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

KEY = f"standard_{'0a1b' * 64}"
ADD = ("profile", "add", "shop", "--project", "shop", "--key-variable", "SHOP_KEY", "--endpoint", "http://a.test/v1")


@pytest.fixture
def own(tmp_path: Path) -> dict[str, str]:
    """A home of the test's own."""
    return {"HANDRAIL_HOME": str(tmp_path)}


def _list(command: Command, own: dict[str, str], **environment: str) -> dict[str, object]:
    shown: dict[str, object] = json.loads(command("profile", "list", "--json", **own, **environment).stdout)
    return shown


def test_a_project_is_added_made_the_default_and_removed(command: Command, own: dict[str, str]) -> None:
    assert command(*ADD, **own).returncode == 0
    assert command("profile", "default", "shop", **own).returncode == 0
    assert _list(command, own, SHOP_KEY=KEY) == {
        "default": "shop",
        "used": "shop",
        "profiles": [
            {
                "name": "shop",
                "endpoint": "http://a.test/v1",
                "project": "shop",
                "key_variable": "SHOP_KEY",
                "key_is_set": True,
            }
        ],
    }

    assert command("profile", "remove", "shop", **own).returncode == 0
    assert _list(command, own) == {"default": None, "used": "environment", "profiles": []}


@pytest.mark.promise("profiles-hold-no-key")
def test_a_key_is_neither_taken_nor_repeated_nor_shown(command: Command, own: dict[str, str], tmp_path: Path) -> None:
    refused = command("profile", "add", "shop", "--project", "p", "--key-variable", KEY, **own)
    command(*ADD, **own)
    listed = command("profile", "list", **own, SHOP_KEY=KEY)

    assert refused.returncode == 2
    assert "never the key" in refused.stderr
    assert KEY not in refused.stdout + refused.stderr + listed.stdout + listed.stderr
    assert "set" in listed.stdout
    assert KEY not in (tmp_path / "profiles.toml").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("profile", "remove", "shpo"), "Use 'shop'"),
        (("profile", "default", "lab"), "environment"),
        (ADD, "already"),
        (("profile", "add", "x", "--project", "p"), "--key-variable"),
    ],
)
def test_what_cannot_be_done_changes_nothing(
    command: Command, own: dict[str, str], tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    command(*ADD, **own)
    before = (tmp_path / "profiles.toml").read_bytes()

    refused = command(*arguments, **own)

    assert (refused.returncode != 0, words in refused.stderr) == (True, True)
    assert (tmp_path / "profiles.toml").read_bytes() == before


def test_a_file_that_is_not_understood_is_left_as_it_is(command: Command, own: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "profiles.toml"
    path.touch(0o600)
    path.write_text("mine = 1\n")

    refused = command(*ADD, **own)

    assert (refused.returncode, path.read_text()) == (1, "mine = 1\n")
