"""The figures of a series."""

from datetime import UTC, datetime

import pytest

from handrail.agents.loop.episode import Episode
from handrail.agents.loop.summary import mean_ci95, series_summary
from handrail.decisions import Usage
from handrail.json_types import JsonObject

pytestmark = pytest.mark.unit


def _episode(
    score: float | None, *, error: str | None = None, usage: Usage | None = None, ended: bool = True
) -> Episode:
    episode = Episode(1, 0, "trial", score=score, error=error, usage=usage or Usage(), steps=2)
    episode.finished_at = datetime.now(UTC) if ended else None
    return episode


def _summary(*episodes: Episode, planned: int | None = None) -> JsonObject:
    return series_summary(
        agent="a",
        model="m",
        seed=0,
        planned=len(episodes) if planned is None else planned,
        episodes=episodes,
        total_s=1.0,
        job_dir=None,
    )


def test_wins_losses_and_draws_are_counted_and_errors_are_not_scored() -> None:
    summary = _summary(_episode(1), _episode(-1), _episode(-2), _episode(0), _episode(5, error="e"), _episode(None))

    assert [summary[name] for name in ("wins", "losses", "scored", "errors", "episodes")] == [1, 2, 4, 1, 6]
    assert (summary["mean_score"], summary["ok"]) == (-0.5, False)


def test_an_episode_that_did_not_end_is_not_counted_and_the_series_is_not_ok() -> None:
    summary = _summary(_episode(1), _episode(1, ended=False))

    assert (summary["episodes"], summary["mean_score"], summary["ok"]) == (1, 1, False)
    assert _summary(_episode(1), planned=1)["ok"] is True


@pytest.mark.promise("unknown-is-not-zero")
def test_an_unknown_cost_is_null_and_never_zero() -> None:
    unknown = _summary(_episode(1), _episode(1, usage=Usage(known=False)))
    priced = _summary(_episode(1, usage=Usage(input_tokens=100)))
    free = _summary(_episode(1))

    assert (unknown["cost_usd"], unknown["jev_input_tokens"]) == (None, None)
    assert (priced["cost_usd"], priced["jev_input_tokens"]) == (None, 100)
    assert (free["cost_usd"], free["jev_input_tokens"]) == (0.0, 0)


def test_a_series_without_episodes_has_no_mean() -> None:
    summary = _summary(planned=3)

    assert [summary[name] for name in ("mean_score", "mean_score_ci95", "median_decision_ms")] == [None] * 3


def test_the_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    values = [1.0] * 40 + [-1.0] * 60
    interval = mean_ci95(values)

    assert interval == mean_ci95(values)
    assert interval is not None
    assert interval[0] == pytest.approx(-0.2 - 1.96 * 0.098, abs=0.03)
    assert interval[1] == pytest.approx(-0.2 + 1.96 * 0.098, abs=0.03)
