"""The command `handrail`."""

import os
import sys
from io import TextIOWrapper

__all__ = ["main"]

_FAILED, _USAGE, _INTERRUPTED = 1, 2, 130


def main() -> None:
    """Run the command line.

    Exit codes: 0 done or completed, 1 failed, 2 usage, 130 interrupted, 128 + n ended by signal n.
    """
    if sys.platform == "win32":
        sys.stderr.write("Handrail does not run on Windows yet; use it inside WSL.\n")
        sys.exit(_FAILED)
    os.umask(0o077)  # whatever Handrail writes is its user's alone
    _settle_streams()
    from handrail.errors import HandrailError

    try:
        from handrail.cli.app import app

        app()
    except (HandrailError, KeyboardInterrupt, OSError, BaseExceptionGroup) as error:
        sys.exit(_ended_by(error))


def _settle_streams() -> None:
    """Streams that take every text, and no number below 3 for what is opened later.

    Without standard output there is nobody to answer: better said before a write than after it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8")  # noqa: SIM115  (a descriptor, for the whole process)
    if sys.stdout is None:
        sys.stderr.write("error: Standard output is closed, so there is nowhere to answer. Nothing was done.\n")
        sys.exit(_FAILED)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _ended_by(error: BaseException) -> int:
    """The exit code of an end that has a cause that people know, once it is told."""
    from handrail.cli.causes import innermost
    from handrail.cli.output import OutputError, report_error, silence
    from handrail.errors import HandrailError, UnavailableError, UsageError

    match innermost(error):
        case HandrailError() as ours:
            report_error(ours)
            if isinstance(ours, OutputError):
                silence(sys.stdout)
            return _USAGE if isinstance(ours, UsageError) else _FAILED
        case KeyboardInterrupt():
            return _INTERRUPTED
        case BrokenPipeError():
            silence(sys.stdout)  # whoever read it has read enough
            return _FAILED  # as the library below answers it, where nothing wraps it
        case OSError(strerror=str() as problem) as refused:
            # The system's own words: a full disk, a folder that may not be read, too many open files.
            silence(sys.stdout)  # it may be the output itself that is refused, and it would be again at the very end
            place = f" ({refused.filename})" if refused.filename else ""
            report_error(UnavailableError(f"The system refused something that is needed: {problem}{place}."))
            return _FAILED
        case _:
            raise error
