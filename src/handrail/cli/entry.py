"""The command `handrail`."""

import os
import sys

__all__ = ["main"]

_FAILED, _USAGE, _INTERRUPTED = 1, 2, 130


def main() -> None:
    """Run the command line. Exit codes: 0 done or completed, 1 failed, 2 usage, 130 interrupted."""
    if sys.platform == "win32":
        sys.stderr.write("Handrail does not run on Windows yet; use it inside WSL.\n")
        sys.exit(_FAILED)
    os.umask(0o077)  # whatever Handrail writes is its user's alone
    from handrail.cli.app import app
    from handrail.errors import HandrailError

    try:
        app()
    except (HandrailError, KeyboardInterrupt, BrokenPipeError, BaseExceptionGroup) as error:
        sys.exit(_ended_by(error))


def _ended_by(error: BaseException) -> int:
    """The exit code of an end that has a cause that people know, once it is told."""
    from handrail.cli.output import report_error
    from handrail.errors import HandrailError, UsageError

    match _innermost(error):
        case HandrailError() as ours:
            report_error(ours)
            return _USAGE if isinstance(ours, UsageError) else _FAILED
        case KeyboardInterrupt():
            return _INTERRUPTED
        case BrokenPipeError():
            _silence_output()
            return _FAILED  # as the library below answers it, where nothing wraps it
        case _:
            raise error


def _innermost(error: BaseException) -> BaseException:
    """What a task group wrapped, however often."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _silence_output() -> None:
    """Whoever read the output has read enough: what is left goes nowhere, also what is written at the very end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
