"""A series: the same game with the same model, one episode after the other, each from the next seed.

A finished episode is saved. Another attempt of the same run finds what earlier ones saved and plays only the others; an
episode that was broken off is played from its beginning. Nothing that happens within an episode depends on an earlier
one (`DecisionModel.begin`), so the series comes to the same whether it was interrupted or not.
"""

import time
from functools import partial

import anyio
import anyio.to_thread

from handrail.agents.loop.environment import Game
from handrail.agents.loop.episode import Episode, EpisodePlayer
from handrail.agents.loop.job_record import JobRecord
from handrail.agents.loop.saved import FinishedBefore, save_episode
from handrail.agents.loop.summary import series_summary
from handrail.agents.spec import AgentJob
from handrail.decisions import Decider, ModelSetup
from handrail.json_types import JsonObject

__all__ = ["play_series"]


class _Watch:
    """How long a series has taken, in seconds: this attempt's time, and what is known of the earlier ones'."""

    def __init__(self, before_s: float) -> None:
        self._began = time.perf_counter() - before_s

    def seconds(self) -> float:
        return time.perf_counter() - self._began


async def play_series(game: Game, job: AgentJob) -> JsonObject:
    """Play all episodes of a run that no earlier attempt has finished, and sum all of them up.

    What was played is on disk whenever it stops: finished, cancelled, out of time or killed. The time limit and
    `total_s` count all attempts; neither the time between them nor an episode's that was broken off by a crash.

    Returns:
        The series summary with what the game adds to it; `error` where the time ran out (`ok` is false then).
    """
    before = FinishedBefore.of(job.ctx.saved, job.episodes)
    watch = _Watch(before.used_s)
    record = JobRecord(game.name, job)
    record.begin(before.episodes)
    episodes = [*before.episodes]
    try:
        with anyio.move_on_after(max(0.0, job.time_limit_s - before.used_s)) as limit:
            await _play_others(game, job, record, episodes, watch)
    finally:
        episodes.sort(key=lambda episode: episode.number)
        record.progress(episodes, over=True)
    summarise = partial(
        series_summary,
        agent=game.name,
        model=job.model,
        seed=job.seed,
        planned=job.episodes,
        episodes=episodes,
        total_s=watch.seconds(),
        job_dir=str(job.ctx.folder) if job.ctx.folder else None,
    )
    # A thread: the resampling of a thousand scores takes long enough for others to notice.
    summary = await anyio.to_thread.run_sync(summarise, abandon_on_cancel=True)
    summary |= game.outcome([episode.score for episode in episodes if episode.ended and episode.score is not None])
    summary["error"] = f"timeout after {job.time_limit_s:g} s" if limit.cancelled_caught else _first_error(episodes)
    record.summary(summary)
    return summary


async def _play_others(game: Game, job: AgentJob, record: JobRecord, episodes: list[Episode], watch: _Watch) -> None:
    """Play the episodes that are not in the list, and put each into it as it begins."""
    finished = {episode.number for episode in episodes}
    others = [number for number in range(1, job.episodes + 1) if number not in finished]
    if not others:
        return
    setup = ModelSetup(seed=job.seed, rule=game.rule, environment=job.environment)
    model = job.models.create(job.model, setup)
    try:
        await model.warm()
        player = EpisodePlayer(job.ctx, game, Decider(model), job.episodes)
        for number in others:
            record.progress(episodes, running=1)
            episode = record.new_episode(number)
            episodes.append(episode)
            try:
                await player.play(episode, job.params)
            finally:
                record.episode(episode)
            await save_episode(job.ctx, episode, watch.seconds())
    finally:
        await model.close()


def _first_error(episodes: list[Episode]) -> str | None:
    return next((episode.error for episode in episodes if episode.error), None)
