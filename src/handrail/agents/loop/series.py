"""A series: the same game with the same model, one episode after the other, each from the next seed."""

import time
from functools import partial

import anyio
import anyio.to_thread

from handrail.agents.loop.environment import Game
from handrail.agents.loop.episode import Episode, EpisodePlayer
from handrail.agents.loop.job_record import JobRecord
from handrail.agents.loop.summary import series_summary
from handrail.agents.spec import AgentJob
from handrail.decisions import Decider, ModelSetup
from handrail.json_types import JsonObject

__all__ = ["play_series"]


async def play_series(game: Game, job: AgentJob) -> JsonObject:
    """Play all episodes of a run and sum them up.

    What was played is on disk whenever it stops: finished, cancelled, out of time or killed.

    Returns:
        The series summary with what the game adds to it; `error` where the time ran out (`ok` is false then).
    """
    began = time.perf_counter()
    record = JobRecord(game.name, job)
    record.begin()
    episodes: list[Episode] = []
    try:
        with anyio.move_on_after(job.time_limit_s) as limit:
            await _play_all(game, job, record, episodes)
    finally:
        record.progress(episodes, over=True)
    summarise = partial(
        series_summary,
        agent=game.name,
        model=job.model,
        seed=job.seed,
        planned=job.episodes,
        episodes=episodes,
        total_s=time.perf_counter() - began,
        job_dir=str(job.ctx.folder) if job.ctx.folder else None,
    )
    # A thread: the resampling of a thousand scores takes long enough for others to notice.
    summary = await anyio.to_thread.run_sync(summarise, abandon_on_cancel=True)
    summary |= game.outcome([episode.score for episode in episodes if episode.ended and episode.score is not None])
    summary["error"] = f"timeout after {job.time_limit_s:g} s" if limit.cancelled_caught else _first_error(episodes)
    record.summary(summary)
    return summary


async def _play_all(game: Game, job: AgentJob, record: JobRecord, episodes: list[Episode]) -> None:
    model = job.models.create(job.model, ModelSetup(seed=job.seed, rule=game.rule))
    try:
        await model.warm()
        player = EpisodePlayer(job.ctx, game, Decider(model), job.episodes)
        for index in range(job.episodes):
            record.progress(episodes, running=1)
            episode = Episode(index + 1, job.seed + index, record.trial_name(index))
            episodes.append(episode)
            try:
                await player.play(episode, job.params)
            finally:
                record.episode(episode)
    finally:
        await model.close()


def _first_error(episodes: list[Episode]) -> str | None:
    return next((episode.error for episode in episodes if episode.error), None)
