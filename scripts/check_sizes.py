"""Fails when a Python file is longer than 500 lines: split it by what it does."""

import sys
from pathlib import Path
from typing import Final

LIMIT: Final = 500
FOLDERS: Final = ("src", "tests", "scripts", "benchmarks")


def main() -> int:
    """Print each file that is too long; exit code 1 if there is one."""
    lengths = {
        path: len(path.read_text(encoding="utf-8").splitlines())
        for folder in FOLDERS
        for path in sorted(Path(folder).rglob("*.py"))
    }
    too_long = {path: length for path, length in lengths.items() if length > LIMIT}
    for path, length in too_long.items():
        print(f"{path}: {length} lines, the limit is {LIMIT}: split it by what it does")
    print(f"{len(lengths)} files, the longest has {max(lengths.values(), default=0)} lines")
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
