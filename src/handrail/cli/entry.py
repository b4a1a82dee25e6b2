"""The command `handrail`."""

import os
import sys

__all__ = ["main"]

_DONE_BY_INTERRUPT = 130


def main() -> None:
    """Run the command line. Exit codes: 0 done or completed, 1 failed, 2 usage."""
    if sys.platform == "win32":
        sys.stderr.write("Handrail does not run on Windows yet; use it inside WSL.\n")
        sys.exit(1)
    os.umask(0o077)  # whatever Handrail writes is its user's alone
    from handrail.cli.app import app
    from handrail.cli.output import report_error
    from handrail.errors import HandrailError, UsageError

    try:
        app()
    except HandrailError as error:
        report_error(error)
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt:
        sys.exit(_DONE_BY_INTERRUPT)
