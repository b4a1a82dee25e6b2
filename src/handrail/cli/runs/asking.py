"""Asking a person at the terminal what a run asks, value by value."""

import json
import os
import sys
from dataclasses import dataclass, field
from typing import Final

import anyio

from handrail.cli.output import print_note, prompt
from handrail.cli.runs.answers import Field, fields_of, value_of
from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonObject
from handrail.runs import Question, Run, RunEngine

__all__ = ["Asker", "TerminalInput", "is_a_person_there"]

_INPUT: Final = 0
_LINE_BYTES: Final = 65_536


def is_a_person_there() -> bool:
    """Whether somebody can read a question on standard error and type an answer into standard input."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class TerminalInput:
    """Lines that are typed into the terminal that standard input is.

    Read from the descriptor itself, which gives a line at a time, and only once there is one: so waiting for a line can
    be cancelled, and holds up no end of the process.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._ended = False

    async def line(self, words: str) -> str | None:
        """The next line without its end, once the words stand before it; None where the input has ended (Ctrl-D)."""
        prompt(words)
        while b"\n" not in self._rest and not self._ended:
            await anyio.wait_readable(_INPUT)
            try:
                part = os.read(_INPUT, _LINE_BYTES)
            except OSError:  # the terminal has gone
                part = b""
            self._ended = not part
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode(errors="replace") if line or not self._ended else None


@dataclass(slots=True, eq=False)
class Asker:
    """Asks a person each question of a run once, and stops asking what somebody else has answered.

    Attributes:
        engine: takes the answers.
        terminal: where the person is.
        asking: whether a question stands on the screen now.
    """

    engine: RunEngine
    terminal: TerminalInput = field(default_factory=TerminalInput)
    asking: bool = False
    _run: Run | None = None
    _asked: set[str] = field(default_factory=set)
    _open: dict[str, anyio.CancelScope] = field(default_factory=dict)
    _news: anyio.Event = field(default_factory=anyio.Event)

    def look(self, run: Run) -> None:
        """Take note of where the run stands."""
        self._run = run
        still = {question.key for question in run.questions}
        for key, scope in self._open.items():
            if key not in still:
                scope.cancel()
        self._news.set()

    async def ask_each(self) -> None:
        """Ask whatever the run asks, for ever."""
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            while (question := self._next()) is not None and self._run is not None:
                self._asked.add(question.key)
                await self.ask(self._run, question)

    async def ask(self, run: Run, question: Question) -> Run | None:
        """Ask until an answer fits; the run with it, or None where the person gives none or it is no longer asked."""
        scope = self._open[question.key] = anyio.CancelScope()
        self.asking = True
        try:
            with scope:
                return await self._until_it_fits(run, question)
        finally:
            del self._open[question.key]
            self.asking = False
        print_note("")
        print_note("That is no longer asked.")
        return None

    def _next(self) -> Question | None:
        questions = () if self._run is None else self._run.questions
        return next((question for question in questions if question.key not in self._asked), None)

    async def _until_it_fits(self, run: Run, question: Question) -> Run | None:
        print_note(f"The run asks: {question.message}")
        while True:
            answer = await self._answer(question)
            if answer is None:
                return None
            try:
                return await self.engine.answer(run.run_id, run.owner, {question.key: answer[0]})
            except ArgumentError as error:
                print_note(f"{error.message} {error.next_step or ''}")

    async def _answer(self, question: Question) -> tuple[Json] | None:
        """The answer, in a tuple because it may be null; None where the input has ended."""
        values: JsonObject = {}
        for one in fields_of(question):
            value = await self._value(one)
            if value is None:
                return None
            if one.whole:
                return (value[0],)
            if value:
                values[one.name] = value[0]
        return (values,)

    async def _value(self, one: Field) -> list[Json] | None:
        """What is typed for a field: no value where it may be left out; None where the input has ended."""
        while True:
            text = await self.terminal.line(_words(one))
            if text is None:
                return None
            if not text and "default" in one.schema:
                return [one.schema["default"]]
            if not text and not one.required:
                return []
            try:
                return [value_of(one, text)] if text or one.schema.get("type") == "string" else []
            except ArgumentError as error:
                print_note(error.message)


def _words(one: Field) -> str:
    """What stands before the place to type: `  go_on (true or false): whether to go on > `."""
    kinds = one.schema.get("enum")
    kind = " | ".join(_shown(item) for item in kinds) if isinstance(kinds, list) else _kind(one.schema.get("type"))
    default = f", {_shown(one.schema['default'])} when left empty" if "default" in one.schema else ""
    optional = "" if one.required or default else ", may be left empty"
    description = one.schema.get("description")
    about = f": {description}" if isinstance(description, str) and description else ""
    name = "answer" if one.whole else one.name
    return f"  {name} ({kind}{default}{optional}){about} > "


def _kind(kind: Json) -> str:
    return {"boolean": "yes or no", "string": "text"}.get(str(kind), "value" if kind is None else str(kind))


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
