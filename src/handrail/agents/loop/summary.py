"""The figures of a series of episodes. Pure."""

import random
import statistics
from collections.abc import Sequence
from typing import Final

from handrail.agents.loop.episode import Episode
from handrail.json_types import Json, JsonObject

__all__ = ["mean_ci95", "series_summary"]

_RESAMPLES: Final = 1000
_LOW, _HIGH = 25, 975  # the 2.5 % and 97.5 % places among them


def series_summary(
    *, agent: str, model: str, seed: int, planned: int, episodes: Sequence[Episode], total_s: float, job_dir: str | None
) -> JsonObject:
    """The summary of a series, under the field names that other tools of this kind use as well.

    Args:
        agent: the agent's name (`env`).
        model: the decision model's name (`model`, and `policy` as others call it).
        seed: the first episode's seed.
        planned: how many episodes were asked for.
        episodes: those that were begun. One that did not end has no score here.
        total_s: how long all took, in seconds.
        job_dir: where the record is, or None.

    Returns:
        Scores, decisions and costs. What is unknown is null, never 0. `ok` says that all episodes ended without error.
    """
    ended = [episode for episode in episodes if episode.ended]
    errors = sum(episode.error is not None for episode in ended)
    return {
        "ok": len(ended) == planned and not errors,
        "env": agent,
        "policy": model,
        "model": model,
        "seed": seed,
        "episodes": len(ended),
        **_score_figures(ended),
        "mean_steps": _mean([episode.steps for episode in ended]),
        "mean_elapsed_s": _mean([episode.elapsed_s for episode in ended]),
        **_decision_figures(episodes),
        "rethinks": 0,
        "errors": errors,
        "total_s": round(total_s, 3),
        "job_dir": job_dir,
    }


def mean_ci95(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean by 1,000 bootstrap resamples with seed 0; None for no values."""
    if not values:
        return None
    draw = random.Random(0)  # noqa: S311  (statistics, no secret)
    means = sorted(statistics.fmean(draw.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return means[_LOW], means[_HIGH - 1]


def _score_figures(ended: Sequence[Episode]) -> JsonObject:
    scores = [episode.score for episode in ended if episode.score is not None and episode.error is None]
    interval = mean_ci95(scores)
    bounds: Json = [round(bound, 6) for bound in interval] if interval else None
    return {
        "scored": len(scores),
        "mean_score": _mean(scores),
        "mean_score_ci95": bounds,
        "wins": sum(score > 0 for score in scores),
        "losses": sum(score < 0 for score in scores),
    }


def _decision_figures(episodes: Sequence[Episode]) -> JsonObject:
    times = [ms for episode in episodes for ms in episode.decision_ms]
    known = all(episode.usage.known for episode in episodes)
    tokens = sum(episode.usage.input_tokens for episode in episodes)
    return {
        "decisions": len(times),
        "median_decision_ms": round(statistics.median(times), 3) if times else None,
        "chat_calls": 0,
        "jev_input_tokens": tokens if known else None,
        "chat_input_tokens": 0,
        "chat_output_tokens": 0,
        "chat_cache_tokens": 0,
        "invalid_keys": 0,
        # Only models that run here exist so far, and they use no tokens; whatever does has a price that is not known.
        "cost_usd": 0.0 if known and not tokens else None,
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(statistics.fmean(values), 6) if values else None
