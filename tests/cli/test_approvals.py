"""`handrail approvals`, `approve`, `decline` and the PIN, with the real command at a pseudo-terminal."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.approvals.opening import open_store
from handrail.approvals.pin import set_pin
from handrail.approvals.records import LIFETIME_S, ApprovalState, Asked
from handrail.approvals.store import ApprovalStore
from handrail.json_types import JsonObject
from tests.cli.conftest import Command
from tests.cli.terminal_process import AtTerminal, Stream, at_terminal

HOSTILE = "row\x1b[2J\x1b]0;x\x07\r\u202e1\u2066\u200b\x9b"
PREVIEW: JsonObject = {
    "risks": [{"risk": "irreversible", "meaning": "gone is gone"}],
    "matches": 7,
    "changes": [{"field": "name", "before": "Ada", "after": f"Bob {HOSTILE}", "known": True}],
}
BOTH = (Stream.INPUT, Stream.OUTPUT, Stream.ERROR)
QUESTION = b"Approve tables_db_delete_row on project main"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A home folder that nothing works in."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return home


@pytest.fixture
def store(place: Path) -> Iterator[ApprovalStore]:
    opened = open_store(place)
    yield opened
    opened.close()


def waiting(store: ApprovalStore, *, since: float = 0, tool: str = "tables_db_delete_row", digest: str = "d") -> str:
    asked = Asked("local", digest, tool, "main", f"Delete {HOSTILE}", PREVIEW)
    return store.create(asked, time.time() - since).approval_id


def state(store: ApprovalStore, approval_id: str) -> ApprovalState:
    found = store.get(approval_id, time.time())
    assert found is not None
    return found.state


def answered(terminal: AtTerminal, *answers: tuple[bytes, str]) -> bytes:
    """All that is shown, when these answers are typed after these words."""
    for words, answer in answers:
        terminal.until(words)
        terminal.type(f"{answer}\n")
    return terminal.shown + terminal.rest()


@pytest.mark.promise("a-person-approves-at-a-terminal")
@pytest.mark.parametrize("answer", ["y", " YES "])
def test_a_yes_at_the_terminal_approves_once_shown_what_it_is(store: ApprovalStore, place: Path, answer: str) -> None:
    approval = waiting(store)

    with at_terminal("approve", approval[:8], home=place, streams=BOTH) as terminal:
        shown = answered(terminal, (QUESTION, answer)).decode()

    assert terminal.process.returncode == 0
    assert state(store, approval) is ApprovalState.APPROVED
    assert "  - name: Ada" in shown
    assert "  + name: Bob" in shown
    assert "irreversible: gone is gone" in shown
    assert "matches   7" in shown


@pytest.mark.parametrize("answer", ["", "yy", "\x04"])
def test_whatever_is_no_yes_approves_nothing(store: ApprovalStore, place: Path, answer: str) -> None:
    approval = waiting(store)

    with at_terminal("approve", approval, home=place, streams=BOTH) as terminal:
        answered(terminal, (QUESTION, answer))

    assert terminal.process.returncode == 1
    assert state(store, approval) is ApprovalState.PENDING


def test_nothing_that_is_shown_can_move_or_hide_what_is_shown(store: ApprovalStore, place: Path) -> None:
    approval = waiting(store)

    with at_terminal("approve", approval, home=place, streams=BOTH, NO_COLOR="1") as terminal:
        shown = answered(terminal, (QUESTION, "n")).decode()

    text = shown.replace("\r\n", "\n")
    assert not {"\x1b", "\r", "\x07", "\u202e", "\u2066", "\u200b", "\x9b"} & set(text)
    assert "\\x1b[2J" in text


def test_an_answer_that_was_typed_before_the_question_is_none(store: ApprovalStore, place: Path) -> None:
    approval = waiting(store)

    with at_terminal("approve", approval, home=place, streams=BOTH) as terminal:
        terminal.type("y\ny\ny\n")
        answered(terminal, (b"[y/N]", "n"))

    assert state(store, approval) is ApprovalState.PENDING


@pytest.mark.parametrize("streams", [(), (Stream.INPUT,), (Stream.OUTPUT,)])
@pytest.mark.promise("a-person-approves-at-a-terminal")
def test_without_a_terminal_on_both_sides_nothing_is_approved(
    store: ApprovalStore, place: Path, streams: tuple[Stream, ...]
) -> None:
    approval = waiting(store)

    with at_terminal("approve", approval, home=place, streams=(*streams, Stream.ERROR)) as terminal:
        shown = answered(terminal)

    assert terminal.process.returncode == 1
    assert b"no terminal" in shown
    assert state(store, approval) is ApprovalState.PENDING


@pytest.mark.promise("a-person-approves-at-a-terminal")
def test_an_answer_that_is_piped_in_approves_nothing(store: ApprovalStore, place: Path) -> None:
    approval = waiting(store)

    done = subprocess.run(
        [sys.executable, "-m", "handrail", "approve", approval],
        input="y\n",
        env={**os.environ, "HANDRAIL_HOME": str(place)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert "Only a person may approve a call" in done.stderr
    assert state(store, approval) is ApprovalState.PENDING


@pytest.mark.parametrize(("pin", "expected"), [("4711", ApprovalState.APPROVED), ("4712", ApprovalState.PENDING)])
def test_with_a_pin_a_yes_needs_the_pin_which_is_never_shown(
    store: ApprovalStore, place: Path, pin: str, expected: ApprovalState
) -> None:
    set_pin(place, "4711")
    approval = waiting(store)

    with at_terminal("approve", approval, home=place, streams=BOTH) as terminal:
        shown = answered(terminal, (QUESTION, "y"), (b"PIN: ", pin))

    assert state(store, approval) is expected
    assert pin.encode() not in shown.split(b"PIN: ")[1]


def test_a_pin_is_set_changed_and_taken_away_only_by_who_knows_it(place: Path) -> None:
    def change(*answers: tuple[bytes, str], remove: bool = False) -> int:
        flags = ["--remove"] if remove else []
        with at_terminal("approvals", "pin", *flags, home=place, streams=BOTH) as terminal:
            answered(terminal, *answers)
        return int(terminal.process.returncode)

    kept = place / "approvals.pin"
    assert change((b"New PIN: ", "4711"), (b"Once more: ", "4712")) == 2
    assert not kept.exists()
    assert change((b"New PIN: ", "4711"), (b"Once more: ", "4711")) == 0
    before = kept.read_bytes()
    assert change((b"PIN: ", "0000")) == 1
    assert kept.read_bytes() == before
    assert change((b"PIN: ", "4711"), (b"New PIN: ", "0815"), (b"Once more: ", "0815")) == 0
    assert kept.read_bytes() != before
    assert change((b"PIN: ", "0815"), remove=True) == 0
    assert not kept.exists()


def test_what_is_over_or_unknown_can_not_be_decided(store: ApprovalStore, place: Path, command: Command) -> None:
    ended = waiting(store, since=LIFETIME_S)
    with at_terminal("approve", ended, home=place, streams=BOTH) as terminal:
        assert b"it is expired" in answered(terminal)
    with at_terminal("approve", "0" * 32, home=place, streams=BOTH) as terminal:
        assert b"There is no approval" in answered(terminal)

    assert "it is expired" in command("decline", ended, HANDRAIL_HOME=str(place)).stderr
    assert command("decline", "%", HANDRAIL_HOME=str(place)).returncode == 1


def test_declining_is_for_good(store: ApprovalStore, place: Path, command: Command) -> None:
    approval = waiting(store)

    assert command("decline", approval[:10], HANDRAIL_HOME=str(place)).returncode == 0
    again = command("decline", approval, HANDRAIL_HOME=str(place))

    assert state(store, approval) is ApprovalState.DECLINED
    assert "it is declined" in again.stderr


def test_what_waits_is_listed_for_people_and_for_machines(store: ApprovalStore, place: Path, command: Command) -> None:
    approval = waiting(store)
    home = {"HANDRAIL_HOME": str(place)}

    listed = command("approvals", **home).stdout
    document = json.loads(command("approvals", "--json", **home).stdout)

    assert approval in listed
    assert "\x1b" not in listed
    assert [(one["approval"], one["tool"], one["preview"]) for one in document] == [
        (approval, "tables_db_delete_row", PREVIEW)
    ]
    store.decline(approval, time.time())
    assert json.loads(command("approvals", "--json", **home).stdout) == []
    assert "Nothing waits" in command("approvals", **home).stderr


def test_what_comes_while_somebody_watches_is_shown_once(store: ApprovalStore, place: Path) -> None:
    waiting(store, tool="first_tool", digest="1")
    with at_terminal("approvals", "--watch", "--json", home=place, streams=BOTH) as terminal:
        terminal.until(b"first_tool")
        waiting(store, tool="second_tool", digest="2")
        terminal.until(b"second_tool")
        waiting(store, tool="third_tool", digest="3")
        terminal.until(b"third_tool")

        assert terminal.shown.count(b'"tool": "first_tool"') == 1
        assert terminal.shown.count(b'"tool": "second_tool"') == 1


def test_the_example_of_a_policy_is_printed(command: Command) -> None:
    assert command("approvals", "--policy-example").stdout.count("[[rule]]") == 3
