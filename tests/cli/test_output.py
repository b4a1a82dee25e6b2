"""What reaches a person's terminal, whoever wrote it."""

import io
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.cli.output import (
    Colour,
    OutputError,
    paint,
    print_json,
    print_line,
    print_note,
    print_table,
    report_error,
    status_line,
)
from handrail.cli.terminal import one_line, visible
from handrail.errors import HandrailError

pytestmark = pytest.mark.unit

EVIL = "a\x1b]0;owned\x07\x1b[2J\u202eb\x9b31m\ud800"
SHOWN = r"a\x1b]0;owned\x07\x1b[2J\u202eb\x9b31m\ud800"


class Screen(io.StringIO):
    """A stream that a terminal reads."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1


def _screen(monkeypatch: pytest.MonkeyPatch, columns: int = 80, environment: Mapping[str, str] | None = None) -> Screen:
    """Both outputs, on a terminal that knows escapes. Not a fixture: pytest sets its own streams after those."""
    shown = Screen()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(os, "get_terminal_size", lambda _stream=1: os.terminal_size((columns, 24)))
    for name in ("NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", **(environment or {})}.items():
        monkeypatch.setenv(name, value)
    return shown


@pytest.mark.promise("terminal-is-safe")
@given(st.text(st.characters()))
def test_nothing_that_steers_a_terminal_or_the_direction_of_text_stays_as_it_is(text: str) -> None:
    shown = visible(text)

    assert [c for c in shown if unicodedata.category(c) in {"Cc", "Cs"} and c not in "\t\n"] == []
    assert [c for c in shown if unicodedata.bidirectional(c) in {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "PDI"}] == []
    assert "\n" not in one_line(text)
    shown.encode()


@given(st.text("abc äöü中é 😀\n\t-"))
def test_honest_text_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("write", [print_line, print_note, lambda text: print_table(["name"], [[text]])])
def test_other_peoples_words_are_made_visible(write: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    write(EVIL)

    captured = capsys.readouterr()
    assert SHOWN in captured.out + captured.err
    assert "\x1b" not in captured.out + captured.err


def test_an_error_is_one_line_whatever_it_tells(capsys: pytest.CaptureFixture[str]) -> None:
    report_error(HandrailError(f"{EVIL}\nerror: forged", next_step=EVIL))

    assert capsys.readouterr().err == f"error: {SHOWN} error: forged\n       {SHOWN}\n"


def test_a_status_is_one_line_whatever_it_tells(capsys: pytest.CaptureFixture[str]) -> None:
    status_line(f"{EVIL}\nx", final=True)

    assert capsys.readouterr().err == f"{SHOWN} x\n"


@given(st.text(st.characters()))
def test_json_gives_back_every_character_and_no_control_character(text: str) -> None:
    shown = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", shown)
        print_json({"text": text})

    assert json.loads(shown.getvalue()) == {"text": text}
    assert visible(shown.getvalue()) == shown.getvalue()


def test_only_our_own_colours_reach_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _screen(monkeypatch)

    print_line(f"{paint(EVIL, Colour.GOOD)} then \x1b[31mred and {EVIL}")

    escapes = screen.getvalue().count("\x1b")
    assert escapes == 4, "ours, its end, one that looks like ours, and the end of that"
    assert screen.getvalue().endswith("\x1b[0m\n")


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_without_colours_gets_no_escape_at_all(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    screen = _screen(monkeypatch, environment={name: value})

    print_line(paint("good", Colour.GOOD))
    status_line("working")
    status_line("done", final=True)

    assert "\x1b" not in screen.getvalue()
    assert screen.getvalue().split()[-1] == "done"


def test_a_status_covers_the_whole_of_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _screen(monkeypatch)

    status_line("a long status")
    status_line("short", final=True)

    last = screen.getvalue().split("\r")[-1]
    assert (last.rstrip(), len(last.rstrip("\n"))) == ("short", 79)


@pytest.mark.parametrize("columns", [0, 1, 2, 3])
def test_a_terminal_that_is_very_narrow_or_does_not_say_is_written_to(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    screen = _screen(monkeypatch, columns)

    print_table(["name", "what"], [["users_list", "lists"]])
    status_line("working", final=True)

    rows = screen.getvalue().splitlines()
    assert "…" in rows[1] if columns else "users_list" in rows[1]


def test_an_output_that_takes_nothing_is_said_with_what_it_means(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())

    with pytest.raises(OutputError) as caught:
        print_line("x")

    assert caught.value.data == {"problem": "No space left on device"}
