"""A person at the terminal: a yes or a no, and the PIN.

A terminal is the border: a model writes the arguments of calls, and answers to hosts, but does not type here. A program
with a shell can open a pseudo-terminal of its own and type into it; the PIN is for that. Nothing here holds against a
program that runs as you and may read and write your files: a sandbox or another user does.
"""

import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from handrail.approvals.opening import open_store
from handrail.approvals.pin import check_pin, has_pin
from handrail.approvals.store import ApprovalStore
from handrail.cli.output import print_note
from handrail.cli.runs.asking import TerminalInput, is_a_person_there
from handrail.cli.terminal import one_line
from handrail.errors import HandrailError, RefusedError
from handrail.home import home_folder
from handrail.protocol.tool import ElicitAction, Elicited
from handrail.settings import load_settings

__all__ = [
    "NoTerminalError",
    "ask_at_terminal",
    "opened_store",
    "require_person",
    "require_pin",
    "says_yes",
    "typed_unseen",
]

_LOCAL_MODES: Final = 3  # where a terminal's settings hold whether it echoes


class NoTerminalError(RefusedError):
    """Only a person at a terminal may do this."""

    type = "no_terminal"


@contextmanager
def opened_store() -> Iterator[tuple[Path, ApprovalStore]]:
    """The home folder and its approvals, closed at the end.

    Raises:
        UnavailableError: one of them cannot be used.
    """
    home = home_folder(load_settings())
    store = open_store(home)
    try:
        yield home, store
    finally:
        store.close()


def require_person(what: str) -> None:
    """Pass where standard input and output are a terminal.

    Raises:
        NoTerminalError: one is not, so that nothing can be piped in, nor answered unseen.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoTerminalError(
            f"Only a person may {what}, and standard input or output is no terminal.",
            next_step="Run the command yourself, in a terminal of your own.",
        )


def says_yes(question: str) -> bool:
    """Ask; whatever is not yes is no, and so is what was typed before."""
    _forget_what_was_typed()
    return _is_yes(_line(question))


def typed_unseen(words: str) -> str:
    """What is typed without being shown; empty where the input has ended."""
    with _unseen():
        typed = _line(words).removesuffix("\n")
    sys.stdout.write("\n")
    return typed


def require_pin(home: Path, store: ApprovalStore) -> None:
    """Ask for the PIN where one is set.

    Raises:
        PinWrongError: it was another one.
        PinLockedError: too many were.
        ApprovalsUnavailableError: what is kept of it cannot be read.
    """
    if has_pin(home):
        check_pin(home, store, typed_unseen("PIN: "), time.time())


async def ask_at_terminal(message: str, *, seconds: float) -> Elicited | None:
    """Ask the person at the terminal whether a call may be made; with a PIN set, for the PIN as well.

    Args:
        message: what is asked, line by line.
        seconds: how long they may take.

    Returns:
        Their answer; None where nobody is there to be asked.
    """
    if not is_a_person_there():
        return None
    for line in message.splitlines():
        print_note(line)
    _forget_what_was_typed()
    with anyio.move_on_after(seconds):
        answer = await TerminalInput().line("[y/N] ")
        if answer is not None and _is_yes(answer) and await _knows_the_pin():
            return Elicited(ElicitAction.ACCEPT, {"approve": True}, by_person=True)
    return Elicited(ElicitAction.DECLINE, by_person=True)


async def _knows_the_pin() -> bool:
    """Whether there is no PIN, or it is typed rightly. What is wrong is told."""
    try:
        home = home_folder(load_settings())
        if not has_pin(home):
            return True
        with _unseen():
            typed = await TerminalInput().line("PIN: ")
        print_note("")
        await anyio.to_thread.run_sync(_check, typed or "")
    except HandrailError as error:
        print_note(f"{error.message} {error.next_step or ''}")
        return False
    return True


def _check(pin: str) -> None:
    with opened_store() as (home, store):
        check_pin(home, store, pin, time.time())


def _line(words: str) -> str:
    sys.stdout.write(one_line(words))
    sys.stdout.flush()
    return sys.stdin.readline()


def _is_yes(answer: str) -> bool:
    return answer.strip().lower() in {"y", "yes"}


def _forget_what_was_typed() -> None:
    """What was typed before the question was to be read answers nothing."""
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


@contextmanager
def _unseen() -> Iterator[None]:
    """While this is open, the terminal does not show what is typed."""
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    silent = [*before]
    silent[_LOCAL_MODES] = before[_LOCAL_MODES] & ~termios.ECHO
    termios.tcsetattr(handle, termios.TCSAFLUSH, silent)
    try:
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
