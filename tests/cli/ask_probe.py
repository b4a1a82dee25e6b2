"""Asks the person at the terminal, and prints what came of it."""

import sys

import anyio

from handrail.cli.person import ask_at_terminal


async def main() -> None:
    answer = await ask_at_terminal("May it?\n\x1b[2JReally?", seconds=float(sys.argv[1]))
    said = "nobody" if answer is None else f"{answer.action.value} {dict(answer.content)} {answer.by_person}"
    sys.stderr.write(f"\n=> {said}\n")


anyio.run(main)
