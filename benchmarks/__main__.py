"""Every benchmark, one after the other."""

import anyio

from benchmarks import call_overhead, startup


def main() -> None:
    """Run them all."""
    startup.compare()
    anyio.run(call_overhead.compare)


if __name__ == "__main__":
    main()
