"""One episode: observe -> options -> decide -> check -> record -> act -> ..."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from handrail.agents.loop.environment import Environment, Game
from handrail.decisions import Choice, ChoiceQuestion, Decider, Decision, Observation, Usage
from handrail.errors import HandrailError
from handrail.json_types import Json, JsonObject
from handrail.runs import RunContext

__all__ = ["Episode", "EpisodePlayer"]


@dataclass(slots=True)
class Episode:
    """What is known of one episode while and after it is played. Times of day are aware, in UTC.

    `playing` counts how often it was begun: 2 where an attempt of the run that crashed had broken it off.
    """

    number: int
    seed: int
    trial_name: str
    playing: int = 1
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    finished_at: datetime | None = None
    elapsed_s: float = 0.0
    steps: int = 0
    score: float | None = None
    error: str | None = None
    ticks: list[JsonObject] = field(default_factory=list)
    decision_ms: list[float] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    final_state: JsonObject = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        """Whether it was played to its end, be it an error."""
        return self.finished_at is not None

    @property
    def ticks_name(self) -> str:
        """Where its ticks go in the run's record."""
        return f"{self.trial_name}/agent/ticks.jsonl"


class EpisodePlayer:
    """Plays episodes of one game with one decision model.

    Args:
        ctx: the run.
        game: what is played.
        decider: who decides.
        episodes: how many there will be, for the progress message.
    """

    def __init__(self, ctx: RunContext, game: Game, decider: Decider, episodes: int) -> None:
        self._ctx = ctx
        self._game = game
        self._decider = decider
        self._episodes = episodes

    async def play(self, episode: Episode, params: JsonObject) -> None:
        """Play to the end.

        What the model and the environment raise on purpose (`HandrailError`) ends the episode with its sentence. What
        the run itself raises, such as a record that cannot be written, passes: it is no outcome of the episode.
        """
        began = time.perf_counter()
        environment = self._game.make(params, episode.seed)
        self._decider.model.begin(episode.seed)
        try:
            await self._play(episode, environment, self._game.max_steps(params))
            episode.finished_at = datetime.now(UTC)
        finally:
            episode.elapsed_s = time.perf_counter() - began
            episode.score = environment.score
            episode.final_state = environment.final_state()
            await environment.close()

    async def _play(self, episode: Episode, environment: Environment, max_steps: int) -> None:
        while not environment.done and episode.steps < max_steps:
            decided = await self._decide(episode, environment)
            if decided is None:
                return
            await self._about_to_act(episode, *decided)
            news = await self._act(episode, environment, decided[0].key)
            if news is None:
                return
            where = f"episode {episode.number}/{self._episodes}, step {episode.steps}/{max_steps}"
            await self._ctx.report(f"{where}: {news}")

    async def _decide(self, episode: Episode, environment: Environment) -> tuple[Choice, Decision] | None:
        """What to do next; None where nothing can be done, or an error ends the episode."""
        try:
            options = await environment.options()
            if not options:
                return None
            observation = Observation(await environment.observe())
            question = ChoiceQuestion(dict(options), goal=self._game.goal, rules=self._game.rules)
            return await self._decider.choose(observation, question)
        except HandrailError as error:
            episode.error = error.message
            return None

    async def _about_to_act(self, episode: Episode, choice: Choice, decision: Decision) -> None:
        """Look once whether the run goes on, then put what is about to be done on disk, whatever happens next."""
        await self._ctx.check()
        episode.steps += 1
        episode.usage += decision.usage
        episode.decision_ms.append(decision.latency_ms)
        tick = _tick(episode.steps, choice, decision)
        episode.ticks.append(tick)
        self._ctx.append(episode.ticks_name, tick)

    async def _act(self, episode: Episode, environment: Environment, key: str) -> str | None:
        """What came of the act; None where an error ends the episode."""
        try:
            return await environment.act(key)
        except HandrailError as error:
            episode.error = error.message
            return None


def _tick(step: int, choice: Choice, decision: Decision) -> JsonObject:
    known = decision.usage.known
    probabilities: dict[str, Json] = {key: round(share, 6) for key, share in choice.probabilities.items()}
    return {
        "step": step,
        "key": choice.key,
        "confidence": round(choice.confidence, 6),
        "probabilities": probabilities,
        "ms": round(decision.latency_ms, 3),
        "input_tokens": decision.usage.input_tokens if known else None,
        "output_tokens": decision.usage.output_tokens if known else None,
        "plan": False,
        "blocked": False,
        "source": "decision",
        "model": decision.model,
    }
