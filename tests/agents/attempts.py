"""A run without an engine that is killed at any point and begun again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.lowlevel

from handrail.agents import AgentJob, AgentSpec
from handrail.decisions import ModelRegistry, built_in_models
from handrail.json_types import Json, JsonObject

__all__ = ["Attempt", "Kept", "Killed", "Series"]


class Killed(BaseException):
    """The process is dead: nothing catches this, and nothing that runs on its way out has an effect."""


@dataclass
class Kept:
    """What outlives a process: the run's record, what it saved, and how often anybody was asked."""

    folder: Path
    saved: dict[str, Json] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)


class Attempt:
    """The `RunContext` of one attempt.

    Args:
        kept: what earlier attempts left, and this one adds to.
        lives_for: how many effects (a line, a document, a save, a report, a check, a question) it has before it is
            killed; None for all.
        torn: whether a line that it is killed at is written by half.
        answer: what every question is answered with.
    """

    run_id = "r1"

    def __init__(self, kept: Kept, *, lives_for: int | None = None, torn: bool = False, answer: Json = None) -> None:
        self.folder: Path | None = kept.folder
        self.environment: Mapping[str, str] = {}
        self.saved: Mapping[str, Json] = dict(kept.saved)
        self.effects = 0
        self.checks = 0
        self.wrote: set[str] = set()
        self._kept = kept
        self._lives_for = lives_for
        self._torn = torn
        self._dead = False
        self._answer = answer

    async def save(self, name: str, document: Json) -> None:
        await anyio.lowlevel.checkpoint()
        self._live()
        self._kept.saved[name] = json.loads(json.dumps(document, allow_nan=False))

    async def report(self, message: str) -> None:
        await anyio.lowlevel.checkpoint()
        self._live()
        assert message

    async def check(self) -> None:
        await anyio.lowlevel.checkpoint()
        self._live()
        self.checks += 1

    async def ask(self, message: str, schema: JsonObject, *, seconds: float) -> Json:
        await anyio.lowlevel.checkpoint()
        self._live()
        assert schema["type"] == "object"
        assert seconds > 0
        self._kept.questions.append(message)
        return self._answer

    def record(self, name: str, document: Json) -> None:
        self._live()
        self.wrote.add(name)
        self._place(name).write_text(json.dumps(document, allow_nan=False), encoding="utf-8")

    def append(self, name: str, line: Json) -> None:
        text = json.dumps(line, allow_nan=False)
        if self._torn and not self._dead and self.effects == self._lives_for:
            self._write(name, text[: len(text) // 2])
        self._live()
        self.wrote.add(name)
        self._write(name, f"{text}\n")

    def _live(self) -> None:
        if self.effects == self._lives_for:
            self._dead = True
            raise Killed
        self.effects += 1

    def _write(self, name: str, text: str) -> None:
        with self._place(name).open("a", encoding="utf-8") as file:
            file.write(text)

    def _place(self, name: str) -> Path:
        path = self._kept.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


@dataclass(frozen=True)
class Series:
    """What a run plays."""

    spec: AgentSpec
    model: str = "random"
    episodes: int = 3
    seed: int = 0
    params: JsonObject = field(default_factory=dict)
    models: ModelRegistry = field(default_factory=built_in_models)
    time_limit_s: float = 60

    async def attempt(self, ctx: Attempt) -> JsonObject | None:
        """The result, or None where the attempt was killed."""
        job = AgentJob(ctx, self.params, self.model, self.episodes, self.seed, self.models, self.time_limit_s)
        try:
            with anyio.fail_after(20):
                return await self.spec.work(job)
        except Killed:
            return None

    async def undisturbed(self, folder: Path) -> tuple[JsonObject, Attempt]:
        """The result of one attempt that is not killed, and its context."""
        ctx = Attempt(Kept(folder))
        result = await self.attempt(ctx)
        assert result is not None
        return result, ctx

    async def killed_at(self, kept: Kept, *points: int, torn: bool = False) -> JsonObject:
        """The result after attempts that are killed once they had so many effects each, and one that is not."""
        for point in points:
            result = await self.attempt(Attempt(kept, lives_for=point, torn=torn))
            if result is not None:
                return result
        result = await self.attempt(Attempt(kept))
        assert result is not None
        return result
