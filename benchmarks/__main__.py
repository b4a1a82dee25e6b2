"""Every benchmark, one after the other. The exit code is 1 where a bound of runs is not kept."""

import sys

import anyio

from benchmarks import call_overhead, runs, startup


def main() -> int:
    """Run them all; the exit code."""
    startup.compare()
    anyio.run(call_overhead.compare)
    print()
    return 0 if anyio.run(runs.compare) else 1


if __name__ == "__main__":
    sys.exit(main())
