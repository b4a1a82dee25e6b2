"""Ends that a system asks for, seen from inside of the command."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from handrail.cli.signals import ending_cleanly

pytestmark = pytest.mark.unit

ALL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """Put the handlers of this process back, whatever a test leaves."""
    before = {number: signal.getsignal(number) for number in ALL}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("interrupts", [signal.default_int_handler, signal.SIG_IGN])
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
def test_an_end_unwinds_what_runs_also_where_interrupts_are_ignored(
    sent: signal.Signals, interrupts: "signal._HANDLER"
) -> None:
    signal.signal(signal.SIGINT, interrupts)
    unwound: list[int] = []
    work = ExitStack()
    work.callback(unwound.append, sent)

    with pytest.raises(SystemExit) as caught, ending_cleanly(), work:
        signal.raise_signal(sent)

    assert (caught.value.code, unwound) == (128 + sent, [sent])


def test_an_interrupt_stays_an_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)

    with pytest.raises(KeyboardInterrupt), ending_cleanly():
        signal.raise_signal(signal.SIGINT)


def test_a_signal_that_is_ignored_stays_ignored_and_every_handler_comes_back() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    before = {number: signal.getsignal(number) for number in ALL}

    with ending_cleanly():
        signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGTERM) != before[signal.SIGTERM]

    assert {number: signal.getsignal(number) for number in ALL} == before
