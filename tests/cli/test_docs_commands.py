"""`handrail docs`: an index from a folder, answers from it, and what a person sees meanwhile."""

import json
from pathlib import Path

import pytest

from handrail.errors import HandrailError
from tests.cli.conftest import Command, Invoke
from tests.cli.terminal_process import Stream, at_terminal
from tests.docs.pages import write_pages

_PAGES = {
    "rows.md": "---\ntitle: Rows\npath: /docs/rows\n---\n# Insert a row\n\nCall `tablesDB.createRow(x)`.\n",
    "teams.md": "---\ntitle: Teams\npath: /docs/teams\n---\nGroups of people. \x1b[2J\n",
}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Two pages."""
    return write_pages(tmp_path / "pages", _PAGES)


@pytest.fixture
def own_home(tmp_path: Path, session_home: Path) -> Path:
    """A home without documentation, with the catalog of the session."""
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "cache").symlink_to(session_home / "cache")
    return tmp_path / "home"


def test_a_folder_is_indexed_and_asked(command: Command, own_home: Path, pages: Path) -> None:
    built = command("docs", "sync", str(pages), HANDRAIL_HOME=str(own_home))
    found = command("docs", "search", "how do I insert a row", "--json", HANDRAIL_HOME=str(own_home))
    about = command("docs", HANDRAIL_HOME=str(own_home))

    first = json.loads(found.stdout)["sections"][0]
    assert "2 pages" in built.stdout
    assert "reading pages: 2 of 2" in built.stderr
    assert "\r" not in built.stderr
    assert (first["path"], first["tools"]) == ("/docs/rows", ["tables_db_create_row"])
    assert first["link"] == "https://appwrite.io/docs/rows#insert-a-row"
    assert "by meaning and words" in about.stdout


def test_what_a_page_says_cannot_move_the_cursor(command: Command, own_home: Path, pages: Path) -> None:
    command("docs", "sync", str(pages), "--no-encoder", HANDRAIL_HOME=str(own_home))
    found = command("docs", "search", "groups of people", HANDRAIL_HOME=str(own_home))

    assert "\x1b" not in found.stdout
    assert "Groups of people." in found.stdout


def test_on_a_terminal_a_bar_shows_how_far_it_is(own_home: Path, pages: Path) -> None:
    with at_terminal("docs", "sync", str(pages), home=own_home, streams=(Stream.ERROR,)) as running:
        running.until(b"writing the index")
        running.rest()

    assert b"\rencoding sections  [" in running.shown
    assert b"#" in running.shown


@pytest.mark.parametrize("source", ["nowhere", "http://example.com/llms.txt", "https://user:secret@h/llms.txt"])
def test_a_source_that_is_none_is_an_error_and_nothing_is_asked(invoke: Invoke, source: str) -> None:
    error = invoke("docs", "sync", source).exception

    assert isinstance(error, HandrailError)
    assert error.next_step
    assert "secret" not in str(error.as_json())


def test_without_an_index_the_answer_comes_from_the_docstrings(command: Command, own_home: Path) -> None:
    found = command("docs", "search", "create a user", HANDRAIL_HOME=str(own_home))
    about = command("docs", HANDRAIL_HOME=str(own_home))

    assert found.returncode == 0
    assert "users_create" in found.stdout
    assert "handrail docs sync https://" in found.stderr
    assert about.returncode == 1
    assert "handrail docs sync" in about.stderr


def test_each_command_says_what_it_is_for(invoke: Invoke) -> None:
    words = invoke("docs", "--help").output

    assert "sync" in words
    assert "search" in words
    assert "--no-encoder" in invoke("docs", "sync", "--help").output
